"""Random lives of a store: 100 in every run, 2,000 at night."""

from __future__ import annotations

from hypothesis import settings

from glymph.testing.machine import GlymphMachine

TestMachine = GlymphMachine.TestCase
TestMachine.settings = settings(
    settings.get_profile(settings._current_profile), stateful_step_count=25
)
