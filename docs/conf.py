# SPDX-License-Identifier: Apache-2.0
"""The documentation as a site: `make docs` puts it into build/docs."""

import pathlib
import re
import shutil

from pygments import token
from pygments.lexer import RegexLexer, words
from pygments.lexers.special import TextLexer

project = "Blockyard"
author = "the authors of Blockyard"
copyright = author  # noqa: A001 (Sphinx wants this name)
extensions = ["myst_parser", "sphinx-mathjax-offline"]  # formulas need no network
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "Blockyard"
html_copy_source = False
html_show_sphinx = False

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s:#]+)(#[^)\s]*)?\)")


SHOWN = {}  # sources that pages link to: path in the repository, by path in the site


def show_sources(app, docname, source):
    """Links to sources, outside of the site, lead to copies of them in it; links to folders become text."""
    folder = (DOCS / docname).parent

    def link(match):
        text, target = match[1], match[2]
        path = (folder / target).resolve()
        if path.is_relative_to(DOCS) and path.is_file():
            return match[0]
        if path.is_relative_to(DOCS) and (path / "README.md").is_file():
            return f"[{text}]({target.rstrip('/')}/README.md)"
        where = path.relative_to(ROOT) if path.is_relative_to(ROOT) else pathlib.Path(target)
        if not path.is_relative_to(ROOT) or not path.is_file():
            return text if str(where) in text else f"{text} (`{where}`)"
        copy = f"source/{where}.txt"
        SHOWN[copy] = path
        label = re.sub(r"`([^`]*)`", r"<code>\1</code>", text)
        return f'<a href="{"../" * docname.count("/")}{copy}">{label}</a>'

    source[0] = LINK.sub(link, source[0])


def copy_sources(app, error):
    if error is not None:
        return
    for copy, path in SHOWN.items():
        to = pathlib.Path(app.outdir) / copy
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, to)


class SialLexer(RegexLexer):
    """Keywords, comments, texts and numbers."""

    name = "SIAL"
    flags = re.IGNORECASE
    tokens = {"root": [
        (r"#.*", token.Comment), (r'"[^"]*"', token.String), (r"\b\d[\d.]*(e-?\d+)?\b", token.Number),
        (words(("aoindex", "moindex", "moaindex", "mobindex", "laindex", "index", "subindex", "static", "temp", "local", "served",
                "distributed", "contiguous", "sparse", "predefined", "scalar", "int", "special"), r"\b", r"\b"), token.Keyword.Type),
        (words(("sial", "endsial", "import", "proc", "endproc", "do", "enddo", "pardo", "endpardo", "where", "if", "else", "endif",
                "section", "endsection", "call", "execute", "get", "put", "request", "prepare", "clear", "collective", "print", "println",
                "sip_barrier", "server_barrier", "allocate", "deallocate", "exists", "exit", "cycle", "return", "stop", "in", "of",
                "set_persistent", "restore_persistent", "broadcast_from", "assert_same", "and", "or", "not"), r"\b", r"\b"), token.Keyword),
        (r"[\w.$]+", token.Text), (r"\s+", token.Whitespace), (r".", token.Punctuation)]}


def setup(app):
    for name in ("ebnf", "bytes"):  # shown as they are
        app.add_lexer(name, TextLexer)
    app.add_lexer("sial", SialLexer)
    app.connect("source-read", show_sources)
    app.connect("build-finished", copy_sources)
