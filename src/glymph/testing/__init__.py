"""Building blocks for tests of Glymph, and of engines and tools for it.

Nothing in Glymph imports this.
"""

from glymph.testing.builders import intent, memory_row, new_id
from glymph.testing.clock import FrozenClock
from glymph.testing.images import logical_image
from glymph.testing.scripted_model import ScriptedModel

__all__ = ["FrozenClock", "ScriptedModel", "intent", "logical_image", "memory_row", "new_id"]
