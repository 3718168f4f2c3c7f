"""Checks the built site: links lead somewhere, and nothing is loaded from elsewhere.

python -m docs.check_site FOLDER
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
NOT_LOADED = {"canonical", "next", "prev", "alternate"}


class Page(HTMLParser):
    """What a page links to, what it loads, and what can be linked to in it."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = {""}

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if LOADED.get(tag) in given and given.get("rel") not in NOT_LOADED:
            self.loaded.append(given[LOADED[tag]])


def find_faults(site: Path) -> Iterator[str]:
    """Yields what is wrong, page by page."""
    pages = {path.resolve(): _read(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        for target in page.loaded:
            if urlsplit(target).netloc:
                yield f"{name} loads {target}"
        for target in page.links:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc or name.name == "404.html":
                continue
            found = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            found = found / "index.html" if found.is_dir() else found
            if not found.exists():
                yield f"{name} links to {target}, which is not there"
            elif found in pages and unquote(parts.fragment) not in pages[found].anchors:
                yield f"{name} links to {target}, a heading that is not there"


def _read(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def main() -> int:
    faults = list(find_faults(Path(sys.argv[1])))
    sys.stderr.writelines(f"{fault}\n" for fault in faults)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
