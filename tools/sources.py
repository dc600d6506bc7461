# SPDX-License-Identifier: Apache-2.0
"""Which files are ours: shared by the checkers."""
import pathlib
import subprocess

CPP = {".h", ".cpp", ".cu", ".cl"}


def files(root, suffixes):
    """Paths relative to `root`, sorted: what git tracks or would track; without git, what is there."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard"],
                            capture_output=True, text=True)
    if listed.returncode == 0:
        found = [pathlib.PurePosixPath(line) for line in listed.stdout.splitlines()]
    else:
        found = [pathlib.PurePosixPath(path.relative_to(root).as_posix())
                 for path in pathlib.Path(root).rglob("*")]
        found = [path for path in found if path.parts[0] not in ("build", ".git")]
    return sorted(path for path in found
                  if path.suffix in suffixes and (pathlib.Path(root) / path).is_file())
