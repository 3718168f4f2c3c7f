"""Random lives of a store behind a server: every call of the machine goes over the wire.

They are fewer, for each step is several requests. What the machine itself looks at, it reads from
the store that the server holds.
"""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from hypothesis import settings

from glymph import Glymph
from glymph.testing.machine import GlymphMachine
from glymph.testing.machine_ground import SPACES
from tests.grounds.serving import Served, serving


class HttpMachine(GlymphMachine):
    """The machine whose handles are on a server; its watchers open the same store beside it."""

    served: ClassVar[Served]

    def open(self) -> None:
        self.here = self.open_space(SPACES[0])
        self.served.service.handles.__init__(self.here, url=self.url)  # type: ignore[misc]
        self.handles = {space: self.open_remote(space) for space in SPACES}
        self.watchers = {space: self.open_space(space) for space in SPACES}

    def open_remote(self, space: str) -> Glymph:
        remote: Any = Glymph.open(self.served.url, space=space)
        served = self.served.service.handles.open(space)
        remote._ctx = served.context  # what the machine looks at with its own eyes
        remote.export = served.export  # the one look that does not go over the wire
        return remote

    def settle(self, space: str) -> None:
        for handle in (self.here, *self.served.service.handles._kept.values()):
            while (thread := handle._background._thread) is not None:
                thread.join()
            assert handle._background.failure is None, handle._background.failure

    def close(self) -> None:
        super().close()
        self.settle(SPACES[0])
        self.here.close()


@pytest.fixture(scope="class")
def machine_service(tmp_path_factory):
    path = tmp_path_factory.mktemp("first")
    with Glymph.open(f"sqlite:///{path}/memory.db") as first, serving(first) as served:
        HttpMachine.served = served
        yield


TestMachine = pytest.mark.usefixtures("machine_service")(HttpMachine.TestCase)
_PROFILE = settings.get_profile(settings._current_profile)
TestMachine.settings = settings(
    _PROFILE, max_examples=_PROFILE.max_examples // 10, stateful_step_count=20
)
