"""Identifiers of networks and machines: mail, web, IP and MAC address, handle, file path."""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Iterator

from glymph.text.identifiers.escapes import has_escaped_at, unescape
from glymph.text.spans import Key, Span

_END = r"(?!\w|\.\w|-[\w-]{0,63}\.\w)"
LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_TOP = r"(?:xn--[A-Za-z0-9-]{2,59}|[^\W\d_]{2,24})"
_MAIL = re.compile(rf"@ ?((?:{LABEL}\.){{1,8}}{_TOP}|localhost){_END}")
_LOCAL_PART = re.compile(r"(?<![\w.+%@'-])(\w[\w.+%'-]{0,63}) ?\Z")
_SCHEME = re.compile(
    r"(?<![\w])(?:([A-Za-z][A-Za-z0-9+.-]{1,15})://|(?=[wW]{3}\.))([^\s<>\"\x00`|\\^{}]{3,2048})"
)
COMMON_TOPS = (
    "com org net edu gov mil io dev app ai biz eu uk de fr es ch nl ru jp cn xyz cloud int online "
    "shop"
).split()
_SAID_ALOUD = frozenset(
    "example test invalid info name mail email tech club live site blog news agency studio".split()
)
_BARE = re.compile(
    rf"(?<![\w@.:/%-])((?:{LABEL}\.){{1,6}}(?:{'|'.join(COMMON_TOPS)}|co\.uk|[a-z]{{2,6}}(?=/)))"
    rf"(?![\w@]|[.-]\w)((?::[0-9]{{1,5}})?(?:[/?#][^\s<>\"\x00`|\\^{{}}]{{0,2048}})?)"
)
_ASKED = re.compile(
    r"(?<![\w@.:/%-])(?P<label>(?:(?:web ?)?(?:site|page)|url|link|domain|blog|homepage|webseite"
    rf"|sitio|lien)(?: (?:is|at|of|ist))?:? [\"'<]?)?(?P<host>(?:{LABEL}\.){{1,6}}[a-z]{{2,24}})"
    r"(?![\w@]|[.-]\w)(?P<page>(?:/[^\s<>\"\x00`|\\^{}]{0,2048})?)",
    re.IGNORECASE,
)
_TOP_OR_PATH = re.compile(rf"\.(?:(?:{'|'.join(COMMON_TOPS)})(?!\w)|[a-z]{{2,6}}/)")
_HANDLE = re.compile(
    r"@(?<![\w@.+/%-]@)([^\W\d]\w{0,38}(?:[.-]\w{1,38}){0,4}|[0-9]\w{0,38}[^\W\d]\w{0,38})"
    rf"(@(?:{LABEL}\.){{1,5}}{_TOP})?(?![\w@])"
)
_V4 = re.compile(
    r"([0-9](?<![\w.].)[0-9]{0,2}\.(?:[0-9]{1,3}\.){2}[0-9]{1,3}(?:/[0-9]{1,2})?)(?!\w|[./-]\w)"
)
_V6 = re.compile(
    r"(?<![\w:.])([0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?:\.[0-9]{1,3}){0,3}(?:/[0-9]{1,3})?)"
    r"(?![\w:])"
)
_MAC = re.compile(
    r"[0-9A-Fa-f](?<![\w:.-].)[0-9A-Fa-f](?:(?::[0-9A-Fa-f]{2}){5}|(?:-[0-9A-Fa-f]{2}){5}|"
    r"[0-9A-Fa-f]{2}(?:\.[0-9A-Fa-f]{4}){2})(?![\w:-]|\.\w)"
)
_SHORT_MAC = re.compile(r"\.[0-9A-Fa-f]{4}\.")
_BARE_MAC = re.compile(r"(?<![\w:.-])[0-9A-Fa-f]{12}(?![\w:-]|\.\w)")
_SAID_WIDTH = 48
_SAID_MAC = re.compile(
    r"(?<!\w)(?:mac|bssid|(?:hardware|ethernet|physical|wi-?fi|wlan|lan|bluetooth)[ -]?addr(?:ess)?"
    r"|(?:hardware|mac|ethernet|wlan|bluetooth)-?adresse|(?:adresse|direcci[oó]n|indirizzo"
    r"|endereço) (?:mac|mat[eé]rielle|f[ií]sica|fisico|físico)|mac-?адрес|физический адрес)(?!\w)"
    r"(?:[ -](?:addr(?:ess)?|adresse|id|no\.?|nr\.?))?"
    r"(?: (?:of|von|de|di|for|für) [^.;,\n]{1,24}?)?"
    r"(?: (?:is|was|ist|war|lautet|est|es|è|reads))?[\s:=\"'(]{1,3}\Z",
    re.IGNORECASE,
)
_PATH = re.compile(
    r"(?<![\w.:~/\\@%)<+-])(?:((?:~[\w-]{0,32}"
    r"|\.{1,2})?/[\w.@+~-]{1,255}(?:/+[\w.@+~-]{1,255}){0,40}/?)"
    r"|([A-Za-z]:[\\/][\w.@+~$-]{1,255}(?:[\\/]{1,2}[\w.@+~$-]{1,255}){0,40}[\\/]?"
    r"|\\\\[\w.$-]{1,255}(?:\\[\w.@+~$-]{1,255}){1,40})"
    r"|((?:[\w@+-][\w.@+-]{0,255}/){1,40}[\w@+-]{1,255}\.[A-Za-z]\w{0,7}))(?![\w/\\])"
)
_PORTS = {"http": "80", "https": "443", "ftp": "21", "ws": "80", "wss": "443", "ssh": "22"}
_CLOSING = {")": "(", "]": "[", "}": "{"}
_ESCAPED = re.compile("%([0-9A-Fa-f]{2})")

# "alice (at) acme (dot) io", and said aloud: an English dot follows an English at.
_AT_WORDS = "at|ät|@|arobase|arroba|chiocciola|собака|собачка"
_DOT_WORDS = r"dot|punkt|point|punto|ponto|точка|\."
_NAME = r"\w[\w+-]{0,63}"


def _spoken(at: str, dot: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w.@+-])({_NAME}(?:{dot}{_NAME}){{0,3}})(?:{at})({_NAME}(?:{dot}{_NAME}){{1,4}})"
        r"(?![\w@])",
        re.IGNORECASE,
    )


_DOT = rf"(?:\.| {{0,2}}[(\[{{<] ?(?:{_DOT_WORDS}) ?[)\]}}>] {{0,2}}| (?:{_DOT_WORDS}) )"
_DOT_IN_BRACKETS = re.compile(rf"[(\[{{<](?:{_DOT_WORDS})[)\]}}>]", re.IGNORECASE)
_SPOKEN = (
    (_spoken(rf" {{0,2}}[(\[{{<] ?(?:{_AT_WORDS}) ?[)\]}}>] {{0,2}}", _DOT), False),
    (_spoken(" (?:at|@) ", r" (?:dot|\.) "), True),
    (_spoken(" (?:at|ät) ", " punkt "), True),
    (
        _spoken(" (?:arobase|arroba|chiocciola|собака|собачка) ", rf"(?:\.| (?:{_DOT_WORDS}) )"),
        False,
    ),
)
_SAID = (
    "(at", "[at", "{at", "<at", "( at", "[ at", "(ät", "[ät", "(@", "[@", " dot ", " punkt ", " @ ",
    "arob", "arroba", "chiocc", "соба",
)  # fmt: skip
_NO_OWNERS = frozenset(
    "look looks looking meet met me us is was were be been am are works work working worked him "
    "her them it you available hosted live lives site website page located find found visit arrive "
    "arrived stay staying and or there here not now then".split()
)


def webs(text: str) -> Iterator[Span]:
    """Finds web addresses with a scheme or www.

    Keys have the host in small letters and no default port, last slash or place in the page. Mail
    addresses behind the host are other readings of it.
    """
    if "://" not in text and "ww." not in text.lower():
        return
    for match in _SCHEME.finditer(text):
        body = strip_end(match[2])
        key = read_web(match[1] or "http", body)
        if key and not _DOT_IN_BRACKETS.search(body):
            end = match.start(2) + len(body)
            yield Span("url", key, match.start(), end, _list_mails_behind(body))


def _list_mails_behind(address: str) -> tuple[Key, ...]:
    """Returns the mail addresses in the page of a web address; who logs in on its host is none."""
    cut = re.search("[/?#]", address)
    page = unescape(address[cut.start() :])[0] if cut else ""
    return tuple(dict.fromkeys((one.type, one.key) for one in _find_mails(page)))


def mails(text: str) -> Iterator[Span]:
    """Finds mail addresses, with @, with an escaped one or said aloud.

    Keys are in small letters, with the domain as it is registered (IDNA).
    """
    yield from _find_mails(text)
    yield from escaped_mails(text)
    lowered = text.lower()
    if not any(said in lowered for said in _SAID):
        return
    for pattern, aloud in _SPOKEN:
        for match in pattern.finditer(text):
            local, domain = _join(match[1]), _join(match[2])
            top = domain.rpartition(".")[2]
            known = len(top) == 2 or top in COMMON_TOPS or top in _SAID_ALOUD or "." in local
            if aloud and (local in _NO_OWNERS or not known):
                continue
            yield from _mail(local, domain, match.start(), match.end())


def escaped_mails(text: str) -> Iterator[Span]:
    """Finds mail addresses with escaped signs, also inside of web addresses."""
    if not has_escaped_at(text):
        return
    plain, places = unescape(text)
    for found in _find_mails(plain):
        start, end = places[found.start], places[found.end]
        if text[start:end] != plain[found.start : found.end]:
            yield found._replace(start=start, end=end)


def _find_mails(text: str) -> Iterator[Span]:
    if "@" not in text:
        return
    for match in _MAIL.finditer(text):
        at = match.start()
        owner = _LOCAL_PART.search(text, max(0, at - 65), at)
        if owner and not (match.start(1) - owner.end(1) > 1 and owner[1].lower() in _NO_OWNERS):
            yield from _mail(owner[1], match[1], owner.start(), match.end())


def bare_webs(text: str) -> Iterator[Span]:
    """Addresses without a scheme: acme.com/jobs."""
    if _TOP_OR_PATH.search(text):
        for match in _BARE.finditer(text):
            tail = strip_end(match[2]) if match[2] else ""
            key = read_web("http", match[1] + tail)
            if key:
                yield Span("url", key, match.start(), match.start(2) + len(tail))


def asked_webs(text: str) -> Iterator[Span]:
    """Addresses without a scheme that have a page, or that a word before them says to be one."""
    for match in _ASKED.finditer(text):
        body = strip_end(match["host"] + match["page"])
        if match["label"] or match["page"]:
            start = match.start("host")
            yield Span("url", read_web("http", body), start, start + len(body))


def handles(text: str) -> Iterator[Span]:
    """@names in any script, with the server where one is given."""
    if "@" in text:
        for match in _HANDLE.finditer(text):
            server = "@" + _domain(match[2][1:]) if match[2] else ""
            yield Span("handle", _small(match[1]) + server, match.start(), match.end())


def macs(text: str) -> Iterator[Span]:
    """Finds MAC addresses, without separators where a word says what they are; keys have colons."""
    dots = text.count(".")
    if text.count(":") > 4 or text.count("-") > 4 or (dots > 1 and _SHORT_MAC.search(text)):
        for match in _MAC.finditer(text):
            yield Span("mac", _write_mac(match[0]), *match.span())
    for match in _BARE_MAC.finditer(text):
        if _SAID_MAC.search(text, max(0, match.start() - _SAID_WIDTH), match.start()):
            yield Span("mac", _write_mac(match[0]), *match.span())


def bare_macs(text: str) -> Iterator[Span]:
    """Finds what may be a MAC address without separators, whatever it is called."""
    for match in _BARE_MAC.finditer(text):
        yield Span("mac", _write_mac(match[0]), *match.span())


def _write_mac(written: str) -> str:
    return ":".join(re.findall("..", re.sub("[^0-9a-f]", "", written.lower())))


def machines(text: str) -> Iterator[Span]:
    """IP addresses and networks as `ipaddress` writes them, MAC addresses with colons."""
    colons, dots = text.count(":"), text.count(".")
    yield from macs(text)
    if dots > 2:
        for match in _V4.finditer(text):
            yield from _address(match[1], *match.span())
    if colons > 1:
        for match in _V6.finditer(text):
            if match[0].count(":") > 3 or re.search("[0-9]", match[0]):
                yield from _address(match[1], *match.span())


def paths(text: str) -> Iterator[Span]:
    """Finds file paths.

    Keys keep the case of POSIX paths but not of Windows ones, and have one slash between parts and
    none at the end.
    """
    if "/" not in text and "\\" not in text:
        return
    for match in _PATH.finditer(text):
        written = match[0].rstrip(".-")
        if match[2]:
            key = re.sub(r"[\\/]+", "/", written.replace("\\", "/")).casefold().rstrip("/")
            key = "/" + key if written.startswith("\\\\") else key
        else:
            key = re.sub(r"/(?:\./)+|/+", "/", written).removeprefix("./").rstrip("/")
        if re.search(r"[^\W\d_]", key):
            yield Span(
                "path",
                unicodedata.normalize("NFC", key),
                match.start(),
                match.start() + len(written),
            )


def _mail(local: str, domain: str, start: int, end: int) -> Iterator[Span]:
    local = _small(local).strip(".'")
    if local and ".." not in local:
        yield Span("mail", f"{local}@{_domain(domain)}", start, end)


def _address(written: str, start: int, end: int) -> Iterator[Span]:
    try:
        if "/" in written:
            yield Span("ip", str(ipaddress.ip_network(written, strict=False)), start, end)
            return
        address = ipaddress.ip_address(written)
    except ValueError:
        return
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    yield Span("ip", str(mapped or address), start, end)


def _join(said: str) -> str:
    parts = re.split(_DOT, said.lower(), flags=re.IGNORECASE)
    return ".".join(part.strip() for part in parts)


def _small(written: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", written).casefold())


def _domain(written: str) -> str:
    """A domain in small letters and ASCII, as IDNA 2008 registers it."""
    labels = unicodedata.normalize("NFKC", written).lower().strip(".").split(".")
    return ".".join(
        label if label.isascii() else "xn--" + label.encode("punycode").decode() for label in labels
    )


def read_web(scheme: str, body: str) -> str:
    """Host and what follows it; http, https and www. make no difference, another scheme does."""
    scheme = scheme.lower().replace("hxxp", "http")  # as it is written so that nobody follows it
    cut = re.search("[/?#]", body)
    authority, rest = (body[: cut.start()], body[cut.start() :]) if cut else (body, "")
    user, _, place = authority.rpartition("@")
    host, colon, port = place.rpartition(":") if re.search(":[0-9]*$", place) else (place, "", "")
    host = _domain(host).removeprefix("www.")
    if not host and scheme != "file":
        return ""
    if colon and port and port != _PORTS.get(scheme):
        host += ":" + port.lstrip("0")
    page, mark, part = rest.partition("#")
    if part.startswith(("/", "!")):
        page += mark + part  # a page of an application, not a place in a page
    page = _ESCAPED.sub(_unescape, page)
    path, question, query = page.partition("?")
    page = path.rstrip("/") + (question + query if query else "")
    prefix = "" if scheme in ("http", "https") else scheme + "://"
    return unicodedata.normalize("NFC", f"{prefix}{user + '@' if user else ''}{host}{page}")


def _unescape(match: re.Match[str]) -> str:
    char = chr(int(match[1], 16))
    return char if char.isascii() and (char.isalnum() or char in "-._~") else match[0].upper()


def strip_end(written: str) -> str:
    """An address without the marks of the sentence around it."""
    while written:
        last = written[-1]
        if last in ".,;:!?'*_…»”’" or (
            last in _CLOSING and written.count(last) > written.count(_CLOSING[last])
        ):
            written = written[:-1]
        else:
            break
    return written
