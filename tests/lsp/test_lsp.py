#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An editor's conversation with `blockyard lsp`, message by message."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

BLOCKYARD = os.environ["BLOCKYARD"]
ROOT = pathlib.Path(__file__).parents[2]

PROGRAM = """import "defs.sial"
sial main
distributed V[mu,nu]  # «é» counts two bytes, one unit
scalar total
proc add_up
  total += 1.0
endproc add_up
pardo mu, nu
  V[mu,nu] = 0.0
endpardo mu, nu
call add_up
print total
endsial main
"""
DEFS = "sial defs\npredefined int norb\naoindex mu = 1:norb\naoindex nu = 1:norb\nendsial defs\n"


class Client:
    """Sends requests and keeps what the server says meanwhile."""

    def __init__(self):
        self.process = subprocess.Popen([BLOCKYARD, "lsp"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.last_id = 0
        self.diagnostics = {}
        self.versions = {}

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.send_raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def send_raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while (line := self.process.stdout.readline().strip()):
            key, value = line.split(b":")
            if key.lower() == b"content-length":
                length = int(value)
        message = json.loads(self.process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self.diagnostics[params["uri"]] = params["diagnostics"]
            self.versions[params["uri"]] = params.get("version")
        return message

    def notify(self, method, **params):
        self.send({"method": method, "params": params})

    def request(self, method, **params):
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        while (message := self.receive()).get("id") != self.last_id:
            pass
        return message

    def result(self, method, **params):
        return self.request(method, **params)["result"]

    def end(self):
        self.request("shutdown")
        self.notify("exit")
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait()


class LanguageServer(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve() / "with blank"
        self.folder.mkdir()
        (self.folder / "defs.sial").write_text(DEFS)
        self.main = (self.folder / "main.sial").as_uri()
        self.defs = (self.folder / "defs.sial").as_uri()
        self.client = Client()
        self.version = 0
        self.texts = {}
        answer = self.client.result("initialize", processId=None, rootUri=None, capabilities={})
        self.assertTrue(answer["capabilities"]["hoverProvider"])
        self.client.notify("initialized")
        self.open(self.main, PROGRAM)
        self.found(self.main)

    def tearDown(self):
        self.assertEqual(self.client.end(), 0)

    def next_version(self, uri, text):
        self.version += 1
        self.texts[uri] = text
        return {"uri": uri, "version": self.version}

    def open(self, uri, text):
        self.client.notify("textDocument/didOpen", textDocument={
            **self.next_version(uri, text), "languageId": "sial", "text": text})

    def change(self, uri, text):
        self.client.notify("textDocument/didChange", textDocument=self.next_version(uri, text),
                           contentChanges=[{"text": text}])

    def at(self, word, text=PROGRAM, after=""):
        """The position in the middle of the first `word` that follows `after`."""
        offset = text.index(word, text.index(after)) + len(word) // 2
        line = text.count("\n", 0, offset)
        column = offset - (text.rfind("\n", 0, offset) + 1)
        return {"textDocument": {"uri": self.main},
                "position": {"line": line, "character": column}}

    def found(self, uri):
        """The diagnostics of a document when the server has seen all that was said: those of a version after it."""
        self.change(uri, self.texts[uri])
        while self.client.versions.get(uri) != self.version:
            self.client.receive()
        self.client.result("textDocument/documentSymbol", textDocument={"uri": self.main})
        return self.client.diagnostics[uri]

    def test_diagnostics_come_and_go_as_one_types(self):
        self.assertEqual(self.found(self.main), [])
        self.change(self.main, PROGRAM.replace("print total", "print totl"))
        found = self.found(self.main)
        self.assertEqual(len(found), 1)
        self.assertEqual(found[0]["severity"], 1)
        self.assertEqual(found[0]["range"]["start"], {"line": 11, "character": 6})
        self.assertEqual(found[0]["range"]["end"], {"line": 11, "character": 10})
        self.assertIn("total", found[0]["message"])
        self.change(self.main, PROGRAM)
        self.assertEqual(self.found(self.main), [])

    def test_a_change_in_an_open_import_is_seen_before_it_is_saved(self):
        self.open(self.defs, DEFS.replace("nu", "rho"))
        self.assertTrue(self.found(self.main))
        self.change(self.defs, DEFS)
        self.assertEqual(self.found(self.main), [])
        self.client.notify("textDocument/didClose", textDocument={"uri": self.defs})
        self.assertEqual(self.found(self.main), [])

    def test_hover_shows_the_declaration_with_the_ranges_of_its_indexes(self):
        shown = self.client.result("textDocument/hover", **self.at("V", after="pardo"))
        text = shown["contents"]["value"]
        for part in ("distributed V[mu,nu]", "aoindex mu = 1:norb", "aoindex nu = 1:norb"):
            self.assertIn(part, text)
        self.assertIsNone(self.client.result("textDocument/hover", **self.at("endsial")))

    def test_definition_is_found_here_and_in_imports(self):
        here = self.client.result("textDocument/definition", **self.at("add_up", after="call"))
        self.assertEqual((here["uri"], here["range"]["start"]),
                         (self.main, {"line": 4, "character": 5}))
        there = self.client.result("textDocument/definition", **self.at("mu", after="pardo"))
        self.assertEqual((there["uri"], there["range"]["start"]),
                         (self.defs, {"line": 2, "character": 8}))

    def test_references_name_every_use(self):
        uses = self.client.result("textDocument/references", **self.at("total"),
                                  context={"includeDeclaration": True})
        self.assertEqual([use["range"]["start"]["line"] for use in uses], [3, 5, 11])

    def test_completion_offers_names_super_instructions_and_keywords(self):
        items = {item["label"]: item for item in self.client.result(
            "textDocument/completion", **self.at("print"))}
        self.assertIn("distributed V", items["v"]["detail"])
        for name in ("mu", "add_up", "pardo", "eigen_calc"):
            self.assertIn(name, items)

    def test_symbols_are_those_of_the_file(self):
        symbols = self.client.result("textDocument/documentSymbol",
                                     textDocument={"uri": self.main})
        self.assertEqual([symbol["name"] for symbol in symbols], ["v", "total", "add_up"])

    def test_formatting_gives_the_layout_of_blockyard_fmt(self):
        edits = self.client.result("textDocument/formatting", textDocument={"uri": self.main},
                                   options={"tabSize": 2, "insertSpaces": True})
        path = self.folder / "layout.sial"
        path.write_text(PROGRAM)
        done = subprocess.run([BLOCKYARD, "fmt", "--stdout", path], capture_output=True, text=True,
                              check=True)
        self.assertEqual(edits[0]["newText"], done.stdout)
        self.change(self.main, done.stdout)
        self.assertEqual(self.client.result("textDocument/formatting",
                                            textDocument={"uri": self.main}, options={}), [])

    def test_rename_changes_every_use_in_every_file_that_means_it(self):
        other = (self.folder / "other.sial").as_uri()
        (self.folder / "other.sial").write_text('import "defs.sial"\nsial other\nstatic w[mu]\ndo mu\nw[defs.mu] = 1.0\n'
                                                "enddo mu\nendsial other\n")
        (self.folder / "stranger.sial").write_text("sial stranger\naoindex mu = 1:2\nendsial stranger\n")
        place = self.at("mu", after="pardo")
        self.assertEqual(self.client.result("textDocument/prepareRename", **place)["start"], {"line": 7, "character": 6})
        changes = self.client.result("textDocument/rename", **place, newName="rho")["changes"]
        places = {uri: [(edit["range"]["start"]["line"], edit["range"]["start"]["character"]) for edit in edits]
                  for uri, edits in changes.items()}
        self.assertEqual(places, {self.defs: [(2, 8)], self.main: [(2, 14), (7, 6), (8, 4), (9, 9)],
                                  other: [(2, 9), (3, 3), (4, 7), (5, 6)]})
        self.assertTrue(all(edit["newText"] == "rho" and edit["range"]["end"]["character"]
                            == edit["range"]["start"]["character"] + 2 for edits in changes.values() for edit in edits))

    def test_a_name_may_be_written_with_that_of_its_program(self):
        text = PROGRAM.replace("pardo mu", "pardo defs.mu")
        self.change(self.main, text)
        place = self.at("defs.mu", text)
        self.assertIn("aoindex mu = 1:norb", self.client.result("textDocument/hover", **place)["contents"]["value"])
        self.assertEqual(self.client.result("textDocument/definition", **place)["uri"], self.defs)
        uses = self.client.result("textDocument/references", **place, context={"includeDeclaration": True})
        self.assertEqual([use["range"]["start"]["line"] for use in uses if use["uri"] == self.main], [2, 7, 8, 9])
        shown = self.client.result("textDocument/prepareRename", **place)
        self.assertEqual((shown["start"]["character"], shown["end"]["character"]), (11, 13))
        edits = self.client.result("textDocument/rename", **place, newName="rho")["changes"][self.main]
        self.assertEqual(edits[1]["range"], shown)

    def test_a_text_without_a_file_keeps_its_name(self):
        self.open("untitled:Untitled-1", "sial x\nscalar y\ny = z\nendsial x\n")
        self.assertEqual(len(self.found("untitled:Untitled-1")), 1)

    def test_rename_refuses_what_is_no_name_or_taken(self):
        for name, said in (("nu", "already has a name 'nu'"), ("pardo", "word of the language"), ("2x", "not a name")):
            answer = self.client.request("textDocument/rename", **self.at("mu", after="pardo"), newName=name)
            self.assertEqual(answer["error"]["code"], -32803)
            self.assertIn(said, answer["error"]["message"])
        self.assertIsNone(self.client.result("textDocument/prepareRename", **self.at("endsial")))
        answer = self.client.request("textDocument/rename", **self.at("mu", after="pardo"), newName="MU")
        self.assertIn("changes", answer["result"])

    def test_what_was_meant_is_offered_as_a_change(self):
        self.change(self.main, PROGRAM.replace("print total", "print totl"))
        found = self.found(self.main)
        actions = self.client.result("textDocument/codeAction", textDocument={"uri": self.main},
                                     range=found[0]["range"], context={"diagnostics": found})
        self.assertEqual([action["title"] for action in actions], ["Change to 'total'"])
        self.assertEqual(actions[0]["edit"]["changes"][self.main],
                         [{"range": found[0]["range"], "newText": "total"}])

    def test_super_instructions_have_texts_and_signatures(self):
        text = PROGRAM.replace("call add_up\n", "execute eigen_calc V[mu,nu] \nexecute compute_ubatch3 x\n")
        self.change(self.main, text)
        shown = self.client.result("textDocument/hover", **self.at("eigen_calc", text))["contents"]["value"]
        self.assertIn("special eigen_calc uu", shown)
        self.assertIn("A becomes its eigenvalues on the diagonal", shown)
        place = self.at("eigen_calc", text)
        place["position"]["character"] = len("execute eigen_calc V[mu,nu] ")
        help_ = self.client.result("textDocument/signatureHelp", **place)
        self.assertEqual(help_["signatures"][0]["label"], "execute eigen_calc 1: updated, 2: updated")
        self.assertEqual(help_["activeParameter"], 1)
        self.assertIn("eigenvalues", help_["signatures"][0]["documentation"]["value"])
        place = self.at("compute_ubatch3", text)
        place["position"]["character"] = len("execute compute_ubatch3 x")
        help_ = self.client.result("textDocument/signatureHelp", **place)
        self.assertEqual([one["label"] for one in help_["signatures"][0]["parameters"]],
                         ["1: written", "2: read", "3: read", "4: updated", "5: updated"])
        self.assertIsNone(self.client.result("textDocument/signatureHelp", **self.at("pardo", text)))
        more = text.replace("eigen_calc V[mu,nu] ", "eigen_calc a b c d")
        self.change(self.main, more)
        place = self.at("eigen_calc", more)
        place["position"]["character"] = len("execute eigen_calc a b c d")
        self.assertEqual(self.client.result("textDocument/signatureHelp", **place)["activeParameter"], 1)
        self.change(self.main, text)
        items = {item["label"]: item for item in self.client.result("textDocument/completion", **self.at("print", text))}
        self.assertIn("documentation", items["eigen_calc"])

    def test_what_makes_no_sense_is_answered_with_an_error(self):
        self.assertEqual(self.client.request("textDocument/magic")["error"]["code"], -32601)
        self.assertEqual(self.client.request("textDocument/hover")["error"]["code"], -32602)
        said = self.client.request("textDocument/hover", textDocument=3)["error"]["message"]
        self.assertIn("textDocument/hover", said)
        self.assertNotIn("json.exception", said)
        self.client.notify("textDocument/didChange", textDocument={"uri": self.main, "version": 3},
                           contentChanges=[])
        self.client.send_raw(b"Content-Length: 5\r\n\r\n{1,2}")
        self.assertEqual(self.client.receive()["error"]["code"], -32700)
        self.client.send_raw(b"Content-Length: 2 \r\n\r\n{}")
        self.assertEqual(self.client.receive()["error"]["code"], -32600)
        self.change("file:///never/opened.sial", "sial x\nendsial x\n")
        self.assertEqual(self.found(self.main), [])


    def test_only_exit_comes_after_shutdown(self):
        self.client.result("shutdown")
        self.assertEqual(self.client.request("textDocument/hover", **self.at("mu"))["error"]["code"], -32600)


class Extension(unittest.TestCase):

    def test_the_folder_has_what_its_manifest_names(self):
        folder = ROOT / "editors" / "vscode"
        manifest = json.loads((folder / "package.json").read_text())
        named = [manifest["main"], manifest["icon"], "LICENSE", "README.md",
                 *(one["path"] for one in manifest["contributes"]["grammars"]),
                 *(one["configuration"] for one in manifest["contributes"]["languages"])]
        for name in named:
            self.assertTrue((folder / name).is_file(), name)
        self.assertEqual((folder / "LICENSE").read_text(), (ROOT / "LICENSE").read_text())
        icon = (folder / manifest["icon"]).read_bytes()
        self.assertEqual((icon[:8], icon[16:24]), (b"\x89PNG\r\n\x1a\n", bytes([0, 0, 0, 128] * 2)))


class Grammar(unittest.TestCase):

    def test_highlights_every_keyword_that_the_server_knows(self):
        client = Client()
        items = client.result("textDocument/completion",
                              textDocument={"uri": "file:///none.sial"},
                              position={"line": 0, "character": 0})
        self.assertEqual(client.end(), 0)
        words = [item["label"] for item in items if item["kind"] == 14]
        path = ROOT / "editors" / "vscode" / "syntaxes" / "sial.tmLanguage.json"
        grammar = json.loads(path.read_text())
        patterns = [re.compile(part["match"]) for part in grammar["patterns"] if "match" in part]
        self.assertGreater(len(words), 50)
        for word in words:
            self.assertTrue(any(pattern.fullmatch(word) for pattern in patterns), word)


if __name__ == "__main__":
    unittest.main()
