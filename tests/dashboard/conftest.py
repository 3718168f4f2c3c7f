"""A browser for each module, and a store that has lived for each test."""

from __future__ import annotations

import shutil

import pytest

from tests.dashboard.ground import TOKEN, live, serving

CHROMIUM = next(
    (
        found
        for name in (
            "chromium-headless-shell",  # takes a third of the time of a whole browser
            "chromium",
            "chromium-browser",
            "google-chrome",
        )
        if (found := shutil.which(name))
    ),
    None,
)
PATIENCE = 60_000  # milliseconds; a machine with much to do is slow
COMPLAINTS = ("Content Security Policy", "Refused to", "Uncaught")


@pytest.fixture(scope="session")
def lived(tmp_path_factory):
    """The file of a store that has lived, to be copied."""
    path = tmp_path_factory.mktemp("lived") / "memory.db"
    live(f"sqlite:///{path}")
    return path


@pytest.fixture
def served(lived, tmp_path):
    shutil.copy(lived, tmp_path / "memory.db")
    with serving(f"sqlite:///{tmp_path / 'memory.db'}") as found:
        yield found


@pytest.fixture(scope="module")
def browser():
    """A browser. Its event loop runs in this thread, and no other can, until it is closed."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium here: apt-get install chromium-headless-shell")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def visit(browser, served):
    """Opens pages as somebody who is signed in; nothing may complain, or ask another server."""
    context = browser.new_context(base_url=served.address)
    context.set_default_timeout(PATIENCE)
    complaints = []
    context.on(
        "console",
        lambda said: (
            complaints.append(said.text) if any(one in said.text for one in COMPLAINTS) else None
        ),
    )
    context.on("weberror", lambda found: complaints.append(str(found.error)))
    context.on(
        "request",
        lambda asked: (
            complaints.append(asked.url)
            if not asked.url.startswith((served.address, "data:"))
            else None
        ),
    )

    def sign_in(token=TOKEN, to="/spaces"):
        page = context.new_page()
        page.goto(f"{served.links.issue(token)}&next={to}")
        return page

    sign_in.context = context
    yield sign_in
    context.close()
    assert complaints == []
