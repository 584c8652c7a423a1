# How Sphinx makes the book (`make book`): the repository's Markdown files, each at its own path, so that a link between two
# of them is right on a repository page and in the book. `README.md` is the first page.
#
# Why Sphinx with MyST: it finds dead links, also to headings, and pages in no list, by itself; it takes pages from outside of
# `docs/`; and its wheels install in 10 s. mdBook checks no links, has all pages in one folder, and takes 123 crates and
# 170 s of one core to build.
from pathlib import Path

project = "duet"
extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["*.md", "docs/**.md", "rtl/*/*/README.md", "firmware/README.md", "examples/**/README.md"]
# Folders are not looked into, which saves the search of what was built.
exclude_patterns = [".*", "docs/book", "out", "target"]
# Links to headings, `FILE.md#a-heading`, as repository pages make them.
myst_heading_anchors = 4
html_theme = "furo"
html_title = "duet"
html_static_path = ["static"]
html_css_files = ["book.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False

CONTENTS = Path(__file__).with_name("contents.md").read_text()


def add_contents(_app, page, text):
    if page == root_doc:
        text[0] += CONTENTS


def setup(app):
    app.connect("source-read", add_contents)
