"""What a user's words are worth by rule: few sentences, and those for certain."""

from __future__ import annotations

import pytest

from glymph.learn.extract_rules import find_noteworthy

KEPT = [
    ("Remember that the staging database is wiped every night.", "note"),
    ("Please remember that Eva signs off every release.", "note"),
    ("Remember: invoices go out on the first Monday of a month.", "note"),
    ("Keep in mind that the customer reads only German.", "note"),
    ("Don't forget that the API key rotates in March.", "note"),
    ("For future reference, the printer is called laser-7.", "note"),
    ("Can you remember that my sister lives in Oslo?", None),
    ("Remember to run the linter before every commit.", "preference"),
    ("Remember my dentist is Dr. Lindqvist in Malmö.", "fact"),
    ("Always use tabs in Go files.", "preference"),
    ("Never push directly to main.", "preference"),
    ("Please always answer in French.", "preference"),
    ("Don't ever delete the fixtures folder.", "preference"),
    ("You should always run the migrations with a dry run first.", "preference"),
    ("You must never touch the legacy folder.", "preference"),
    ("We never deploy on Fridays.", "preference"),
    ("We always squash commits before merging.", "preference"),
    ("From now on, write commit messages in English.", "preference"),
    ("Going forward, put new endpoints under /v2.", "preference"),
    ("Write tests as plain functions from now on.", "preference"),
    ("I prefer short answers without headings.", "preference"),
    ("I really prefer pytest over unittest.", "preference"),
    ("I hate mocking the database in tests.", "preference"),
    ("I like my coffee without sugar.", "preference"),
    ("My favourite editor is Helix.", "preference"),
    ("Our preferred language is Kotlin.", "preference"),
    ("We decided to drop Python 3.9 support.", "decision"),
    ("We've decided against microservices.", "decision"),
    ("We agreed to release every second Tuesday.", "decision"),
    ("Let's go with Postgres for the event store.", "decision"),
    ("Let's stick with REST for the public API.", "decision"),
    ("We're going with Terraform for the infrastructure.", "decision"),
    ("We switched from Jenkins to GitHub Actions.", "decision"),
    ("Decision: the mobile app stays on React Native.", "decision"),
    ("The team has settled on trunk-based development.", "decision"),
    ("My name is Ingrid and I lead the data team.", "fact"),
    ("My timezone is Europe/Oslo.", "fact"),
    ("Our backend runs on Kubernetes in Frankfurt.", "fact"),
    ("Our API gateway listens on port 8443.", "fact"),
    ("We use Postgres, not MySQL.", "fact"),
    ("We deploy to Hetzner with Ansible.", "fact"),
    ("I work at a hospital in Bergen.", "fact"),
    ("I live in Lisbon with two cats.", "fact"),
    ("I'm a nurse and write Python on the side.", "fact"),
    ("I am allergic to peanuts.", "fact"),
    ("The billing service is written in Rust.", "fact"),
    ("The nightly backup runs at 3 am on the old server.", "fact"),
    ("Our goal is to cut build times in half.", "goal"),
    ("The deadline is 30 June.", "goal"),
    ("We want to launch the beta by the end of May.", "goal"),
    ("Lesson learned: never run migrations during the sale.", "lesson"),
    ("It turned out that the cache was shared between tenants.", "lesson"),
    ("By the way, I prefer metric units.", "preference"),
    ("- Always sort imports with ruff.", "preference"),
]

NOT_KEPT = [
    "Fix this bug please.",
    "Can you add a test for the parser?",
    "Could you explain how the cache works?",
    "What is our deployment process?",
    "Why does it always crash on startup?",
    "Do you remember what we decided yesterday?",
    "Remember when we broke production?",
    "Remember what I said about tests.",
    "Should we use Postgres or MySQL?",
    "Do we always squash commits?",
    "It always crashes after a minute.",
    "It never works on my machine.",
    "This test always fails on CI.",
    "I never said that.",
    "I never got an answer to my mail.",
    "I always get this error.",
    "I always forget the syntax of awk.",
    "Never mind, I found it.",
    "Never mind.",
    "Never again!",
    "Don't do that.",
    "Don't change the tests in this file.",
    "Use a dictionary here.",
    "Use black for now.",
    "Always use the first one.",
    "I prefer the second option.",
    "I prefer this.",
    "I like it.",
    "I like that idea.",
    "I like how you wrote this.",
    "I'd like you to refactor the module.",
    "I love what you did with the parser.",
    "Let's go with option 2.",
    "Let's go with that.",
    "Let's go with your suggestion.",
    "Let's try again.",
    "Let's look at the logs.",
    "Let's use a loop here.",
    "We decided that.",
    "We haven't decided on a database yet.",
    "We are thinking about moving to Kafka.",
    "Maybe we should use Redis.",
    "I think we use Postgres somewhere.",
    "If we use Redis, always set a TTL.",
    "Suppose our backend runs on Windows.",
    "My code is broken.",
    "My test is failing again.",
    "My build is still not green.",
    "My question is whether this scales.",
    "My guess is the network.",
    "Our tests are failing.",
    "Our server is down.",
    "I'm a bit confused by the output.",
    "I'm getting an error.",
    "I'm trying to install the package.",
    "I'm not sure what happened.",
    "I am going to lunch now.",
    "We need to fix the login.",
    "I want a button on the start page.",
    "I need a script that renames files.",
    "Thanks, that works great!",
    "ok, go on",
    "yes",
    "Looks good to me.",
    "Run the tests again and show me the output.",
    "Write a function that always returns a list.",
    "Add a comment that says we never delete rows.",
    "```\n# Always use tabs in Go files.\n```",
    "```python\nwe_use = 'Postgres'\n# We use Postgres, not MySQL.",
    "> Always use tabs in Go files.",
    "$ always run this first",
    "# We never deploy on Fridays.",
    "2026-01-05 09:00:00 INFO We use Postgres, not MySQL.",
    "ERROR: We never deploy on Fridays",
    "ValueError: we use Postgres here, not MySQL",
    'File "/app/main.py", line 3, in main',
    "const weUse = () => { return 'Postgres'; };",
    "git commit -m 'We use Postgres, not MySQL'",
    'The docs say "Always use tabs in Go files."',
    "Eva said we use Postgres, not MySQL.",
    "According to the wiki our backend runs on Kubernetes.",
    "The test is in the wrong folder.",
    "The file is here.",
    "We use it.",
    "We use this to parse dates.",
    "We had a long meeting today.",
    "I work on it right now.",
    "Always.",
    "I prefer",
    "Please make sure the page loads quickly.",
    "Is my name in the list?",
    "The output is below.",
    "We use the same approach as before.",
    "I work on the parser.",
    "Our meeting is at 3pm today.",
    "We run the tests now.",
    "We use a loop to iterate.",
    "We store the result in x.",
    "I'm on the wrong branch.",
    "We moved to the next step.",
    "The tests are stored in tests/.",
    "The server runs on my machine.",
    "The function is written in a weird way.",
    "My output is different.",
    "My dataframe is 3 columns.",
    "In the future, cars will fly.",
    "By default pandas uses NaN.",
    "We want to be done by Friday.",
    "I decided to take a break.",
    "We keep getting timeouts.",
    "The target is null.",
    "The goal is to understand the bug.",
    "I speak for everyone.",
    "The loop runs every time.",
    "Never seen this before.",
]


@pytest.mark.parametrize(("said", "kind"), [(said, kind) for said, kind in KEPT if kind])
def test_what_lasts_is_kept_with_its_kind(said, kind):
    (found,) = find_noteworthy(said)
    assert found.kind == kind
    assert found.text.rstrip(".") in said or found.text[1:].rstrip(".") in said


@pytest.mark.parametrize("said", [*NOT_KEPT, *(said for said, kind in KEPT if kind is None)])
def test_what_does_not_last_is_not_kept(said):
    assert find_noteworthy(said) == ()


def test_there_are_enough_examples():
    assert sum(kind is not None for _, kind in KEPT) >= 40
    assert len(NOT_KEPT) >= 60


def test_the_sentence_is_taken_out_of_a_longer_turn():
    said = "Thanks, that helped! We use Postgres, not MySQL. Can you fix the query?\n\n```sql\nALWAYS 1;\n```"
    assert [each.text for each in find_noteworthy(said)] == ["We use Postgres, not MySQL."]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "We decided to use module 5 for part 15. filler text follows here",
            ["We decided to use module 5 for part 15."],
        ),
        ("We use Postgres, not MySQL. can you fix the query?", ["We use Postgres, not MySQL."]),
        ("looks good! we never deploy on Fridays.", ["We never deploy on Fridays."]),
        (
            "We use Python v1.2 of the tool, not v1.3 of it.",
            ["We use Python v1.2 of the tool, not v1.3 of it."],
        ),
        ("Always use a linter, e.g. ruff or flake.", ["Always use a linter, e.g. ruff or flake."]),
        ("We never deploy after 5 p.m. on Fridays.", ["We never deploy after 5 p.m. on Fridays."]),
        ("We never deploy after 5 p.m. Fix the test.", ["We never deploy after 5 p.m."]),
        (
            "Remember my dentist is Dr. Lindqvist in Malmö.",
            ["My dentist is Dr. Lindqvist in Malmö."],
        ),
        (
            "We always use tabs, spaces etc. in the old files.",
            ["We always use tabs, spaces etc. in the old files."],
        ),
        ("I prefer tabs vs. spaces in Go files.", ["I prefer tabs vs. spaces in Go files."]),
    ],
)
def test_sentences_end_where_the_next_one_begins(said, kept):
    assert [each.text for each in find_noteworthy(said)] == kept


def test_what_was_asked_to_be_remembered_is_kept_without_the_asking():
    assert [
        each.text for each in find_noteworthy("Please remember that the printer is called laser-7.")
    ] == ["The printer is called laser-7."]


def test_the_same_sentence_is_kept_once():
    assert len(find_noteworthy("Never push to main.\nAs I said:\nNever push to main.")) == 1


def test_a_long_pasted_text_is_passed_quickly():
    assert find_noteworthy("lorem ipsum dolor " * 20_000) == ()
