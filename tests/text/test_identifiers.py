"""Identifiers: equal whole and by type, however they are written; never by a prefix or a part."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glymph.text.identifiers import (
    aliases,
    closure,
    find_matching,
    fingerprint_forms,
    identifiers,
    keys,
    numbers,
    perhaps,
    same,
)
from tests.pace import LONG

EQUAL = [
    ("mail", "alice@acme.io", "Alice@ACME.IO"), ("mail", "alice@acme.io", "alice at acme dot io"),
    ("mail", "alice@acme.io", "alice (at) acme (dot) io"), ("mail", "alice@acme.io", "alice[at]acme[dot]io"),
    ("mail", "alice@acme.io", "ALICE AT ACME DOT IO"), ("mail", "alice@acme.io", "alice(at)acme.io"),
    ("mail", "alice@acme.io", "alice @ acme.io"), ("mail", "alice@acme.io", "alice＠acme．io"),
    ("mail", "alice@acme.io", "alice@acmе.io"), ("mail", "alice@acme.io", "al\u200bice@acme.io"),
    ("mail", "alice.smith@acme.io", "alice dot smith at acme dot io"),
    ("mail", "info@münchen.de", "info@xn--mnchen-3ya.de"),
    ("mail", "alice@acme.io", "alice arroba acme punto io"), ("mail", "alice@acme.io", "alice ät acme punkt io"),
    ("mail", "иван@почта.рф", "ИВАН@ПОЧТА.РФ"), ("mail", "josé@x.org", "jose\u0301@x.org"),
    ("phone", "+1 (555) 010-99", "+155501099"), ("phone", "+49 (0)30 123456", "+49 30 12 34 56"),
    ("phone", "0049 30 123456789", "+4930123456789"), ("phone", "+49-30-123456", "+49.30.123456"),
    ("phone", "(555) 010-9999", "555-010-9999"), ("phone", "555.010.9999", "(555) 010 9999"),
    ("phone", "030 / 123456", "030 123456"), ("phone", "06 12 34 56 78", "06.12.34.56.78"),
    ("phone", "+٤٩ ٣٠ ١٢٣٤٥٦", "+49 30 123456"), ("phone", "tel: 0301234567", "tel 030 1234567"),
    ("phone", "555-010-9999 ext. 12", "(555) 010-9999 x12"), ("phone", "+44 20 7946 0958", "+442079460958"),
    ("date", "2023-05-08", "8 May 2023"), ("date", "2023-05-08", "May 8th, 2023"),
    ("date", "2023-05-08", "08.05.2023"),
    ("date", "2023-05-08", "8. Mai 2023"), ("date", "2023-05-08", "8 mai 2023"),
    ("date", "2023-05-08", "8 de mayo de 2023"),
    ("date", "2023-05-08", "8 maggio 2023"), ("date", "2023-05-08", "8 de maio de 2023"),
    ("date", "2023-05-08", "8 мая 2023"),
    ("date", "2023-05-08", "2023/5/8"), ("date", "2023-05-08", "8th of May, 2023"),
    ("date", "2023-05-08", "May 8 2023"),
    ("date", "2023-05-08", "2023年5月8日"), ("date", "2023-05-08", "08-May-2023"),
    ("date", "2023-05-18", "5/18/2023"),
    ("date", "2023-05-18", "18/5/2023"), ("date", "5/8/2023", "05/08/2023"), ("date", "May 2023", "2023-05"),
    ("date", "mayo de 2023", "Mai 2023"), ("date", "May 8", "8 May"), ("date", "1er mai 2024", "1. Mai 2024"),
    ("date", "Q3 2023", "2023-Q3"), ("date", "2023-12-24", "24.12.23"), ("date", "5/5/2023", "5 May 2023"),
    ("time", "15:00", "3 pm"), ("time", "15:00", "3:00 p.m."), ("time", "15:00", "15h00"),
    ("time", "15:00", "15 Uhr"),
    ("time", "15:30", "15.30 Uhr"), ("time", "noon", "12:00"), ("time", "noon", "12 pm"),
    ("time", "midnight", "00:00"),
    ("time", "midnight", "12 am"), ("time", "15:00 UTC", "15:00Z"), ("time", "9:05", "09:05:00"),
    ("time", "à 15h", "15:00"),
    ("ip", "2001:DB8::1", "2001:0db8:0:0:0:0:0:1"), ("ip", "192.168.0.1", "::ffff:192.168.0.1"),
    ("ip", "10.0.0.0/8", "10.1.2.3/8"),
    ("mac", "00:1A:2B:3C:4D:5E", "00-1a-2b-3c-4d-5e"), ("mac", "00:1A:2B:3C:4D:5E", "001a.2b3c.4d5e"),
    ("url", "https://Acme.io/a", "http://www.acme.io:80/a/"), ("url", "https://acme.io", "acme.io"),
    ("url", "https://acme.io/a#top", "https://acme.io/a"),
    ("url", "https://acme.io/%7Ebob", "https://acme.io/~bob"),
    ("url", "www.acme.io/a?x=1", "(https://acme.io/a?x=1)."),
    ("url", "https://münchen.de/", "https://xn--mnchen-3ya.de"),
    ("url", "http://acme.io:8080/", "acme.io:8080"), ("path", "/etc//hosts", "/etc/hosts"),
    ("path", "/var/log/", "/var/log"),
    ("path", "C:\\Users\\Bob", "c:/users/bob"), ("path", "./src/a.py", "src/a.py"),
    ("path", "~/notes.txt", "~/notes.txt,"),
    ("code", "TKT-100", "TKT 100"), ("code", "TKT-100", "tkt100"), ("code", "TKT-100", "TKT_0100"),
    ("code", "TKT-100", "TKT/100"),
    ("code", "TKT-100", "TKT.100"), ("code", "TKT-100", "ＴＫＴ－１００"), ("code", "TKT-100", "ТКТ-100"),
    ("code", "TKT-100", "TKТ-100"),
    ("code", "TKT-100", "TKT–100"), ("code", "order no. 4711", "Bestellung Nr. 4711"),
    ("code", "order #4711", "заказ №4711"),
    ("code", "order 4711", "commande n° 4711"), ("code", "INV-2023-0042", "inv/2023/42"),
    ("code", "123-45-6789", "123456789"),
    ("code", "SN-00A1", "sn 00a1".replace(" ", "-")), ("code", "sk-6nx9owwew9", "SK-6NX9OWWEW9"),
    ("code", "#4711", "#4711."),
    ("uuid", "123E4567-E89B-12D3-A456-426614174000", "{123e4567-e89b-12d3-a456-426614174000}"),
    ("hash", "D41D8CD98F00B204E9800998ECF8427E", "d41d8cd98f00b204e9800998ecf8427e"),
    ("iban", "DE89 3704 0044 0532 0130 00", "de89370400440532013000"),
    ("iban", "GB82-WEST-1234-5698-7654-32", "GB82WEST12345698765432"),
    ("card", "4111 1111 1111 1111", "4111-1111-1111-1111"), ("card", "4111111111111111", "4111 1111 1111 1111"),
    ("version", "v1.2.3", "version 1.2.3"), ("version", "1.2.3", "V1.2.3"), ("version", "v2", "version 2"),
    ("handle", "@Alice", "@alice"), ("handle", "@Иван", "@иван"),
    ("handle", "@alice@Mastodon.social", "@ALICE@mastodon.social"),
    ("handle", "＠alice", "@alice!"), ("handle", "@太郎", "＠太郎"),
    ("quantity", "1,500 EUR", "€1500"), ("quantity", "1,500 EUR", "1.5k EUR"),
    ("quantity", "1.500 EUR", "1500 euros"),
    ("quantity", "1.500,50 €", "EUR 1,500.50"), ("quantity", "1'500 CHF", "CHF 1500"),
    ("quantity", "$2M", "2 million dollars"),
    ("quantity", "5 %", "5 percent"), ("quantity", "5%", "5 Prozent"), ("quantity", "5%", "5 por ciento"),
    ("quantity", "1.5 km", "1500 m"),
    ("quantity", "1,5 km", "1500m"), ("quantity", "2 weeks", "14 Tage"), ("quantity", "90 min", "1.5 hours"),
    ("quantity", "2 years", "24 months"), ("quantity", "-5 °C", "−5°C"), ("quantity", "2 kg", "2000 g"),
]  # fmt: skip
UNEQUAL = [
    ("alice@acme.io", "alice@acme.com"), ("alice@acme.io", "malice@acme.io"),
    ("alice@acme.io", "alice@acme.io.uk"),
    ("alice@acme.io", "alice+news@acme.io"), ("alice@acme.io", "alice@sub.acme.io"),
    ("alice@acme.io", "al.ice@acme.io"),
    ("alice@acme.io", "@alice"), ("alice@acme.io", "alice@acme.io-x.com"),
    ("alice at acme dot io", "alice at acme dot com"),
    ("+155501099", "+155501098"), ("+155501099", "+1555010999"), ("+49 30 123456", "+43 30 123456"),
    ("555-010-9999", "555-010-999"),
    ("030 123456", "040 123456"), ("+49 30 123456", "030 123456"), ("555-010-9999 x1", "555-010-9999"),
    ("2023-05-08", "2023-05-09"), ("5/8/2023", "8/5/2023"), ("5/8/2023", "2023-05-08"), ("May 8", "May 2023"),
    ("May 8, 2023", "May 8"),
    ("08.05.2023", "05.08.2023"), ("3 pm", "3 am"), ("15:00", "15:00 UTC"), ("15:00Z", "15:00+02:00"),
    ("12 am", "noon"),
    ("10.0.0.1", "10.0.0.10"), ("10.0.0.1", "10.0.0.1/8"), ("2001:db8::1", "2001:db8::10"),
    ("https://acme.io/a", "https://acme.io/ab"), ("https://acme.io/a", "https://acme.io/A"),
    ("acme.io", "acme.io:8080"),
    ("https://acme.io/#/a", "https://acme.io/#/b"), ("ftp://acme.io", "http://acme.io"),
    ("https://acme.io?a=1", "https://acme.io?a=2"),
    ("/etc/hosts", "/etc/hosts.bak"), ("/etc/hosts", "/etc"), ("/Etc/hosts", "/etc/hosts"), ("~/a.txt", "/a.txt"),
    ("TKT-100", "TKT-1000"), ("TKT-100", "TKT-10"), ("TKT-100", "XTKT-100"), ("TKT-100", "TKT-100-2"),
    ("TKT-100", "TKT-100A"),
    ("PIN 0123", "PIN 123"), ("PIN-0123", "PIN-123"), ("account 0012345", "account 12345"),
    ("A1-23", "A12-3"), ("order 4711", "invoice 4711"), ("order 4711", "order 47110"), ("0012345", "12345"),
    ("INV-2023-42", "INV-2024-42"),
    ("sk-6nx9owwew9-secret", "sk-6nx9owwew8-secret"), ("X00A1", "X0A1"), ("ЖУК-100", "TKT-100"),
    ("v1.2.3", "v1.2.30"), ("v1.2", "v1.2.0"),
    ("123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174001"), ("@alice", "@alice2"),
    ("@alice", "@alice@x.social"),
    ("d41d8cd98f00b204e9800998ecf8427e", "d41d8cd98f00b204e9800998ecf8427f"), ("@alice", "@al"),
    ("1500 EUR", "1500 USD"),
    ("1500 EUR", "15000 EUR"), ("1.500 EUR", "1.50 EUR"), ("5 %", "-5 %"), ("2 weeks", "2 months"),
    ("5 km", "5 miles"), ("5 °C", "5 °F"),
    ("DE89 3704 0044 0532 0130 00", "GB82 WEST 1234 5698 7654 32"), ("4111 1111 1111 1111", "4012 8888 8888 1881"),
]  # fmt: skip
NONE = [
    "and/or", "24/7 support", "I may 5 times", "the 3rd of them", "in the 1990s", "a 3-part story",
    "no digits here", "look at acme",
    "he met her at noontime", "1 + 1 = 2", "mid-2019", "50/50", "2019-2023", "the year 2019", "std::vector",
    "e.g. this", "Node.js",
    "km/h", "</li>", "point taken at this point", "x@", "@ home", "a:b", "3:2", "3.14", "10 20 30 40 50",
]  # fmt: skip


def only(text):
    found = identifiers(text)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(("kind", "a", "b"), EQUAL)
def test_two_writings_are_the_same(kind, a, b):
    one, other = only(a), only(b)
    assert (one.type, other.type) == (kind, kind)
    assert same(one, other), (one, other)
    assert perhaps(one, other)
    assert keys(f"It was {a} then") == keys(f"({b})") == {(one.type, one.key)}


@pytest.mark.parametrize(("a", "b"), UNEQUAL)
def test_what_differs_is_not_the_same(a, b):
    assert identifiers(a)
    assert identifiers(b)
    assert keys(a).isdisjoint(keys(b))


@pytest.mark.parametrize("text", NONE)
def test_what_names_nothing_is_no_identifier(text):
    assert identifiers(text) == ()


def test_a_text_keeps_each_of_its_identifiers():
    text = "Alice (alice@acme.io, +49 30 123456) opened TKT-100 on 8 May 2023, 15:00, from 10.0.0.1 for 1,500 EUR"
    assert [(each.type, each.key) for each in identifiers(text)] == [
        ("mail", "alice@acme.io"),
        ("phone", "+4930123456"),
        ("code", "TKT-100"),
        ("date", "2023-05-08"),
        ("time", "15:00"),
        ("ip", "10.0.0.1"),
        ("quantity", "1500 EUR"),
    ]


def test_two_codes_that_a_slash_joins_are_two():
    assert keys("TKT-100/TKT-200") == {("code", "TKT-100"), ("code", "TKT-200")}


def test_a_date_that_may_be_read_two_ways_has_both_readings():
    written = only("5/8/2023")
    assert perhaps(written, only("8 May 2023"))
    assert perhaps(written, only("5 August 2023"))
    assert not perhaps(only("8 May 2023"), only("5 August 2023"))


def test_a_phone_without_its_country_matches_if_only_one_can_be_meant():
    local, german, austrian = only("030 123456"), only("+49 30 123456"), only("+43 30 123456")
    assert find_matching(local, [german, only("+49 40 123456")]) == (german,)
    assert find_matching(local, [german, austrian]) == ()
    assert find_matching(german, [german, local]) == (german,)
    assert find_matching(only("5550109999"), [only("(555) 010-9999")])
    assert find_matching(only("123456789"), [only("SSN 123-45-6789")])
    assert find_matching(only("#4711"), [only("order 4711"), only("order 4712")])


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("three cats and 2 dogs", [3, 2]), ("twenty-five", [25]), ("two hundred", [200]),
        ("1,500.25", ["1500.25"]),
        ("-5 and 5", [-5, 5]), ("drei Katzen", [3]), ("trois chats", [3]), ("dos gatos, tres perros", [2, 3]),
        ("the 3rd", [3]),
        ("the third", [3]), ("8 May 2023", [2023, 5, 8]), ("2023-05-08", [2023, 5, 8]), ("1.5k", [1500]),
        ("½ and 10²", [10]),
        ("٣", [3]), ("BTC closed at 100", [100]), ("5-10", [5, 10]), ("nothing", []),
        ("one hundred twenty one", [100, 21]),
        ("3 and 3", [3, 3]),
    ],
)  # fmt: skip
def test_numbers_are_counted_by_value(text, values):
    assert numbers(text) == Counter(map(Decimal, values))


ALIASES = [
    ("Bob, also known as Robert Smith, lives here.", {("Bob", "Robert Smith")}),
    ("Bob aka Bobby", {("Bob", "Bobby")}),
    ("Robert (Bob) Smith", {("Robert Smith", "Bob"), ("Robert Smith", "Bob Smith")}),
    ("Bob (a.k.a. Bobby)", {("Bob", "Bobby")}),
    ('Robert "Bob" Smith', {("Robert Smith", "Bob"), ("Robert Smith", "Bob Smith")}),
    ("Bob goes by Bobby.", {("Bob", "Bobby")}),
    ("I met my wife Anna there", {("my wife", "Anna")}), ("Anna is my wife.", {("my wife", "Anna")}),
    ("Meine Frau heißt Anna", {("meine Frau", "Anna")}),
    ("Ma femme s'appelle Anne", {("ma femme", "Anne")}), ("Mi esposa se llama Ana", {("mi esposa", "Ana")}),
    ("Bob's handle is @bob", {("Bob", "@bob")}), ("Bob moved. His mail is bob@x.org.", {("Bob", "bob@x.org")}),
    ("Bob <bob@x.org> wrote", {("Bob", "bob@x.org")}), ("Bob's email: bob@x.org", {("Bob", "bob@x.org")}),
    ("My mail is bob@x.org", {("me", "bob@x.org")}),
    ("Robert, auch bekannt als Bob, kam", {("Robert", "Bob")}), ("Robert, genannt Bob, kam", {("Robert", "Bob")}),
    ("Robert est surnommé Bob", {("Robert", "Bob")}),
    ("Roberto, también conocido como Beto, vino", {("Roberto", "Beto")}),
    ("Роберт, также известный как Боб", {("Роберт", "Боб")}), ("Bob is short for Robert", {("Bob", "Robert")}),
    ("@bob is also known as Robert", {("@bob", "Robert")}),
    ("Bobs Mail ist bob@x.org", {("Bob", "bob@x.org")}), ("El correo de Bob es bob@x.org", {("Bob", "bob@x.org")}),
    ("Is Bob also known as Rob?", set()), ("Bob is not known as Rob.", set()), ("Bob and Anna met.", set()),
    ("my friend Anna", set()),
    ("Paris (France)", set()), ("Bob and Tom met. His mail is bob@x.org", set()), ("the alias command", set()),
    ("Anna is not my wife.", set()),
]  # fmt: skip


@pytest.mark.parametrize(("text", "pairs"), ALIASES)
def test_stated_aliases_are_found(text, pairs):
    assert set(aliases(text)) == pairs


def test_aliases_close_over_each_other():
    known = closure([("Bob", "Robert Smith"), ("robert smith", "bob@x.org"), ("Anna", "my wife")])
    assert known.of("BOB") == {"BOB", "Bob", "Robert Smith", "robert smith", "bob@x.org"}
    assert known.one("bob@x.org", "Bob")
    assert not known.one("Bob", "Anna")
    assert known.of("Tom") == {"Tom"}


SAME_FORM = [
    ("Call +1 (555) 010-99 now!", "call +155501099 now"), ("TKT-100 is open", "tkt 100 is OPEN."),
    ("I LIVE in\nBerlin", "i live in Berlin"),
    ("He said “no”, twice", 'he said "no" twice'), ("Mail Alice@acme.io", "mail alice (at) acme (dot) io"),
    ("Don't go", "DONT GO"),
    ("born 8 May 2023", "Born 2023-05-08"), ("It cost 1,500 EUR", "it cost €1500"), ("Ｆull width", "full width"),
    ("cafe\u0301", "CAFÉ"),
    ("a well-known fact", "A well known fact"),
    ("IBAN DE89370400440532013000", "iban DE89 3704 0044 0532 0130 00"),
    ("1,000 people", "1000 people"), ("so\u00adft", "soft"),
]  # fmt: skip
OTHER_FORM = [
    ("It is not open", "It is open"), ("I have 5 cats", "I have 6 cats"), ("Bob lives here", "Rob lives here"),
    ("TKT-100 is open", "TKT-1000 is open"),
    ("it is -5", "it is 5"), ("3.5 of them", "35 of them"), ("3 5", "3.5"), ("Ana's car", "Anas car"),
    ("I like C", "I like C++"), ("uses C#", "uses C"),
    ("don't go", "do go"), ("alice@acme.io", "alice@acme.com"), ("Peña called", "Pena called"), ("👍", "👎"),
    ("10² cells", "102 cells"),
    ("8 May 2023", "9 May 2023"), ("5 EUR", "5 USD"), ("agent 007", "agent 7"), ("a < b", "a > b"),
    ("er kommt nicht", "er kommt"), ("5%", "5"),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b"), SAME_FORM)
def test_trivial_rewording_shares_a_form(a, b):
    assert not set(fingerprint_forms(a)).isdisjoint(fingerprint_forms(b))


@pytest.mark.parametrize(("a", "b"), OTHER_FORM)
def test_another_number_name_or_negation_shares_none(a, b):
    assert set(fingerprint_forms(a)).isdisjoint(fingerprint_forms(b))


WRITTEN = [text for _, a, b in EQUAL for text in (a, b)] + [
    text for pair in UNEQUAL for text in pair
]
MARKS = st.text("ab1290 @.,:;+-_/\\()[]#%$€'\"éЖа٣東\u200b\u0301", max_size=60)
TEXTS = st.one_of(
    st.text(max_size=80),
    MARKS,
    st.lists(st.sampled_from([*WRITTEN, " ", ", ", "-", "x", "."]), max_size=6).map("".join),
)


@given(TEXTS)
def test_any_text_can_be_read_and_every_span_lies_in_it(text):
    found = identifiers(text)
    for each in found:
        assert 0 <= each.start < each.end <= len(text)
        assert text[each.start : each.end] == each.text
        assert each.type
        assert each.key
    assert all(one.end <= other.start for one, other in pairwise(found))
    numbers(text)
    aliases(text)
    assert fingerprint_forms(text)


@given(TEXTS)
def test_case_and_spacing_never_change_every_form(text):
    changed = f" {text.casefold()}\n".replace(" ", "  ")
    assert not set(fingerprint_forms(text)).isdisjoint(fingerprint_forms(changed))


@given(st.lists(st.sampled_from(WRITTEN), min_size=3, max_size=3))
def test_being_the_same_is_an_equivalence(texts):
    found = [each for text in texts for each in identifiers(text)]
    assert all(same(each, each) for each in found)
    for one, other in combinations(found, 2):
        assert same(one, other) == same(other, one)
        for third in found:
            assert not (same(one, other) and same(other, third)) or same(one, third)


STANDING_ALONE = {"mail", "url", "ip", "mac", "path", "uuid", "hash", "iban", "card"}


ALONE = [a for kind, a, _ in EQUAL if kind in STANDING_ALONE]


@pytest.mark.parametrize("text", [*ALONE, "+1 (555) 010-99", "tkt_0100"])
def test_a_key_is_its_own_identifier(text):
    found = only(text)
    assert keys(found.key) == {(found.type, found.key)}


@given(
    st.sampled_from(["TKT-", "alice@acme.", "/var/log/", "@bob", "+49 30 "]),
    st.integers(1000, 99999),
)
def test_nothing_is_found_inside_something_longer(prefix, number):
    ending = "com" if prefix.startswith("alice") else str(number)
    short, long = (
        f"{prefix}{ending}",
        f"{prefix}{ending}{'x' if prefix.startswith('alice') else '7'}",
    )
    assert keys(short).isdisjoint(keys(long))


HOSTILE = [
    "a", "1", "@", "a@", "a.", "1-", "1 ", "a at ", "(", "+1", "/a", "\\a", "::", "http://", "www.", "x)",
    "é@", "аa", "1,000", "A1-", "May 1", "8 de ", "Bob (", "Bob aka ", "my wife ", "Bob's mail ", "a\u0301",
    "\u200b", "TKT 1 ", "DE89 ", "@a.", "a(at)", "twenty-", "0:", '"a ', "C:\\", "+a", "a_", "a+", "x" * 64 + "@",
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_hostile_text_is_read_to_its_end(unit):
    text = unit * (LONG // len(unit))
    assert all(text[one.start : one.end] == one.text for one in identifiers(text))
    assert all(a and b and a != b for a, b in aliases(text))
