"""An identifier in groups is one: no request is read as one of its groups."""

from __future__ import annotations

import pytest

from glymph.text.identifiers import identifiers
from glymph.text.identifiers.asked import asked_identifiers


def read(request):
    return [(one.type, one.key) for one in asked_identifiers(request)]


@pytest.mark.parametrize(
    ("request_", "kind", "key"),
    [
        ("AB 12 34 56 C", "code", "AB123456C"), ("the NINO AB 12 34 56 C", "code", "AB123456C"),
        ("Bob's number is AB 12 34 56 C", "code", "AB123456C"), ("GB 999 9999 73", "code", "GB999999973"),
        ("1 85 05 78 006 084 36", "code", "185057800608436"), ("86 095 742 719", "code", "86095742719"),
        ("850730 03328", "code", "85073003328"), ("110105 19491231 002X", "code", "11010519491231002X"),
        ("300785-123A", "code", "300785123A"), ("12.345.678-k", "code", "12345678K"), ("12345678-z", "code", "12345678Z"), ("12345678S", "code", "12345678S"),
        ("RSSMRA 85T10 A562S", "code", "RSSMRA85T10A562S"), ("A123456(3)", "code", "A1234563"),
        ("34 AB 1234", "plate", "34AB1234"), ("A 123 BC 77", "code", "A123BC77"), ("А123ВС 77", "code", "A123BC77"),
        ("12가 3456", "code", "12가3456"), ("京A·12345", "plate", "京A12345"), ("删除粤B·D12345", "plate", "粤BD12345"),
        ("品川 300 あ 12-34", "plate", "品川300あ1234"), ("115.0.5790.170", "code", "11505790170"),
    ],
)  # fmt: skip
def test_groups_in_a_row_are_one(request_, kind, key):
    assert read(request_) == [(kind, key)]


@pytest.mark.parametrize(
    ("request_", "keys"),
    [
        ("TKT-100 TKT-200", ["TKT-100", "TKT-200"]), ("TKT-100/TKT-200", ["TKT-100", "TKT-200"]),
        ("ticket TKT-100 2 times", ["TKT-100"]), ("IBAN DE44 5001 0517 5407 3249 31", ["DE44500105175407324931"]),
        ("VIN 1HGCM82633A004352", ["1-HGCM-82633-A-004352"]), ("CPF 123.456.789-09", ["12345678909"]),
        ("2023-05-08 10:00 TKT-100", ["2023-05-08", "10:00", "TKT-100"]), ("10.05.2023 14", ["2023-05-10"]),
        ("my 2023 BMW", []), ("1.2.3", ["1.2.3"]), ("room 12", []), ("the scores 12 15 18 20", []),
    ],
)  # fmt: skip
def test_lists_labels_dates_and_counts_are_no_groups(request_, keys):
    assert [key for _, key in read(request_)] == keys


@pytest.mark.parametrize(
    ("text", "kind", "key"),
    [
        ("身份证号是11010519491231002X", "code", "11010519491231002-X"), ("Mi DNI es 12345678E.", "code", "12345678-E"),
        ("CPF 123.456.789-09", "code", "12345678909"), ("AHV 756.9217.0769.85", "code", "7569217076985"),
        ("rijksregister 85.07.30-033.28", "code", "85073003328"), ("cédula 1.234.567-8", "code", "12345678"),
        ("Chrome 115.0.5790.170", "version", "115.0.5790.170"), ("build 10.0.19041.1288", "version", "10.0.19041.1288"),
    ],
)  # fmt: skip
def test_long_numbers_of_persons_are_codes_and_versions_stay_versions(text, kind, key):
    assert [(one.type, one.key) for one in identifiers(text)][-1] == (kind, key)


@pytest.mark.parametrize("text", ["2x faster", "the 1990s", "le 3e étage", "the 12345th visitor"])
def test_multipliers_decades_and_ordinals_are_none(text):
    assert not [one for one in identifiers(text) if one.type == "code"]
