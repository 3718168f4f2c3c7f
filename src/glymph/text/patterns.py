"""Patterns that are compiled when they are first used.

A process uses few of the patterns in the modules it loads, and compiling all of them takes longer
than answering a prompt.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False  # `typing` itself would cost a hook some milliseconds
if TYPE_CHECKING:

    def compile_late(pattern: str, flags: int = 0) -> re.Pattern[str]:
        """Returns what behaves as the compiled pattern, and is compiled at its first use."""

else:

    class compile_late:  # noqa: N801 - it is called like `re.compile`
        """A pattern that is compiled at its first use, and as quick as any from then on."""

        def __init__(self, pattern, flags=0):  # noqa: ANN001, ANN204
            self._given = (pattern, flags)
            self._compiled = None

        def __getattr__(self, name):  # noqa: ANN001, ANN204
            if self._compiled is None:
                self._compiled = re.compile(*self._given)
            value = self.__dict__[name] = getattr(self._compiled, name)
            return value
