"""Every page, light, dark and on a phone: nothing serious for axe, and a picture for the guide."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.dashboard.ground import live, serving

ROOT = Path(__file__).parents[2]
AXE = ROOT / ".cache/axe/node_modules/axe-core/axe.min.js"
PICTURES = Path(os.environ.get("GLYMPH_PICTURES") or ROOT / "docs/img")
LOOKS = {
    "light": {"viewport": {"width": 1000, "height": 600}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1000, "height": 600}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 780}, "color_scheme": "light"},
}
PAGES = (
    "home", "memories", "memory", "review", "review-confirm", "questions", "forget", "forget-plan",
    "certificate", "trash", "operations", "operation", "graph", "lessons", "conversations",
    "conversation", "jobs", "costs", "settings", "spaces", "login",
)  # fmt: skip


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A store with some more in it, and the addresses of its pages."""
    url = f"sqlite:///{tmp_path_factory.mktemp('house') / 'memory.db'}"
    live(url, more=120)
    with serving(url) as served:
        g = served.glymph
        plan = g.analyze()
        changed = next(
            one for one in g.list(limit=200, include_superseded=True) if one.superseded_by
        )
        forget = g.forget("Peter Miller")
        purged = g.forget(
            next(one.id for one in g.list(limit=200) if "newsletter" in one.text),
            mode="purge",
            apply=True,
        )
        served.paths = {
            "home": "/", "memories": "/memories?q=tomato+soil", "memory": f"/memories/{changed.id}",
            "review": f"/review?plan={plan.id}", "review-confirm": f"/review?plan={plan.id}",
            "forget-plan": f"/forget/{forget.id}", "certificate": f"/forget/certificates/{purged.operation_id}",
            "operation": f"/operations/{g.operations(limit=1)[0].id}", "conversation": "/conversations/shop",
        }  # fmt: skip
        yield served


def open_page(browser, house, name, look):
    shape, _, dark = look.partition("-")
    chosen = LOOKS[shape] | ({"color_scheme": "dark"} if dark else {})
    context = browser.new_context(base_url=house.address, **chosen)
    page = context.new_page()
    if name == "login":
        page.goto("/login")
        return page
    page.goto(f"{house.links.issue('glymph_operator-of-these-tests')}&next=/spaces")
    page.goto(house.paths.get(name, f"/{name}"))
    if name == "home":
        page.locator("#tasks:not(:has-text('Looking'))").wait_for()
    if name == "review-confirm":
        page.locator("article.group").first.get_by_text("Archive", exact=True).click()
        page.get_by_role("button", name="Show what this does…").click()
        page.get_by_role("heading", name="What this does").wait_for()
    if name == "graph":
        page.locator("canvas[data-ready]").wait_for()
        page.wait_for_timeout(200)
    return page


def find_serious(page):
    """What axe holds to be serious or worse."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({resultTypes: ['violations']})")
    return [
        (one["id"], one["nodes"][0]["html"][:200], one["nodes"][0].get("failureSummary", "")[:300])
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.skipif(not AXE.exists(), reason="there is no axe-core: make axe")
@pytest.mark.parametrize(
    ("look", "pages"),
    [
        ("light", ("home", "memories")),
        ("dark", ("memory", "review")),
        ("phone-dark", ("memories", "questions")),
        *(pytest.param(look, PAGES, marks=pytest.mark.nightly) for look in (*LOOKS, "phone-dark")),
    ],
)
def test_nothing_serious_stands_in_anybodys_way(browser, house, look, pages):
    found = {}
    for name in pages:
        page = open_page(browser, house, name, look)
        found[name] = find_serious(page)
        page.context.close()
    assert {name: these for name, these in found.items() if these} == {}


@pytest.mark.nightly
@pytest.mark.parametrize("look", LOOKS)
def test_every_page_has_its_picture_and_none_is_too_large(browser, house, look):
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name in PAGES:
        page = open_page(browser, house, name, look)
        overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert overflow <= 0, (name, look)
        if name == "settings":  # where the store of a test lies is nobody's business
            page.locator(".details code").evaluate(
                "one => { one.textContent = 'sqlite:///~/.glymph/memory.db' }"
            )
        page.screenshot(path=PICTURES / f"{name}-{look}.png")
        page.context.close()
    assert sum(one.stat().st_size for one in PICTURES.glob("*.png")) < 4_000_000
