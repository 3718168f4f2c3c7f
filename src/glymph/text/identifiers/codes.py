"""Numbers that name things: phones, cards, accounts, tickets, serials, hashes, versions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from glymph.text.identifiers.groups import is_personal
from glymph.text.identifiers.ibans import ibans
from glymph.text.normal import STOP_WORDS
from glymph.text.numbers import passes_luhn
from glymph.text.scripts import look_alike_latin
from glymph.text.spans import Key, Span

LONGEST = 128  # characters of a code; what is longer is data

_UUID = re.compile(
    r"([0-9A-Fa-f](?<![\w-].)[0-9A-Fa-f]{7}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})(?![\w-])"
)
_HASH = re.compile(
    r"((?:[0-9A-Fa-f](?<![\w-].)|(?<=(?<!\w)0x)[0-9A-Fa-f])[0-9A-Fa-f]{31,127})(?![\w-])"
)
_VERSION_TAIL = r"(?![0-9])(?:[-+][0-9A-Za-z.-]{1,32}\b)?)(?!\w|[./]\w)"
_VERSION = re.compile(
    r"[vV](?<![\w.,/-].)(?:er\. ?|ersi[oó]n[ae]? )?([0-9]{1,9}(?:\.[0-9]{1,9}){0,4}" + _VERSION_TAIL
)
_DOTTED = re.compile(r"([0-9](?<![\w.,/+-].)[0-9]{0,8}(?:\.[0-9]{1,9}){2,4}" + _VERSION_TAIL)
_RUN = re.compile(
    r"[+(0-9](?<![\w.,/+-].)(?<!\w\(.)(?:(?<=\+) ?(?:\( ?)?[0-9]"
    r"|(?<=\()(?=\+?[0-9]{1,5}\))\+?[0-9]|(?<=[0-9]))(?:[ ()./-]{0,3}[0-9]){4,23}(?: ?(?:ext\.?"
    r"|extension|Durchwahl|DW|poste|x) ?(?P<inner>[0-9]{1,6}))?(?![\w]|[.,][0-9])"
)
_LETTERED = re.compile(r"[-/][A-Z]{1,4}(?![\w-])")  # behind a number that is half of a code
_DIGIT = re.compile("[0-9]")
_LETTER = re.compile(r"[^\W\d_]")
_JOINTS = re.compile("[-_/.# ]")
_ITEM = re.compile(r"[^\W\d_]+[-_.]?[0-9]+")
_CHUNK = re.compile(r"[0-9]+(?:[-./][0-9]+)*")
_FEWEST_DIGITS = 8  # of a code that proves itself; a hash with fewer does not occur
_GROUPS = re.compile("[0-9]+")
_CALLED = re.compile(
    r"(?<![^\W\d_])(?:(?:tele?)?phone?s?|tel|telefon\w*|téléphone|teléfono|telefone|call(?:ed|s"
    r"|ing)?|mobile?|cell|fax|whatsapp|sms|text(?:ed)?|dial(?:led)?|ring|handy\w*|nummer|móvil"
    r"|celular|cellulare|portable|тел\w*|звони\w*|numéro|anrufen"
    r"|rückruf)(?![^\W\d_])[^0-9\n\x00]{0,24}$",
    re.IGNORECASE,
)
_LOCAL = re.compile(  # the ways to write a local number that nothing else is written in
    r"\([0-9]{2,5}\) ?[0-9][0-9 /-]{3,12}[0-9]|[0-9]{3}[-. ][0-9]{3}[-. ][0-9]{4}"
    r"|1[-. ][0-9]{3}[-. ][0-9]{3}[-. ][0-9]{4}|[2-9][0-9]{2}-[0-9]{4}|0[1-9](?:[ .-][0-9]{2}){4}"
    r"|0[1-9][0-9]{1,4}[ /-]{1,3}[0-9]{3,9}(?:[ -][0-9]{2,6}){0,3}"
)
_TOKEN = re.compile(
    r"(?:#(?=[0-9]))?[^\W_]+(?:(?:[-_/#]|\.(?=[0-9])|(?<=[0-9])\.)[^\W_]+)*+(?![\w\x00])"
)
_OUTSIDE = re.compile(r"[^\w./#-]")  # of a token
_NUMBERED = re.compile(
    r"[0-9](?<![^\W_].)(?<![.,/-].)[0-9]*(?:[-/][0-9]+){0,4}(?![\w]|[-./,:%][\w]|%)"
)
_LABEL_BEFORE = re.compile(
    r"(?<![\w-])(?P<label>[^\W\d_]{2,14})(?P<word>(?: (?:id|ID|Id))?(?: ?(?:no|nr|num|number"
    r"|nummer|numéro|número|numero|номер|No|Nr|Number|Nummer)(?!\w)\.?)?(?: ?(?:[#№]"
    r"|[nN][°º]))?[:=]?)(?: is)? ?\Z"
)
_LABEL_WIDTH = 34
_FEWEST_ALONE = 5  # digits in a row that are a name by themselves
_SHORTEST_ALONE = 4  # digits; a number with more may be a name without a label
_EXACT = frozenset(
    "PIN OTP ACCOUNT PASSPORT SERIAL PATIENT BADGE ID SSN SN".split()
)  # zeros in front count
_NOTHING = re.compile(
    r"[0-9]+(?:st|nd|rd|th|er|re|ème|eme|º|ª|'s)|[0-9]{1,4}[esxX]"  # of more digits: a number
    r"|[0-9]+(?:-[a-zà-ÿ]{2,})+|[0-9]{1,4}(?:-[a-zà-ÿ]+)+",
    re.UNICODE,
)
_YEARS = re.compile(r"(?:1[5-9]|20)[0-9]{2}[-/](?:(?:1[5-9]|20)[0-9]{2}|[0-9]{2})")
_ABOUT = frozenset("mid pre post early late ca since".split())
_PARTS = re.compile(r"[0-9]+|[^\W\d_]+|[^\W]")
_LABELS = {
    name: label
    for label, names in {
        "TICKET": "ticket tickets тикет",
        "ORDER": "order orders bestellung auftrag commande pedido ordine encomenda заказ",
        "INVOICE": "invoice rechnung facture factura fattura fatura счёт счет inv",
        "CASE": "case fall dossier caso дело",
        "ACCOUNT": "account konto compte cuenta conto conta acct счета", "ISSUE": "issue bug",
        "CUSTOMER": "customer client kunde cliente kundennummer клиент",
        "BOOKING": "booking buchung réservation reserva",
        "CONTRACT": "contract vertrag contrat contrato contratto договор",
        "SERIAL": "serial seriennummer",
        "PASSPORT": "passport reisepass passeport pasaporte passaporto паспорт",
        "PATIENT": "patient", "USER": "user", "EMPLOYEE": "employee", "PIN": "pin", "OTP": "otp",
        "ROOM": "room zimmer", "FLIGHT": "flight", "REF": "ref reference", "POLICY": "policy",
        "PR": "pr", "MEMBER": "member", "BADGE": "badge", "ID": "id",
    }.items()
    for name in names.split()
}  # fmt: skip
_COUNTRIES_OF_TWO = frozenset(
    "20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 "
    "65 66 81 82 84 86 90 91 92 93 94 95 98".split()
)


def find_marked(text: str) -> Iterator[Span]:
    """Codes that prove themselves: UUIDs, hashes, account numbers (IBAN)."""
    if len(_DIGIT.findall(text)) < _FEWEST_DIGITS:
        return
    for match in _UUID.finditer(text):
        key = match[1].lower()
        yield Span("uuid", key, *match.span(1), (("hash", key.replace("-", "")),))
    for match in _HASH.finditer(text):
        key = match[1].lower()
        if not key.isdigit():
            yield Span("hash", key, *match.span())
    yield from ibans(text)


def versions(text: str) -> Iterator[Span]:
    """Versions: v1.2.3, version 2, 1.2.3-beta."""
    for pattern in (_VERSION, _DOTTED) if text.count(".") > 1 else (_VERSION,):
        for match in pattern.finditer(text):
            written = match[1].rstrip(".-")
            if _LOCAL.fullmatch(match[0]) or (pattern is _DOTTED and is_personal(written)):
                continue
            yield Span("version", written.lower(), match.start(), match.start(1) + len(written))


def digit_runs(text: str) -> Iterator[Span]:
    """Phones, cards and other names made of digits, however they are grouped."""
    for match in _RUN.finditer(text):
        if match[0][0] in "+(":
            yield from _international(match)
            continue
        written = _outer(match)
        if " " not in written and _LETTERED.match(text, match.end()):
            continue  # 770093-PT
        digits = "".join(_GROUPS.findall(written))
        if digits.startswith("00") and len(digits) > 10 and digits[2] != "0":
            yield _phone("+" + _without_trunk(written)[2:], match, match.end())
        elif _card(written, digits):
            yield Span("card", digits, *match.span())
        elif _is_dialled(match, written, digits):
            yield _phone(digits, match, match.end())
        else:
            yield from _chunks(match)


def find_labelled(text: str) -> Iterator[Span]:
    """Numbers that a word before them makes a name: order no. 4711, Bestellung 4711, TKT 100."""
    for match in _NUMBERED.finditer(text):
        start, written = match.start(), match[0]
        before = _LABEL_BEFORE.search(text, max(0, start - _LABEL_WIDTH), start)
        if before is None or before.end() == before.end("label") or _LOCAL.fullmatch(written):
            continue
        prefix, number = before["label"], written.replace("/", "-")
        label = _LABELS.get(prefix.lower())
        if label:
            if len(written) > 2 or before["word"]:
                short = number if label in _EXACT else _short(number)
                others = _without_label(number, short)
                yield Span("code", f"{label}-{short}", before.start(), match.end(), others)
        elif _capitals(prefix) and text[before.end("label") : start] == " ":
            found = _code(f"{prefix}-{number}", before.start(), match.end())
            yield found._replace(
                others=_without_label(number) if len(number) > _SHORTEST_ALONE else ()
            )


def is_other_label(one: str, other: str) -> bool:
    """Returns whether two keys name their numbers as different things: an order, an invoice."""
    first, second = one.partition("-")[0], other.partition("-")[0]
    known = set(_LABELS.values())
    return first != second and first in known and second in known


def _without_label(*numbers: str) -> tuple[Key, ...]:
    """The readings of a labelled number when its label is left out."""
    return tuple(("code", each) for each in dict.fromkeys([*numbers, numbers[0].replace("-", "")]))


def _capitals(prefix: str) -> bool:
    """Returns whether a word in capitals is the first part of a code.

    A common word is not, nor is one that says phone.
    """
    return (
        prefix.isupper()
        and len(prefix) < 9
        and prefix.lower() not in STOP_WORDS
        and not _CALLED.search(prefix)
    )


def codes(text: str) -> Iterator[Span]:
    """Letters and digits in one token that name something: TKT-0100, sk-6nx9, A/2023/17."""
    at = 0
    for digit in _DIGIT.finditer(text):
        if digit.start() < at:
            continue
        # Back to where the token begins; one that is too long to be a code is passed over whole.
        start = digit.start()
        while (
            start > at and digit.start() - start <= LONGEST and not _OUTSIDE.match(text, start - 1)
        ):
            start -= 1
        following = _OUTSIDE.search(text, digit.start())
        at = following.start() if following else len(text)
        if digit.start() - start <= LONGEST:
            for match in _TOKEN.finditer(text, start, at):
                if match.end() == at or text[match.end()] != "\x00":
                    yield from _token(match[0], match.start())


def _token(token: str, start: int) -> Iterator[Span]:
    if len(token) > LONGEST or token.isalpha() or not _DIGIT.search(token):
        return
    if len(token) < _FEWEST_ALONE and token.isdecimal():
        return
    if token.startswith("#"):
        yield Span("code", token[1:], start, start + len(token))
        return
    if not _LETTER.search(token):
        groups = _GROUPS.findall(token)
        size = sum(map(len, groups))
        fewest = {1: _FEWEST_ALONE, 2: 7}.get(len(groups), 6)
        if size >= fewest and not _YEARS.fullmatch(token):
            yield Span("code", "".join(groups), start, start + len(token))
        return
    if _NOTHING.fullmatch(token) or re.split("[-_/.]", token, maxsplit=1)[0].lower() in _ABOUT:
        return
    parts = token.split("/")
    if len(parts) > 1 and all(map(_ITEM.fullmatch, parts)):
        for part in parts:
            yield _code(part, start, start + len(part))
            start += len(part) + 1
        return
    yield _code(token, start, start + len(token))


def _code(written: str, start: int, end: int) -> Span:
    """A code as its runs of letters and of digits: where they part is kept, what parts them is not.

    Zeros in front go where the digits are all of what stands between two separators or follow the
    only letters.
    """
    parts: list[str] = []
    for segment in _JOINTS.split(written):
        runs = _PARTS.findall(segment)
        alone = len(runs) == 1 and len(parts) > 0
        counted = len(runs) == 2 and runs[1].isdecimal()
        for at, run in enumerate(runs):
            shorten = (
                run.isdecimal() and (alone or (counted and at == 1)) and parts[0] not in _EXACT
            )
            parts.append(_short(run) if shorten else look_alike_latin(run.upper()))
    return Span("code", "-".join(parts), start, end)


def _short(digits: str) -> str:
    return "-".join(part.lstrip("0") or "0" for part in digits.split("-"))


def _international(match: re.Match[str]) -> Iterator[Span]:
    end, written = match.end(), match[0]
    if "+" not in written[:2]:  # (555) 010-9999
        outer = _outer(match)
        digits = "".join(_GROUPS.findall(outer))
        if _is_dialled(match, outer, digits):
            yield _phone(digits, match, end)
        else:
            yield from _chunks(match)
        return
    while not match["inner"] and " " in written:
        digits = "".join(_GROUPS.findall(written))
        head, _, last = written.rpartition(" ")
        if len(digits) > 15 or (len(last) == 1 and len(digits) > 8):
            end, written = end - len(last) - 1, head
        else:
            break
    digits = _without_trunk(_outer(match) if match["inner"] else written)
    if 7 <= len(digits) <= 15:
        yield _phone("+" + digits, match, end)


def _phone(digits: str, match: re.Match[str], end: int) -> Span:
    """A phone by its digits; without the country it is another reading of the same."""
    inner = match["inner"]
    tail = f"x{inner}" if inner else ""
    others: list[Key] = []
    national = _national(digits)
    if national and national != digits:
        others.append(("phone", national + tail))
    if not tail and not digits.startswith("+"):
        others.append(("code", digits))
    return Span("phone", digits + tail, match.start(), end, tuple(others))


def _national(digits: str) -> str:
    """The digits within the country, without the 0 that is dialled before them."""
    if not digits.startswith("+"):
        if len(digits) == 11 and digits[0] == "1":
            return digits[1:]
        return digits.lstrip("0")
    rest = digits[1:]
    size = 1 if rest[0] in "17" else 2 if rest[:2] in _COUNTRIES_OF_TWO else 3
    return rest[size:].lstrip("0")


def _without_trunk(written: str) -> str:
    """The digits, without the (0) that is dialled only inside the country."""
    return "".join(_GROUPS.findall(re.sub(r"\( ?0 ?\)", "", written)))


def _outer(match: re.Match[str]) -> str:
    """The number without its extension."""
    written = match[0]
    if not match["inner"]:
        return written
    return re.sub(r"[^0-9)]+\Z", "", written[: match.start("inner") - match.start()])


def _is_dialled(match: re.Match[str], written: str, digits: str) -> bool:
    """Returns whether a number without country is one to call.

    Its shape tells, or the words before it say so.
    """
    if len(digits) < 7 or written.count("(") > 1:
        return False
    return _LOCAL.fullmatch(written) is not None or _is_called(match.string, match)


def _is_called(text: str, match: re.Match[str]) -> bool:
    """Returns whether the words before say that this is a number to call."""
    return _CALLED.search(text[max(0, match.start() - 40) : match.start()]) is not None


def _card(written: str, digits: str) -> bool:
    """Returns whether this is written like a payment card and its check digit holds."""
    groups = [len(group) for group in _GROUPS.findall(written)]
    shaped = (
        len(groups) == 1
        or groups[:-1] == [4] * (len(groups) - 1)
        or groups in ([4, 6, 5], [4, 6, 4])
    )
    if not 13 <= len(digits) <= 19 or not shaped or set(written) & set("()./"):
        return False
    return passes_luhn(digits) and len(set(digits)) > 1


def _chunks(match: re.Match[str]) -> Iterator[Span]:
    """The parts of a run of digits that are names by themselves; short ones stay numbers."""
    written, start = match[0], match.start()
    groups = [len(group) for group in _GROUPS.findall(written)]
    if (
        set(written) <= set("0123456789 ")
        and written.count(" ") == len(groups) - 1
        and len(groups) > 1
    ):
        whole = sum(groups)
        if (min(groups) > 2 and 7 <= whole <= 19 and len(groups) > 2) or groups == [3, 2, 4]:
            yield _digits(written.replace(" ", ""), *match.span())
            return
    for chunk in _CHUNK.finditer(written):
        yield from (
            _digits(found.key, found.start, found.end)
            for found in _token(chunk[0], start + chunk.start())
        )


def _digits(digits: str, start: int, end: int) -> Span:
    if not 7 <= len(digits) <= 15:
        return Span("code", digits, start, end)
    readings = dict.fromkeys([digits, _national(digits), "+" + digits.removeprefix("00")])
    return Span(
        "code", digits, start, end, tuple(("phone", reading) for reading in readings if reading)
    )
