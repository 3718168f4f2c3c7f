"""The pages there are: one a file in `pages`, and those of installed packages."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from fastapi import APIRouter

from glymph.extensions import ExtensionPoint
from glymph.service.access import Role

LOOK, DECIDE, RUN = "Look", "Decide", "Run"  # the parts of the menu
GROUPS = (LOOK, DECIDE, RUN)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the menu, with the routes behind it."""

    title: str
    path: str
    router: APIRouter = field(repr=False)
    group: str = LOOK
    order: int = 50
    role: Role = Role.READ  # who sees it in the menu
    key: str = ""  # goes there after a `g`


@cache
def extension_point() -> ExtensionPoint[Page]:
    """Returns where pages are registered."""
    return ExtensionPoint("glymph.pages", Page, package="glymph.dashboard.pages", attribute="PAGE")


def all_pages() -> list[Page]:
    """Returns every page in the order of the menu."""
    found = extension_point().members.values()
    return sorted(found, key=lambda page: (GROUPS.index(page.group), page.order, page.title))
