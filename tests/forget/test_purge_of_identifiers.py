"""A purge by an identifier reaches it in every writing, nothing else, and keeps it out."""

from __future__ import annotations

import pytest

from glymph.text.quotes import Quotes

ADDRESSES = (
    "name%40host.example", "name&#64;host.example", "name&commat;host.example", "mailto:name@host.example",
    "mailto:name%40host.example?subject=Hi", "https://x.example/unsub?mail=name@host.example&b=1",
    "https://x.example/unsub?mail=name%40host.example", "www.x.example/u/name@host.example",
)  # fmt: skip


def purge(glymph, request, *texts):
    """Returns those of the texts that a purge leaves."""
    for text in texts:
        glymph.add(text, kind="note")
    done = glymph.forget(request, mode="purge", apply=True)
    left = {one.text for one in glymph.list()}
    return [text for text in texts if text in left], done


@pytest.mark.parametrize(
    ("request_", "gone", "kept"),
    [
        ("AB 12 34 56 C", ["Bob's NINO is AB 12 34 56 C", "Bob AB123456C"], ["Gate AB 12 is closed until May"]),
        ("京A·12345", ["王芳的车牌是京A·12345", "京A12345违停"], ["订单 12345 已发货", "沪A12345 停在门口"]),
        ("850730 03328", ["PESEL Ewy: 85073003328"], ["The post code is 03328", "Room 850730 is locked"]),
        ("1 85 05 78 006 084 36", ["Luc 185057800608436", "sécu 1 85 05 78 006 084 36"], ["Order 85 05 78 came"]),
        ("11010519491231002X", ["王芳的身份证号是11010519491231002X"], ["110105 是朝阳区的代码"]),
        ("123.456.789-09", ["O CPF da Ana é 123.456.789-09", "Ana CPF 12345678909"], ["Tool 123.456.789 came out"]),
        ("the car 34 KRB 719", ["Murat drives 34KRB719", "34 KRB 719 is parked here"], ["Form KRB 719 is due"]),
        ("name@host.example", [f"Zoe: {one}" for one in ADDRESSES], ["Zoe: other.name%40host.example", "See host.example"]),
        ("name%40host.example", ["Zoe: name@host.example"], ["Zoe: name@host.example.org"]),
        ("aa:bb:cc:dd:ee:ff", ["Zoe's MAC is aabbccddeeff", "aabbccddeeff is new", "aa-bb-cc-dd-ee-ff"], ["aabbccddeef0 is new"]),
        ("MAC aabbccddeeff", ["aa:bb:cc:dd:ee:ff is new", "hardware address AABBCCDDEEFF"], ["MAC aabbccddeef0"]),
        ("3c22fb1a9d07", ["MAC 3C:22:FB:1A:9D:07", "3c22fb1a9d07 is new"], ["3c22fb1a9d08 is new"]),
        ("34 AB 1234", ["Emre'nin plakası 34 AB 1234", "34AB1234 burada"], ["Form AB 1234 is due"]),
    ],
)  # fmt: skip
def test_a_purge_is_of_the_whole_identifier(glymph, request_, gone, kept):
    left, done = purge(glymph, request_, *gone, *kept)
    assert left == kept
    assert done.certificate.complete


@pytest.mark.parametrize(
    ("request_", "said", "refused", "taken"),
    [
        ("AB 12 34 56 C", "Bob's NINO is AB 12 34 56 C", ["AB123456C", "payroll AB 12 34 56 C"], ["Gate AB 12 is shut"]),
        ("HH-AB 123", "Kennzeichen HH-AB 123", ["HH-AB 123 steht da", "HH AB 123", "HHAB123"], ["HH-AC 123 parkt"]),
        ("KA 01 AB 1234", "Ravi's car is KA 01 AB 1234", ["KA01AB1234"], ["KA01AB1235 is here"]),
        ("123.456.789-09", "O CPF da Ana é 123.456.789-09", ["CPF: 12345678909"], ["CPF: 12345678910"]),
        ("3C:22:FB:1A:9D:07", "Zoe's laptop has MAC 3C:22:FB:1A:9D:07", ["3c22fb1a9d07"], ["3c22fb1a9d08"]),
        ("name@host.example", "Zoe: name@host.example", ADDRESSES, ["other.name%40host.example", "https://x.example/?m=a@b.example"]),
        ("name%40host.example", "Zoe: name%40host.example", ["name@host.example", *ADDRESSES], ["name%40host.example.org"]),
        ("aa:bb:cc:dd:ee:ff", "Zoe has aa:bb:cc:dd:ee:ff", ["MAC aabbccddeeff", "aabbccddeeff is new"], ["aabbccddeef0"]),
        ("MAC aabbccddeeff", "The MAC is aabbccddeeff", ["aa:bb:cc:dd:ee:ff", "aabbccddeeff"], ["aa:bb:cc:dd:ee:f0"]),
        ("aabbccddeeff", "MAC aa:bb:cc:dd:ee:ff", ["aa-bb-cc-dd-ee-ff", "MAC aabbccddeeff"], ["aa:bb:cc:dd:ee:f0"]),
        ("the car 34 KRB 719", "Murat drives 34KRB719", ["34 KRB 719", "34-KRB-719"], ["Form KRB 719", "35KRB719"]),
        ("https://x.example/?m=a@b.example", "See https://x.example/?m=a@b.example", ["https://x.example/?m=a@b.example"],
         ["Zoe: a@b.example"]),
        ("京A·12345", "王芳的车牌是京A·12345", ["京A12345 违停"], ["订单 12345 已发货", "沪A12345 违停"]),
        ("1 85 05 78 006 084 36", "Luc: 1 85 05 78 006 084 36", ["185057800608436"], ["sécu 185057800608437"]),
    ],
)  # fmt: skip
def test_what_a_request_names_is_not_taken_in_again(glymph, request_, said, refused, taken):
    purge(glymph, request_, said)
    assert [text for text in refused if not glymph.add(text, kind="note").refused] == []
    assert [text for text in taken if glymph.add(text, kind="note").refused] == []


def test_an_escaped_address_is_found_in_a_large_space(glymph):
    glymph.add_many([f"Note {number} is about the garden" for number in range(300)])
    said = [glymph.add(f"Zoe: {one}", kind="note").id for one in ADDRESSES]
    done = glymph.forget("name@host.example", mode="purge", apply=True)
    assert sorted(done.succeeded) == sorted(said)


def test_an_image_without_a_word_is_not_read_for_an_identifier(glymph, clock):
    one = glymph.add("The ferry to Hvar leaves at nine.").id
    for _ in range(5):
        clock.advance(days=2)
        glymph.reinforce([one])
    quotes = Quotes((), also=lambda text: True)

    def read():
        with glymph.context.reading() as reader:
            return [image for _, key, image in reader._read_images(quotes)]

    used = read()
    glymph.update(one, text="The ferry to Hvar leaves at ten.")
    assert not any('"access_count"' in image and '":"' not in image for image in used)
    assert any("leaves at nine" in image for image in read())
    assert len(read()) > len(used)


@pytest.mark.parametrize(
    "said",
    [
        "four nine two nine one two three four five six seven eight nine zero one two",
        "vier neun zwei neun eins zwei drei vier fünf sechs sieben acht neun null eins zwei",
        "四九二九一二三四五六七八九〇一二",
    ],
)
def test_a_number_said_digit_by_digit_is_kept_out_as_well(glymph, said):
    purge(glymph, "4929 1234 5678 9012", "Zoe pays with 4929 1234 5678 9012")
    assert glymph.add(f"The number is {said}", kind="note").refused
    other = said.rpartition(" ")[0] or said[:-1]
    assert not glymph.add(f"The number is {other}", kind="note").refused
