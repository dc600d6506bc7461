// SPDX-License-Identifier: Apache-2.0
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const command = vscode.workspace.getConfiguration("sial").get("blockyard");
  const server = { command, args: ["lsp"] };
  client = new LanguageClient("sial", "SIAL", server, { documentSelector: [{ language: "sial" }] });
  return client.start();
};

exports.deactivate = () => client && client.stop();
