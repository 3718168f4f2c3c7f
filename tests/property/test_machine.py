"""Random lives of a store: 25 in every run, 1,000 at night."""

from __future__ import annotations

from hypothesis import settings

from glymph.testing.machine import GlymphMachine

TestMachine = GlymphMachine.TestCase
_PROFILE = settings.get_profile(settings._current_profile)
TestMachine.settings = settings(
    _PROFILE, max_examples=25 if _PROFILE.max_examples <= 100 else 1000, stateful_step_count=25
)
