"""Messages of a conversation in the shapes of OpenAI and of Anthropic, read as one thing.

A message is a mapping and stays as it was given; `read_message` tells what is in it. Calls of
tools and their results are matched here, so that nobody cuts a conversation between the two: a
provider refuses a result without its call.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from glymph.errors import InvalidInput
from glymph.llm.dialogue import PER_MESSAGE
from glymph.text.tokens import tokens

Raw = Mapping[str, Any]
Role = Literal["system", "user", "assistant", "tool"]

ROLES: Mapping[str, Role] = {
    "system": "system", "developer": "system", "user": "user", "human": "user",
    "assistant": "assistant", "ai": "assistant", "model": "assistant",
    "tool": "tool", "function": "tool",
}  # fmt: skip
IMAGE_TOKENS = 1000  # about what a picture, a page or a sound of some seconds takes
LEFT_OUT = " … [{count:,} characters of an old result are left out]"
ORPHANED = "[The result of a tool that was called earlier] {text}"
GIVEN_UP = "[Called {name} with {arguments}; no result came]"
EXAMPLE = 'Pass a message such as {"role": "user", "content": "Hello"}.'

_TEXTS = frozenset(("text", "input_text", "output_text", "refusal"))
_THOUGHTS = {"thinking": "thinking", "redacted_thinking": "data", "reasoning": "text"}
_CALLS = frozenset(
    ("tool_use", "server_tool_use", "mcp_tool_use", "function_call", "custom_tool_call")
)
_SPEAKING: Mapping[object, Role] = {name: role for name, role in ROLES.items() if role != "tool"}
_UNNAMED = "function:"  # of calls in OpenAI's older shape, which have a name and no id


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that is called."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool gave back, as far as it is text."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class MessageView:
    """What is in a message. `hidden` is sent and was said by nobody: a model's thoughts."""

    role: Role
    text: str = ""
    calls: tuple[Call, ...] = ()
    results: tuple[Result, ...] = ()
    media: int = 0  # pictures, sounds, files
    hidden: str = ""

    @property
    def opens(self) -> bool:
        """True if a turn begins with it: somebody speaks, and no tool answers."""
        return self.role == "user" and not self.results

    @property
    def tokens(self) -> int:
        """About how many tokens it takes."""
        count = PER_MESSAGE + tokens(self.text) + IMAGE_TOKENS * self.media
        if not (self.hidden or self.calls or self.results):
            return count
        count += tokens(self.hidden)
        count += sum(tokens(call.name) + tokens(call.arguments) for call in self.calls)
        return count + sum(tokens(result.text) for result in self.results)


def check_message(message: object) -> Raw:
    """Returns the message; raises InvalidInput unless it is in a known shape."""
    if not isinstance(message, Mapping):
        raise InvalidInput(
            "message", f"expected a mapping, got {type(message).__name__}. {EXAMPLE}"
        )
    role = message.get("role", _item_role(message))
    if not isinstance(role, str) or role not in ROLES:
        raise InvalidInput("message.role", f"{role!r} is none of {', '.join(ROLES)}. {EXAMPLE}")
    content = message.get("content")
    if content is None and ROLES[role] == "user":
        raise InvalidInput("message.content", f"is missing. {EXAMPLE}")
    if not isinstance(content, str | list | None):
        raise InvalidInput(
            "message.content",
            f"is neither a text nor a list of parts but {type(content).__name__}.",
        )
    for part in content if isinstance(content, list) else ():
        if isinstance(part, Mapping) and not isinstance(part.get("type", ""), str):
            raise InvalidInput(
                "message.content", "has a part whose type is no text. Name it, such as 'text'."
            )
        if not isinstance(part, str | Mapping):
            raise InvalidInput(
                "message.content", f"has a part of type {type(part).__name__}. Pass a mapping."
            )
    return message


# reading


def read_message(message: Raw) -> MessageView:
    """Returns what is in a message, without parts of unknown types."""
    content = message.get("content")
    if (
        isinstance(content, str)
        and len(message) == 2
        and (plain := _SPEAKING.get(message.get("role")))
    ):
        return MessageView(plain, content)  # most messages are nothing but words
    item = _item_role(message)
    role = ROLES.get(str(message.get("role")), item or "user")
    reader = _MessageReader()
    reader.content(content)
    for call in _list(message.get("tool_calls")):
        reader.function(call.get("id"), call.get("function", call.get("custom")))
    if isinstance(legacy := message.get("function_call"), Mapping):
        reader.function(f"{_UNNAMED}{legacy.get('name')}", legacy)
    reader.content(message.get("refusal"))
    if isinstance(audio := message.get("audio"), Mapping):
        reader.content(audio.get("transcript"))
    if isinstance(thought := message.get("reasoning_content"), str):
        reader.hidden.append(thought)
    if item is not None:
        reader.part(message)
    if role == "tool" and not reader.results:
        named = message.get("tool_call_id") or f"{_UNNAMED}{message.get('name')}"
        reader.results, reader.texts = [Result(str(named), "\n".join(reader.texts))], []
    return MessageView(
        role, "\n".join(reader.texts), tuple(reader.calls), tuple(reader.results), reader.media,
        "\n".join(reader.hidden),
    )  # fmt: skip


def _item_role(message: Raw) -> Role | None:
    """Returns the role of an item without one, as in OpenAI's Responses; None for a message."""
    kind = message.get("type")
    if "role" in message or not isinstance(kind, str):
        return None
    if kind.endswith("_call_output"):
        return "tool"
    return "assistant" if kind.endswith("_call") or kind == "reasoning" else None


class _MessageReader:
    """Sorts the parts of one message while it reads them."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.hidden: list[str] = []
        self.calls: list[Call] = []
        self.results: list[Result] = []
        self.media = 0

    def content(self, content: object) -> None:
        if isinstance(content, str):
            self.texts += [content] if content else []
        for part in content if isinstance(content, list) else ():
            if isinstance(part, str):
                self.texts.append(part)
            elif isinstance(part, Mapping):
                self.part(part)

    def part(self, part: Raw) -> None:
        kind = part.get("type", "text")
        if kind in _TEXTS:
            self.texts.append(_text(part.get("text", part.get("refusal"))))
        elif kind in _THOUGHTS:
            self.hidden.append(_text(part.get(_THOUGHTS[kind])))
        elif kind in _CALLS:
            self.calls.append(
                Call(_call_id(part), _text(part.get("name")), _to_json(_argument(part)))
            )
        elif str(kind).endswith(("_call_output", "tool_result")):
            self._result(part)
        elif (
            kind == "document"
            and isinstance(source := part.get("source"), Mapping)
            and "data" in source
        ):
            self.media += source.get("type") != "text"
            self.hidden += [_text(source["data"])] if source.get("type") == "text" else []
        else:
            self.media += 1

    def _result(self, part: Raw) -> None:
        inside = _MessageReader()
        inside.content(part.get("content", part.get("output")))
        self.media += inside.media
        named = part.get("tool_use_id", part.get("call_id"))
        self.results.append(Result(str(named), "\n".join(inside.texts)))

    def function(self, named: object, function: object) -> None:
        part = function if isinstance(function, Mapping) else {}
        self.calls.append(Call(str(named), _text(part.get("name")), _to_json(_argument(part))))


def _argument(part: Raw) -> object:
    return part.get("input", part.get("arguments"))


def _list(value: object) -> list[Raw]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _to_json(value: object) -> str:
    if isinstance(value, str) or value is None:
        return value or ""
    return json.dumps(value, ensure_ascii=False, default=str)


# calls and results


@dataclass(frozen=True, slots=True)
class Answers:
    """Which message answers which.

    `reach` is, for each message, the last one that answers its calls, or itself.

    `names` are the tools whose results a message holds, by the id of the call; `orphans` the ids of
    results whose call is not among the messages; `given_up` those of calls that nobody answered
    before somebody spoke again.
    """

    reach: tuple[int, ...]
    names: tuple[Mapping[str, str], ...]
    orphans: tuple[frozenset[str], ...]
    given_up: Mapping[int, frozenset[str]]


_NO_NAMES: Mapping[str, str] = {}
_NO_ORPHANS: frozenset[str] = frozenset()


def match_results(messages: Sequence[MessageView]) -> Answers:
    """Matches every result with the last call of its id before it.

    A call that nobody has answered reaches to the end while its turn goes on: the answer may still
    come. Once somebody speaks again, it was given up.
    """
    reach = list(range(len(messages)))
    called: dict[str, tuple[int, str]] = {}
    waiting: dict[str, int] = {}
    left: dict[str, int] = {}
    names: list[Mapping[str, str]] = []
    orphans: list[frozenset[str]] = []
    for place, message in enumerate(messages):
        if message.opens and waiting:
            left |= waiting
            waiting.clear()
        if not (message.calls or message.results):
            names.append(_NO_NAMES)
            orphans.append(_NO_ORPHANS)
            continue
        # Some providers call and answer within one message.
        called |= {call.id: (place, call.name) for call in message.calls}
        waiting |= {call.id: place for call in message.calls}
        own: dict[str, str] = {}
        for result in message.results:
            waiting.pop(result.id, None)
            left.pop(result.id, None)
            if result.id in called:
                at, own[result.id] = called[result.id]
                reach[at] = max(reach[at], place)
        names.append(own)
        orphans.append(frozenset(result.id for result in message.results if result.id not in own))
    for place in waiting.values():
        reach[place] = len(messages)
    given_up: dict[int, set[str]] = {}
    for named, place in left.items():
        given_up.setdefault(place, set()).add(named)
    frozen = {place: frozenset(own) for place, own in given_up.items()}
    return Answers(tuple(reach), tuple(names), tuple(orphans), frozen)


def find_boundaries(messages: Sequence[MessageView], matched: Answers | None = None) -> list[int]:
    """Returns the places where a conversation may be cut: no call before is answered behind.

    What begins there is never a result. Places are between the first and the last message; 0 is
    none of them.
    """
    reach = (matched or match_results(messages)).reach
    found: list[int] = []
    furthest = -1
    for place, message in enumerate(messages):
        if place and furthest < place and not message.results:
            found.append(place)
        furthest = max(furthest, reach[place])
    return found


# changing


def repair(
    messages: Sequence[Raw], shown: Sequence[MessageView], matched: Answers | None = None
) -> list[Raw]:
    """Puts every result without its call, and every call without a result, into plain words.

    No provider takes them otherwise.
    """
    matched = matched or match_results(shown)
    sent = list(messages)
    for place, gone in enumerate(matched.orphans):
        if gone:
            sent[place] = _tell_orphans(sent[place], shown[place], gone)
    return _without_unanswered(sent, shown, matched)


def followed_by(messages: Sequence[Raw], message: Raw) -> list[Raw]:
    """Returns the messages and a new one, after which open calls will never have a result."""
    begins = next(
        (at for at in range(len(messages) - 1, -1, -1) if read_message(messages[at]).opens), 0
    )
    last = [*messages[begins:], message]
    shown = [read_message(one) for one in last]
    return [*messages[:begins], *_without_unanswered(last, shown, match_results(shown))]


def _without_unanswered(
    messages: Sequence[Raw], shown: Sequence[MessageView], matched: Answers
) -> list[Raw]:
    sent = list(messages)
    for place, gone in matched.given_up.items():
        sent[place] = _without_calls(sent[place], shown[place], gone)
    return sent


def _tell_orphans(message: Raw, view: MessageView, gone: frozenset[str]) -> Raw:
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    if any(_is_result(part) for part in parts):
        kept = [
            _as_text(part) if _is_result(part) and _result_id(part) in gone else part
            for part in parts
        ]
        return {**message, "content": kept}
    text = ORPHANED.format(text="\n".join(result.text for result in view.results))
    return {"role": "user", "content": text}


def _without_calls(message: Raw, view: MessageView, gone: frozenset[str]) -> Raw:
    """Returns the message with these calls put into words."""
    words = [
        {
            "type": "text",
            "text": GIVEN_UP.format(
                name=call.name or "a tool", arguments=call.arguments or "nothing"
            ),
        }
        for call in view.calls
        if call.id in gone
    ]
    if _item_role(message) is not None:
        return {"role": "assistant", "content": words[0]["text"]}
    content, calls = message.get("content"), _list(message.get("tool_calls"))
    rest = {
        name: value
        for name, value in message.items()
        if name not in ("tool_calls", "function_call")
    }
    if kept := [call for call in calls if str(call.get("id")) not in gone]:
        rest["tool_calls"] = kept
    if isinstance(content, list):
        parts = [part for part in content if not (_is_call(part) and _call_id(part) in gone)]
        return {**rest, "content": [*parts, *words]}
    said = [content] if isinstance(content, str) and content else []
    return {**rest, "content": "\n".join([*said, *(one["text"] for one in words)])}


def _is_call(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("type") in _CALLS


def _call_id(part: Raw) -> str:
    return str(part.get("call_id", part.get("id")))


def _is_result(part: object) -> bool:
    return isinstance(part, Mapping) and str(part.get("type")).endswith("tool_result")


def _is_own_result(part: object) -> bool:
    """Tells whether it is the result of a host's tool; a provider's own cannot be shortened."""
    return isinstance(part, Mapping) and part.get("type") in ("tool_result", "mcp_tool_result")


def _result_id(part: Raw) -> str:
    return str(part.get("tool_use_id", part.get("call_id")))


def _as_text(part: Raw) -> Raw:
    inside = _MessageReader()
    inside.content(part.get("content", part.get("output")))
    return {"type": "text", "text": ORPHANED.format(text="\n".join(inside.texts))}


def shorten_results(message: Raw, names: Mapping[str, str], keep: Callable[[str], int]) -> Raw:
    """Cuts each result of a tool to the characters that `keep` grants that tool.

    `names` are the tools by the ids of their calls. A picture in such a result becomes a word. A
    message that is short enough already is returned as it is.
    """
    content = message.get("content")
    if isinstance(content, list) and any(_is_result(part) for part in content):
        parts = [
            _cut_inside(part, "content", keep(names.get(_result_id(part), "")))
            if _is_own_result(part)
            else part
            for part in content
        ]
        return message if parts == content else {**message, "content": parts}
    if _item_role(message) == "tool":
        return _cut_inside(message, "output", keep(names.get(str(message.get("call_id")), "")))
    if ROLES.get(str(message.get("role"))) != "tool":
        return message
    named = str(message.get("tool_call_id") or f"{_UNNAMED}{message.get('name')}")
    return _cut_inside(message, "content", keep(names.get(named) or _text(message.get("name"))))


def _cut_inside(holder: Raw, field: str, most: int) -> Raw:
    content = holder.get(field)
    if isinstance(content, str):
        cut = _cut(content, most)
        return holder if cut == content else {**holder, field: cut}
    if not isinstance(content, list):
        return holder
    inside = _MessageReader()
    inside.content(content)
    words = [*inside.texts, *["[a picture or file]"] * inside.media]
    whole = "\n".join(words)
    if not inside.media and len(whole) <= most:
        return holder
    kind = "input_text" if field == "output" else "text"
    return {**holder, field: [{"type": kind, "text": _cut(whole, most)}]}


def _cut(text: str, most: int) -> str:
    """Cuts a text, unless saying what is missing would take as much as is saved."""
    if len(text) <= most:
        return text
    note = LEFT_OUT.format(count=len(text) - most)
    return text if len(text) <= most + len(note) else text[:most] + note
