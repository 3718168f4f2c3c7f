"""Random lives of a store on a server that is killed without warning.

They are fewer, for each step is a round trip.
"""

from __future__ import annotations

from typing import ClassVar

import pytest
from hypothesis import settings

from glymph.testing.machine import GlymphMachine
from glymph.testing.postgres import Server


class PostgresMachine(GlymphMachine):
    """The machine on a database of its own."""

    server: ClassVar[Server]
    template: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        self.database = self.server.database(template=self.template)

    @property
    def url(self) -> str:
        return self.database

    def cut_off(self) -> None:
        self.server.kill()
        self.server.start()
        self.close()

    def teardown(self) -> None:
        super().teardown()
        self.server.drop(self.database)


@pytest.fixture(scope="class")
def machine_server(postgres, postgres_template):
    PostgresMachine.server, PostgresMachine.template = postgres, postgres_template


TestMachine = pytest.mark.usefixtures("machine_server")(PostgresMachine.TestCase)
_PROFILE = settings.get_profile(settings._current_profile)
TestMachine.settings = settings(
    _PROFILE, max_examples=_PROFILE.max_examples // 10, stateful_step_count=20
)
