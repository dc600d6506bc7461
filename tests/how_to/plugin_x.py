#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A plug-in called "x" next to a copy of the program is a kind of device, by its name and as the report says.

plugin_x.py BLOCKYARD PLUGIN
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM = (pathlib.Path(__file__).parent / "programs" / "x.sial").read_text(encoding="utf-8")


def serve(folder, kind):
    """What a server says that ends as soon as it has no client."""
    return subprocess.run([folder / "blockyard", "offload", "serve", "--device", kind, "--listen", f"unix:{folder}/s",
                           "--idle", "0s", "--json"], cwd=folder, capture_output=True, text=True, check=False)


def main():
    program, plugin = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "plugins").mkdir()
        try:
            os.link(program, folder / "blockyard")
        except OSError:  # another file system
            shutil.copy(program, folder / "blockyard")
        os.symlink(plugin, folder / "plugins" / "libblockyard_device_x.so")
        (folder / "x.toml").write_text('programs = ["x.sial"]\n[segments]\nmo = [3, 4]\n')
        (folder / "x.sial").write_text(PROGRAM)

        def run(kind):
            return subprocess.run([folder / "blockyard", "run", "x.toml", "-w", "1", "--device", kind, "--placement", "device",
                                   "--report", "x.json"], cwd=folder, capture_output=True, text=True, check=False)

        there = run("x")
        assert there.returncode == 0, there.stderr
        report = json.loads((folder / "x.json").read_text())
        kinds = [device["kind"] for device in report["devices"]]
        assert kinds and set(kinds) == {"x"}, report["devices"]
        assert sum(device["runs"] for device in report["devices"]) > 0, report["devices"]
        assert f"{(7 * 2 * 3) ** 2 * 49}" in there.stdout.replace(",", ""), there.stdout
        lent = serve(folder, "x")
        assert json.loads(lent.stdout)["kind"] == "x", lent.stderr
        unknown = serve(folder, "y")
        assert unknown.returncode == 2 and "the kinds are host, sim, x" in unknown.stderr, unknown.stderr
        missing = run("y")
        assert missing.returncode == 1 and "not a kind of device" in missing.stderr, missing.stderr
        assert missing.stderr.rstrip().endswith(": x"), missing.stderr


if __name__ == "__main__":
    main()
