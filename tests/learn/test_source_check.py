"""Whether a statement can have come from a text."""

from __future__ import annotations

import pytest

from glymph.learn.source_check import find_undenied, find_ungrounded

SOURCE = """We talked with Ingrid yesterday. Production runs on PostgreSQL 16.2 in the eu-north-1 region, and the
pool is limited to 40 connections. Please don't ever run migrations on a Friday, we were burned on 2026-03-13.
The dashboard lives at https://dash.example.com/ops and the ticket is OPS-4411. I prefer short answers, in
German."""

FAITHFUL = [
    "Production runs on PostgreSQL 16.2 in eu-north-1.",
    "The connection pool is limited to 40 connections.",
    "Migrations must never be run on a Friday.",
    "The user prefers short answers in German.",
    "The ops dashboard lives at https://dash.example.com/ops.",
    "Ticket OPS-4411 tracks it, and the dashboard too.",
    "The team was burned by a migration on 13 March 2026.",
    "User prefers short German answers.",
    "Ingrid was in the talk about production.",
    "The production database is Postgres.",
    "The pool has a limit of forty connections.",
    'The dashboard is called "ops" in the URL dash.example.com/ops.',
    "They do not run migrations on Fridays.",
]

INVENTED = {
    "another number": "The connection pool is limited to 50 connections.",
    "another version": "Production runs on PostgreSQL 15.2.",
    "another date": "The team was burned on 2026-03-14 by migrations.",
    "another ticket": "The dashboard ticket is OPS-4412.",
    "another address": "The dashboard lives at https://dash.example.org/ops.",
    "another name": "Production migrations are run by Svetlana.",
    "a name at the beginning": "Svetlana runs the migrations on production.",
    "another product": "Production runs on MySQL in the region.",
    "a product at the beginning": "MongoDB is what production runs on.",
    "a quoted term": "The dashboard is called 'mission control' by production.",
    "a term in code": "Migrations on production use `alembic`.",
    "other words": "The customer enjoys sailing and pays quarterly by invoice.",
    "nothing of it": "Chocolate cake needs butter, sugar and flour.",
    "a mail": "Ingrid's mail is ingrid@example.com.",
}


@pytest.mark.parametrize("statement", FAITHFUL)
def test_a_faithful_paraphrase_is_trusted(statement):
    assert find_ungrounded(statement, SOURCE) is None


@pytest.mark.parametrize("name", INVENTED)
def test_an_invention_is_not(name):
    assert find_ungrounded(INVENTED[name], SOURCE)


def test_a_number_inside_a_name_is_not_that_number():
    source = "Retry with jitter, max 5 attempts, and SOC2 by Q3. The proxy is at localhost:8443."
    assert find_ungrounded("Retry at most 3 attempts with jitter.", source)
    assert find_ungrounded("Retry at most 5 attempts with jitter.", source) is None
    assert find_ungrounded("SOC 2 is due by Q3.", source) is None
    assert find_ungrounded("SOC2 is due by Q4.", source)
    assert find_ungrounded("The proxy is on port 8443.", source) is None
    assert find_ungrounded("Dmitri found the jitter in the proxy.", source)


def test_the_reason_names_what_is_strange():
    assert "50" in str(find_ungrounded("The pool is limited to 50 connections.", SOURCE))
    assert "'Svetlana'" in str(find_ungrounded("The migrations are run by Svetlana.", SOURCE))


def test_a_denial_needs_one_in_the_source():
    source = "We deploy with Ansible on Mondays and use tabs in the Go files."
    assert find_undenied("The team never uses tabs in Go files.", source) == (
        "it denies something, and the source denies nothing"
    )
    assert find_ungrounded("The team uses tabs in Go files.", source) is None
    assert find_undenied("Go files must not use spaces.", "Go files: avoid spaces") is None


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("The user does not live in Lisbon.", "I live in Lisbon"),
        (
            "The user does not live in Lisbon.",
            "I live in Lisbon with two cats. Don't forget the tests.",
        ),
        ("The user does not live in Lisbon.", "No problem.\nI live in Lisbon.\nI never said so."),
        ("The user doesn't live in Lisbon.", "I live in Lisbon. I don't live in Porto."),
        ("The team does not use Postgres.", "We use Postgres, not MySQL."),
        ("The team never deploys on Mondays.", "We deploy on Mondays. We never push to main."),
        ("Eva is not allergic to nuts.", "Eva has an allergy to nuts. Only Max eats no fish."),
    ],
)
def test_a_denial_of_something_else_in_the_source_is_not_enough(statement, source):
    assert "denies" in str(find_undenied(statement, source))


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("The team does not use MySQL.", "We use Postgres, not MySQL."),
        ("The team uses Postgres and not MySQL.", "We use Postgres instead of MySQL."),
        ("Never push to main.", "Shall I push to main?\nNo, never."),
        (
            "The team does not push to main.",
            "May I push to main?\nNo, please use a branch for everything.",
        ),
        (
            "The team deploys on Mondays with Ansible, never on Fridays.",
            "We deploy with Ansible on Mondays. Never on Fridays.",
        ),
        (
            "The user does not live in Porto anymore.",
            "I live in Lisbon. I don't live in Porto any longer.",
        ),
        (
            "The team does not deploy on Friday afternoons.",
            "On Friday afternoons, before the weekend, we never deploy.",
        ),
        ("The user is not a vegetarian.", "I'm no vegetarian, and I like fish."),
        ("Do not mock the database.", "Avoid mocks of the database in tests."),
        ("Redis did not work for sessions.", "We tried Redis for sessions but it failed."),
    ],
)
def test_a_denial_that_the_source_has_is_trusted(statement, source):
    assert find_undenied(statement, source) is None
    assert find_ungrounded(statement, source) is None


def test_other_languages_are_compared_too():
    assert (
        find_ungrounded("Der Server steht in Hamburg.", "Unser Server steht seit Mai in Hamburg.")
        is None
    )
    assert find_ungrounded(
        "Der Server steht in München.", "Unser Server steht seit Mai in Hamburg."
    )
    assert find_ungrounded("用户喜欢喝绿茶", "我很喜欢喝绿茶，不喝咖啡") is None
    assert find_ungrounded("用户每天骑自行车上班", "我很喜欢喝绿茶，不喝咖啡")


def test_the_writing_of_a_name_or_number_makes_no_difference():
    assert find_ungrounded("The launch is on 3 May 2026.", "launch: 2026-05-03") is None
    assert find_ungrounded("The budget is 10,000 EUR.", "budget 10000 EUR") is None
    assert find_ungrounded("The team runs on Kubernetes.", "we run on k8s as a team") is None
    assert find_ungrounded("Deployment runs on Mondays.", "we deploy on mondays") is None
    assert find_ungrounded("GRAFANA is used.", "we use grafana a lot") is None


def test_a_number_may_gain_its_unit():
    source = "three kids. 4, 9 and 11. the little one eats rice"
    assert (
        find_ungrounded("Three kids, 4, 9 and 11 years; the little one eats rice.", source) is None
    )
    assert find_ungrounded("Three kids, 4, 9 and 12 years; the little one eats rice.", source)


def test_a_language_that_writes_nouns_with_capitals_may_use_others():
    source = "Die Ziegel kommen vom Hartwig, der Kalle macht das Gerüst und der Finn ist Azubi."
    assert find_ungrounded("Der Baustoffhändler Hartwig liefert die Ziegel.", source) is None
    assert find_ungrounded("Der Schreiner Möller macht die Fenster.", source)


def test_nothing_is_grounded_in_an_empty_source():
    assert find_ungrounded("The server is in Hamburg.", "")
