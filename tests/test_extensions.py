"""Extension points: built-in members, members of packages, and those that cannot be used."""

from __future__ import annotations

import pytest

from glymph.errors import BadExtension
from glymph.extensions import ExtensionPoint, has_entry_points
from glymph.prune.rules import Rule
from tests.packages import install_entry_points


@pytest.fixture
def rules(tmp_path, monkeypatch):
    """Prune rules as they are after a package with entry points was installed."""

    def installed(**entries):
        if entries:
            monkeypatch.syspath_prepend(install_entry_points(tmp_path, "glymph.rules", **entries))
        return ExtensionPoint("glymph.rules", Rule, package="glymph.prune.rules", attribute="RULE")

    return installed


def test_built_in_members_are_the_files_of_a_folder(rules):
    point = rules()
    assert "expired" in point.built_in_names
    assert point.members["expired"] is point.get("expired")


def test_a_package_adds_a_member_by_an_entry_point(rules):
    point = rules(mine="glymph.prune.rules.expired:RULE")
    assert point.members["mine"] is point.get("mine") is point.members["expired"]
    assert point.get("unknown") is None


def test_only_a_group_that_a_package_names_is_looked_up(rules):
    assert not has_entry_points("glymph.rules")
    rules(mine="glymph.prune.rules.expired:RULE")
    assert has_entry_points("glymph.rules")
    assert not has_entry_points("glymph.rule")


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("expired", "glymph.prune.rules.orphan:RULE", "taken"),
        ("mine", "no_such_package:RULE", "cannot be loaded"),
        ("mine", "glymph.prune.rules.expired:NOTHING", "cannot be loaded"),
        ("mine", "glymph.prune.rules.expired:holds", "must be a Rule"),
    ],
)
def test_a_member_that_cannot_be_used_is_named_with_the_reason(rules, name, value, problem):
    with pytest.raises(BadExtension, match=problem) as caught:
        _ = rules(**{name: value}).members
    assert name in str(caught.value)
