"""The space of a project."""

from __future__ import annotations

import pytest

from glymph.checks import checked_space
from glymph.jobs.project import SHARED, SHARED_TOKENS, digest_tokens, project_space, space_of


def test_a_folder_has_one_name_and_two_folders_have_two():
    assert project_space("/srv/api") == project_space("/srv/api/") == project_space("\\srv\\api")
    assert project_space("/srv/api") != project_space("/home/api")
    assert project_space("/srv/api").startswith("api-")


@pytest.mark.parametrize(
    "folder",
    [
        "/",
        "",
        "/tmp/Über Projekt!",
        "/x/" + "long" * 99,
        "/x/\ud800",
        "C:\\Work\\My App",
        "/x/---",
        "/日本",
    ],
)
def test_every_folder_gives_a_name_that_a_store_takes(folder):
    checked_space(project_space(folder))


def test_a_named_space_goes_before_the_project():
    assert space_of({"space": "mine", "project": "/srv/api"}) == "mine"
    assert space_of({"space": None, "project": "/srv/api"}) == project_space("/srv/api")


def test_the_shared_digest_is_a_small_one():
    assert digest_tokens(SHARED) == SHARED_TOKENS
    assert digest_tokens("mine") is None
