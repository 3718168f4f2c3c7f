"""The differences between databases, as data: what the shared statements leave open.

A statement says `:name` for a parameter and `{…}` for what engines write differently:

    {keys:name}  {texts:name}   the set of integers or texts in a parameter that is a list
    {json:column:name}          a member of a JSON object, as a text
    {array:a, json(b)}          a JSON list of texts and JSON documents
    {has:column:name}           whether a JSON list of texts holds a parameter
    {list:column}               a whole column as a JSON list
    {joined:column}             the bytes of a whole column, one behind the other
    {at:text:piece}             where a text holds a piece, counted from 1; 0 if it does not
    {bytes:hex}                 the bytes that hexadecimal digits stand for
    {unindexed:column}          a column that must not choose the index
    {newest:table}              an upper bound of the keys of the shown space
    {scope}                     the space that is shown
    {identity}                  the id of the identity memory of the space `s`
    {due_at}                    when the space `s` has something to do; none if it has no schedules
    {once}                      of a WITH that it is worked out once, where that costs less
    {begin_writing} {end_writing}  lets journalled tables be changed, or no longer
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_PARAMETER = re.compile(r"(?<![:\w]):([a-z]\w*)")


@dataclass(frozen=True, slots=True)
class Dialect:
    """The spelling of one database; `patterns` are pairs of a regular expression and its text."""

    macros: Mapping[str, str]
    patterns: Sequence[tuple[str, str]]
    parameter: str = r":\1"
    # What the driver would take for its own.
    escapes: Mapping[str, str] = field(default_factory=dict)
    _rendered: dict[str, str] = field(default_factory=dict, repr=False, compare=False)

    def render(self, template: str) -> str:
        """Returns the statement as the database takes it."""
        found = self._rendered.get(template)
        if found is None:
            found = self._rendered[template] = self._write(template)
        return found

    def _write(self, template: str) -> str:
        for plain, escaped in self.escapes.items():
            template = template.replace(plain, escaped)
        for name, text in self.macros.items():
            template = template.replace(f"{{{name}}}", text)
        for pattern, text in self.patterns:
            template = re.sub(pattern, text, template)
        return _PARAMETER.sub(self.parameter, template)
