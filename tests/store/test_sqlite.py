"""The SQLite engine: the common suite, and what only a file can go wrong with."""

from __future__ import annotations

import pytest

from glymph.testing.store_suite import StoreSuite


class TestSqlite(StoreSuite):
    @pytest.fixture
    def url(self, tmp_path):
        return f"sqlite:///{tmp_path}/suite.db"
