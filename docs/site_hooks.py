"""Hooks of the site's build: pages that stand at the root of the repository join the others.

SECURITY.md, CHANGELOG.md and CONTRIBUTING.md are where people and forges look for them; the site
shows the same text. Links between them and the pages are turned accordingly.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from posixpath import relpath
from typing import Any

ROOT = Path(__file__).parent.parent
SHOWN = {
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}
SOURCE = "https://github.com/glymph/glymph/blob/main"
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Any, config: Any) -> Any:
    """Adds the pages of the root; called by mkdocs."""
    from mkdocs.structure.files import File

    for name, page in SHOWN.items():
        text = turn_links((ROOT / name).read_text(encoding="utf-8"), PurePosixPath(name))
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turns links of a page that lead out of docs; called by mkdocs."""
    if page.file.src_uri in SHOWN.values():
        return markdown
    return turn_links(markdown, PurePosixPath("docs") / page.file.src_uri)


def turn_links(markdown: str, page: PurePosixPath) -> str:
    """Returns the text with every link as the site needs it; `page` is its place in the repository.

    Links to other pages stay relative; those to files that the site does not show lead to the
    source.
    """
    here = "." if page.parts[0] != "docs" else str(page.parent.relative_to("docs"))

    def turn(found: re.Match[str]) -> str:
        target = relpath(str(page.parent / found[1]), ".")
        anchor = found[2] or ""
        if target in SHOWN:
            return f"]({relpath(SHOWN[target], here)}{anchor})"
        if target.startswith("docs/"):
            return f"]({relpath(target.removeprefix('docs/'), here)}{anchor})"
        return f"]({SOURCE}/{target}{anchor})"

    return LINK.sub(turn, markdown)
