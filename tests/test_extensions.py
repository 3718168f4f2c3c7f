"""Extension points: built-in members, members of packages, and those that cannot be used."""

from __future__ import annotations

import importlib.metadata
from importlib.metadata import EntryPoint

import pytest

from glymph.errors import BadExtension
from glymph.extensions import ExtensionPoint
from glymph.prune.rules import Rule


def rules(monkeypatch, *entries):
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: entries)
    return ExtensionPoint("glymph.rules", Rule, package="glymph.prune.rules", attribute="RULE")


def entry(name, value):
    return EntryPoint(name, value, "glymph.rules")


def test_built_in_members_are_the_files_of_a_folder(monkeypatch):
    point = rules(monkeypatch)
    assert "expired" in point.built_in_names
    assert point.members["expired"] is point.get("expired")


def test_a_package_adds_a_member_by_an_entry_point(monkeypatch):
    point = rules(monkeypatch, entry("mine", "glymph.prune.rules.expired:RULE"))
    assert point.members["mine"] is point.get("mine") is point.members["expired"]
    assert point.get("unknown") is None


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("expired", "glymph.prune.rules.orphan:RULE", "taken"),
        ("mine", "no_such_package:RULE", "cannot be loaded"),
        ("mine", "glymph.prune.rules.expired:NOTHING", "cannot be loaded"),
        ("mine", "glymph.prune.rules.expired:fires", "must be a Rule"),
    ],
)
def test_a_member_that_cannot_be_used_is_named_with_the_reason(monkeypatch, name, value, problem):
    with pytest.raises(BadExtension, match=problem) as caught:
        _ = rules(monkeypatch, entry(name, value)).members
    assert name in str(caught.value)
