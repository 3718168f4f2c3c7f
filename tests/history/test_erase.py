"""What was removed for good is gone from conversations, too, and nothing else of them is."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from glymph import Glymph
from glymph.history import memory_file, places
from glymph.history.conversation import Waiting
from glymph.history.cut import QuoteCutter, rewrite_line
from glymph.history.disk import Disk
from glymph.history.erase import FILES as PLACE
from glymph.history.erase import SessionFolder, fingerprint_transcript
from glymph.history.history import History
from glymph.history.shelves import ASIDE
from glymph.history.transcript import FILE, TORN, FileTranscript
from glymph.store.certificate import CLEAN, LEFT
from glymph.testing import ScriptedModel
from glymph.text.quotes import GONE, Quotes

SECRET = "Anna's phone number is +49 170 1234567."
NUMBER = "+49 170 1234567"
SETTINGS = {"unit": "messages", "consolidation_threshold": 6, "keep_recent_ratio": 0.34}


def user(text):
    return {"role": "user", "content": text}


def agent(text):
    return {"role": "assistant", "content": text}


@pytest.fixture
def told(glymph):
    """A conversation that says it in a summary, in old turns and in new ones."""
    history = glymph.conversations(settings=SETTINGS)
    history.append("s", user(SECRET), agent("Noted."))
    for at in range(4):
        history.append("s", user(f"Crate {at} with {3 * at} lamps goes to Bergen."), agent("Fine."))
    history.build("s")
    history.append("s", user("Please call. The number is 0049-170-1234567, as I said. Thanks!"))
    history.append("s", {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function",
         "function": {"name": "call", "arguments": json.dumps({"phone": NUMBER, "sum": 3})}}]})  # fmt: skip
    history.append("s", {"role": "tool", "tool_call_id": "c1", "content": f"called {NUMBER}"})
    return history


def folder(glymph, session="s"):
    return glymph.conversations().session_folder(session)


def status(certificate):
    return next(one for one in certificate.places if one.name == PLACE)


def everything(glymph):
    found = [path for path in places.usual_folder(glymph.context).rglob("*") if path.is_file()]
    return b"".join(path.read_bytes() for path in found).decode()


# texts


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (SECRET, GONE),
        (f"Hello. {SECRET} Bye.", f"Hello. {GONE} Bye."),
        ("ANNA'S  phone number is\n+49 170 1234567.", GONE),
        ("Call 0049-170-1234567 please! Thanks.", f"{GONE} Thanks."),
        ("It is a zorblax of dingos. Fine.", f"{GONE} Fine."),
        ("One zorblax. Nothing else.", "One zorblax. Nothing else."),
        ("Nothing of that.", "Nothing of that."),
        ("", ""),
        ("Anna’s phone  number: is +49 (170) 123-45-67", GONE),
        ("The number of crates is 1234. Anna's phone rang 170 times.",) * 2,
    ],
)
def test_a_text_loses_what_repeats_it_and_no_more(text, left):
    sieve = QuoteCutter(Quotes((SECRET, NUMBER), frozenset({"zorblax", "dingos"})))
    assert sieve(text) == left
    assert sieve(left) == left


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("ascii", [False, True])
@pytest.mark.parametrize(
    "text", [SECRET, NUMBER, "é€𝄞 " + NUMBER, "\ud800 " + NUMBER, f"{NUMBER} " * 20]
)
def test_a_line_keeps_its_length_and_its_shape(text, ascii, compact):
    sieve = QuoteCutter(Quotes((SECRET, NUMBER)))
    separators = (",", ":") if compact else None
    for record in (user(text), {"at": "2026-01-01", "message": {**user(text), "name": "Anna"}}):
        body = json.dumps(
            record, ensure_ascii=ascii or "\ud800" in text, separators=separators
        ).encode()
        anew = rewrite_line(body + b"\n", sieve)
        assert len(anew) == len(body) + 1
        assert b"1234567" not in anew
        found = json.loads(anew)
        assert found.get("message", found)["role"] == "user"
        assert anew.endswith(b"}\n")


def test_a_line_that_says_nothing_of_it_keeps_every_byte_and_an_unreadable_one_becomes_blank():
    sieve = QuoteCutter(Quotes((SECRET, NUMBER)))
    for line in (b'{"role" :"user","content":"x"}\r\n', b"broken\n", b"\n", b"[1, 2]\n", b"7"):
        assert rewrite_line(line, sieve) == line
    assert (
        rewrite_line(b'{"role": "user", "content": "+49 170 1234567\n', sieve) == b" " * 44 + b"\n"
    )


# conversations


def test_forgetting_for_good_reaches_conversations_and_leaves_the_rest_to_the_byte(glymph, told):
    added = glymph.add(SECRET, kind="fact")
    before = (folder(glymph) / FILE).read_bytes().splitlines()
    standing = told.session("s").load()[0].standing
    shown = told.build("s")
    assert "1234567" in shown.system
    done = glymph.forget(f"the phone {NUMBER}", mode="purge", apply=True)
    assert added.id in done.receipt.succeeded
    assert status(done.certificate).status == CLEAN, status(done.certificate)
    assert "1234567" not in everything(glymph)
    after = (folder(glymph) / FILE).read_bytes().splitlines()
    assert [len(line) for line in after] == [len(line) for line in before]
    assert [new for new in after if new not in before] == [after[at] for at in (0, 10, 11, 12)]
    found, problems = told.session("s").load()
    assert problems == []
    assert found.standing.cursor == standing.cursor
    again = told.build("s")
    assert again.problems == ()
    assert "1234567" not in again.system
    assert [message["role"] for message in again.messages] == [
        message["role"] for message in shown.messages
    ]
    assert json.loads(again.messages[-2]["tool_calls"][0]["function"]["arguments"]) == {
        "phone": GONE,
        "sum": 3,
    }
    assert "1234567" not in str(told.search("s", "phone"))
    assert told.search("s", "Bergen lamps")


def test_what_lies_beside_a_transcript_is_reached_as_well(glymph, told):
    place = folder(glymph)
    (place / TORN).write_text(json.dumps({"torn": f'{{"content": "{SECRET}'}) + "\n")
    (place / ASIDE.format("")).write_text(f"# Mine\n{SECRET}\nLamps.\n")
    (place / "state.broken").write_text(f'{{"summary": "{SECRET}"')
    with (place / FILE).open("ab") as file:
        file.write(f'{{"role": "user", "content": "{SECRET}\n'.encode())
    glymph.add(SECRET, kind="fact")
    done = glymph.forget(f"the phone {NUMBER}", mode="purge", apply=True)
    assert status(done.certificate).status == CLEAN, status(done.certificate)
    assert "1234567" not in everything(glymph)
    assert (place / ASIDE.format("")).read_text().endswith("Lamps.\n")


def test_a_page_that_a_person_edited_in_memory_md_is_still_taken_over(glymph, told):
    path = folder(glymph) / memory_file.FILE
    parts = memory_file.parse(path.read_text())
    path.write_text(
        memory_file.render(
            memory_file.Parts(parts.machine + "\n- Mine.", "My page.", parts.revision)
        )
    )
    glymph.add(SECRET, kind="fact")
    glymph.forget(f"the phone {NUMBER}", mode="purge", apply=True)
    told.build("s")
    assert "- Mine." in told.summary("s")
    assert "1234567" not in told.summary("s")
    assert told.page() == "My page."


def test_notes_that_wait_for_the_graph_do_not_bring_it_back(glymph, told):
    conversation = told.session("s")
    waiting = (
        Waiting(SECRET, None, ("user",), (0,)),
        Waiting("Lamps go to Bergen.", None, (), (1,)),
    )
    conversation.change(lambda current: replace(current, waiting=waiting))
    glymph.add(SECRET, kind="fact")
    glymph.forget(f"the phone {NUMBER}", mode="purge", apply=True)
    assert [one.text for one in conversation.load()[0].waiting] == ["Lamps go to Bergen."]


def test_releasing_leaves_conversations_alone_and_so_does_retention_which_says_so(
    glymph, told, clock
):
    added = glymph.add(SECRET, kind="fact")
    before = everything(glymph)
    glymph.forget(f"the phone {NUMBER}", apply=True)
    clock.advance(days=31)
    glymph.trash.empty()
    assert everything(glymph) == before
    found = status(glymph.certificates()[0])
    assert found.status == LEFT
    assert added.id not in found.detail


@pytest.mark.parametrize("step", range(1, 60))
def test_a_crash_at_any_step_leaves_a_conversation_that_goes_on_where_it_was(glymph, told, step):
    class Crash(BaseException):
        pass

    taken = iter(range(1, 1000))

    def watch(_):
        if next(taken) == step:
            raise Crash

    standing = told.session("s").load()[0].standing
    kept = len(told.messages("s"))
    session = SessionFolder(
        folder(glymph),
        Disk(watch=watch),
        QuoteCutter(Quotes((SECRET, NUMBER))),
        glymph.page(),
        dry_run=False,
    )
    try:
        session.erase()
    except Crash:
        crashed = True
    else:
        crashed = False
    found, problems = told.session("s").load()
    assert problems == []
    assert found.standing.cursor == standing.cursor
    assert len(told.messages("s")) == kept
    assert told.build("s").problems == ()
    if crashed:
        done = glymph.conversations.erase(SECRET, NUMBER, apply=True)
        assert done.left == ()
    assert "1234567" not in everything(glymph)


def test_a_fingerprint_of_bytes_is_that_of_the_file(tmp_path):
    transcript = FileTranscript(tmp_path, Disk(durable=False))
    (tmp_path / FILE).write_bytes(body := bytes(range(256)) * 20)
    for offset in (0, 1, 100, 1024, 1025, 1200, 1300, 5120):
        assert fingerprint_transcript(body, offset) == transcript.known_by(offset)


def test_a_purge_that_was_killed_says_that_conversations_were_not_looked_through(
    glymph, told, monkeypatch
):
    glymph.add(SECRET, kind="fact")

    def killed(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("glymph.forget.forget.certify", killed)
    with pytest.raises(KeyboardInterrupt):
        glymph.forget(f"the phone {NUMBER}", mode="purge", apply=True)
    found = status(glymph.compact().certificates[0])
    assert found.status == LEFT
    assert "glymph memory history erase" in found.detail


def test_a_dry_run_counts_files_and_changes_none(glymph, told):
    before = everything(glymph)
    found = glymph.conversations.erase(NUMBER)
    assert found.conversations == 1
    assert found.files >= 3
    assert everything(glymph) == before
    done = glymph.conversations.erase(NUMBER, apply=True)
    assert done.files == found.files
    assert glymph.conversations.erase(NUMBER).files == 0


# where they lie


def test_a_folder_of_ones_own_is_known_to_the_store_from_the_first_message_on(glymph, tmp_path):
    history = glymph.conversations(tmp_path / "own")
    assert places.list_folders(glymph.context) == []
    history.append("s", user(SECRET))
    history.append("s", user("Fine."))
    glymph.conversations(tmp_path / "own").append("t", user("Fine."))
    with glymph.context.reading() as reader:
        assert [path.rpartition("/")[2] for path, _ in reader.folders()] == ["own"]
    glymph.add(SECRET, kind="fact")
    glymph.forget(f"the phone {NUMBER}", mode="purge", apply=True)
    assert "1234567" not in str(history.messages("s"))
    (tmp_path / "own").rename(tmp_path / "away")
    glymph.add(SECRET.replace("1234567", "7654321"), kind="fact")
    done = glymph.forget("the phone +49 170 7654321", mode="purge", apply=True)
    assert str(tmp_path / "own") in status(done.certificate).detail
    assert not done.certificate.complete


def test_conversations_of_other_spaces_are_left_alone(glymph, url, told):
    with Glymph.open(url, space="other", clock=glymph.context.clock) as other:
        theirs = other.conversations()
        theirs.append("s", user(SECRET))
        glymph.add(SECRET, kind="fact")
        glymph.forget(f"the phone {NUMBER}", mode="purge", apply=True)
        assert theirs.messages("s") == [user(SECRET)]


def test_the_setting_names_the_folder(url, tmp_path):
    with Glymph.open(url, settings={"history_folder": str(tmp_path / "named")}) as glymph:
        assert glymph.conversations().folder == tmp_path / "named"


def test_a_space_takes_its_conversations_along_when_it_is_renamed_and_when_it_is_removed(
    glymph, told, url
):
    glymph.rename_space("default", "moved")
    assert len(glymph.conversations().messages("s")) == 13
    with Glymph.open(url, space="default") as anew:
        anew.conversations().append("t", user("Mine."))
        assert anew.conversations().messages("s") == []
        anew.delete_space("moved")
        assert "Bergen" not in everything(anew)
        assert anew.conversations().messages("t") == [user("Mine.")]


def test_histories_without_a_store_are_nobodys(tmp_path):
    history = History(tmp_path / "h")
    history.append("s", user("Hello."))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["h"]


def test_a_model_that_works_meanwhile_is_waited_for_and_its_notes_are_erased_too(url, clock):
    with Glymph.open(url, clock=clock, model=ScriptedModel([{"notes": [SECRET]}] * 9)) as glymph:
        history = glymph.conversations(settings=SETTINGS)
        history.append("s", *(user(f"Crate {at} goes to Bergen.") for at in range(9)))
        history.build("s")
        assert "1234567" in history.summary("s")
        glymph.forget(f"the phone {NUMBER}", mode="purge", apply=True)
        assert "1234567" not in everything(glymph)
