"""Who is let in, which forms count, and what every answer carries; without a browser."""

from __future__ import annotations

import http.client
import re
from urllib.parse import urlencode

import pytest

from glymph.dashboard.page import all_pages
from glymph.dashboard.render import STATIC, TEMPLATES, diff, tell_since, tell_until
from glymph.dashboard.sign_in import LINK_SECONDS, OneTimeLinks, form_proof, is_local
from tests.dashboard.ground import READER, TOKEN


def ask(served, method, path, form=None, *, token=TOKEN, **headers):
    line = http.client.HTTPConnection("127.0.0.1", served.port, timeout=20)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    if token:
        sent["Cookie"] = f"glymph_{served.port}={token}"
    if form is not None:
        sent["Content-Type"] = "application/x-www-form-urlencoded"
    line.request(method, path, urlencode(form or {}, doseq=True), sent)
    answer = line.getresponse()
    body = answer.read().decode()
    line.close()
    return answer, body


def test_every_page_has_the_policy_and_no_style_or_script_inside(served):
    for page in all_pages():
        answer, body = ask(served, "GET", page.path)
        assert answer.status == 200, page.path
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|<[^>]*\s(style|on\w+)=", body), (
            page.path
        )
        assert len(body) < 300_000
        assert answer.headers["Cache-Control"] == "no-store"


def test_who_shows_no_token_is_led_to_the_sign_in(served):
    answer, _ = ask(served, "GET", "/trash?x=1", token=None)
    assert (answer.status, answer.headers["Location"]) == (303, "/login?next=%2Ftrash%3Fx%3D1")
    answer, _ = ask(served, "GET", "/jobs", token="wrong", HX_Request="true")
    assert answer.headers["HX-Redirect"].startswith("/login")
    assert "ended=1" in answer.headers["HX-Redirect"]


def test_the_cookie_is_out_of_reach_for_scripts_and_other_sites(served):
    answer, _ = ask(served, "GET", served.links.issue(TOKEN), token=None)
    kept = answer.headers["Set-Cookie"]
    assert "HttpOnly" in kept
    assert "samesite=strict" in kept.lower()


def test_a_link_counts_once_and_not_for_long():
    now = [0.0]
    links = OneTimeLinks(clock=lambda: now[0])
    key = links.issue("secret").partition("key=")[2]
    assert (links.redeem(key), links.redeem(key)) == ("secret", None)
    late = links.issue("secret").partition("key=")[2]
    now[0] = LINK_SECONDS + 1
    assert links.redeem(late) is None


@pytest.mark.parametrize(
    ("form", "headers"),
    [
        ({}, {}),
        ({"form": "wrong"}, {}),
        ({"form": form_proof(READER)}, {}),
        ({"form": form_proof(TOKEN)}, {"Origin": "https://elsewhere.example"}),
        ({"form": form_proof(TOKEN)}, {"Origin": "null"}),
        ({"form": form_proof(TOKEN)}, {"Sec_Fetch_Site": "cross-site"}),
    ],
)
def test_a_form_from_elsewhere_changes_nothing(served, form, headers):
    memory = served.glymph.list(limit=1)[0]
    answer, body = ask(served, "POST", f"/memories/{memory.id}/pin", form, **headers)
    assert answer.status == 422
    assert "Nothing was changed" in body
    assert not served.glymph.get(memory.id).pinned


def test_a_form_of_ours_counts(served):
    memory = served.glymph.list(limit=1)[0]
    answer, _ = ask(
        served, "POST", f"/memories/{memory.id}/pin", {"form": form_proof(TOKEN)},
        Origin=served.address,
    )  # fmt: skip
    assert answer.status == 303
    assert served.glymph.get(memory.id).pinned


def test_a_reader_may_not_send_what_no_button_offers(served):
    memory = served.glymph.list(limit=1)[0]
    for path in (
        f"/memories/{memory.id}/archive",
        "/trash/empty",
        "/jobs/decay",
        "/forget",
        "/review/apply",
    ):
        answer, body = ask(served, "POST", path, {"form": form_proof(READER)}, token=READER)
        assert answer.status == 403, path
    assert "role" in body


def test_a_reader_of_one_space_learns_nothing_of_another(served):
    answer, body = ask(served, "GET", "/?space=elsewhere", token=READER)
    assert answer.status == 404
    assert "<!doctype html>" in body


@pytest.mark.parametrize(
    "path", ["//evil.example", "https://evil.example", "/\\evil", "javascript:1"]
)
def test_nobody_is_led_elsewhere(served, path):
    assert not is_local(path)
    answer, _ = ask(
        served, "GET", f"{served.links.issue(TOKEN)}&{urlencode({'next': path})}", token=None
    )
    assert answer.headers["Location"] == "/"


def test_what_is_not_there_is_told_as_a_page(served):
    for path in (
        "/memories/nobody",
        "/operations/nobody",
        "/forget/nobody",
        "/conversations/nobody",
    ):
        answer, body = ask(served, "GET", path)
        assert answer.status in (404, 422), path
        assert 'role="alert"' in body


def test_what_others_wrote_is_named_with_version_and_licence():
    named = (STATIC / "VENDORED.md").read_text(encoding="utf-8")
    version = re.search(r"`htmx.min.js` \|[^|]*\| ([\d.]+) \| Zero-Clause BSD", named)[1]
    assert f'version:"{version}"' in (STATIC / "htmx.min.js").read_text(encoding="utf-8")


def test_every_page_has_one_template_of_its_own_and_a_key_of_its_own():
    keys = [page.key for page in all_pages()]
    assert len(set(keys)) == len(keys)
    for page in all_pages():
        name = page.path.strip("/") or "home"
        assert (TEMPLATES / f"{name}.html").exists()


def test_values_are_told_in_words():
    assert diff("a b c", "a x c") == [("", "a"), ("del", " b"), ("ins", " x"), ("", " c")]
    assert tell_since(None) == "never"
    assert tell_until(None) == "no fixed time"
