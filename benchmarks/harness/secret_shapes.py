"""Shapes of secrets, filled at random, and ordinary text in which nothing is one.

The shapes are those that maintained lists of rules know: a name, and a template in which `{h32}`
stands for 32 random characters of a set.
"""

from __future__ import annotations

import ast
import pydoc_data.topics
import random
import re
import string
from collections.abc import Iterator
from pathlib import Path

from glymph.text.injection import find_order
from glymph.text.secrets import mask_secrets

SHAPES = Path(__file__).parents[1] / "cases" / "malice" / "shapes.txt"
FILLED = 3  # times each shape is filled, for each sentence it stands in
AROUND = ("We use {} here.", '{{"value": "{}"}}', "It was told yesterday:\n{}\nThat was all.")
SETS = {
    "h": "0123456789abcdef", "H": "0123456789ABCDEF", "d": string.digits,
    "a": string.ascii_lowercase + string.digits, "A": string.ascii_uppercase + string.digits,
    "x": string.ascii_letters + string.digits, "w": string.ascii_letters + string.digits + "_-",
    "l": string.ascii_lowercase, "L": string.ascii_uppercase,
}  # fmt: skip
_PIECE = re.compile(r"\{([a-zA-Z])(\d+)\}")
PARAGRAPH = re.compile(r"\n\s*\n")


def read_shapes() -> dict[str, str]:
    """The templates by name."""
    lines = SHAPES.read_text(encoding="utf-8").splitlines()
    return {name: template for name, _, template in (line.partition(" ") for line in lines)}


def is_masked(template: str, seed: int) -> bool:
    """Tell whether the longest random piece is gone, however a shape is filled and told."""
    drawn = random.Random(seed)
    for around in AROUND:
        for _ in range(FILLED):
            pieces: list[str] = []

            def fill(found: re.Match[str], pieces: list[str] = pieces) -> str:
                pieces.append(_draw(drawn, SETS[found[1]], int(found[2])))
                return pieces[-1]

            said = around.format(_PIECE.sub(fill, template))
            if max(pieces, key=len) in mask_secrets(said)[0]:
                return False
    return True


def _draw(drawn: random.Random, among: str, count: int) -> str:
    """Random characters; with a digit and a letter, where there are both and room for them."""
    chosen = drawn.choices(among, k=count)
    kinds = [[c for c in among if c.isdigit()], [c for c in among if c.isalpha()]]
    for at, kind in enumerate(kinds):
        if kind and count > 4:
            chosen[1 + at] = drawn.choice(kind)
    if among == SETS["w"]:  # it neither begins nor ends with a mark
        chosen[0], chosen[-1] = (drawn.choice(SETS["x"]) for _ in range(2))
    return "".join(chosen)


def read_ordinary(most: int) -> Iterator[str]:
    """Source files of Python's standard library, and the pages of its help."""
    folder = Path(ast.__file__).parent
    for path in sorted(folder.glob("*.py"))[:most]:
        yield path.read_text(encoding="utf-8", errors="replace")
    yield from list(pydoc_data.topics.topics.values())[:most]


def read_prose(most: int) -> Iterator[str]:
    """The paragraphs of the help, and of what the library says of itself."""
    for page in list(pydoc_data.topics.topics.values())[:most]:
        yield from PARAGRAPH.split(page)
    for path in sorted(Path(ast.__file__).parent.glob("*.py"))[:most]:
        tree = ast.parse(path.read_text(encoding="utf-8", errors="replace"))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                yield from PARAGRAPH.split(ast.get_docstring(node) or "")


def count_false_masks(most: int) -> tuple[int, int]:
    """How many pieces of ordinary text are masked, and how many characters were looked at."""
    masked = characters = 0
    for text in read_ordinary(most):
        masked += mask_secrets(text)[1]
        characters += len(text)
    return masked, characters


def count_false_orders(most: int) -> tuple[int, int]:
    """How many paragraphs of ordinary prose are taken for orders, and of how many."""
    paragraphs = [one for one in read_prose(most) if one.strip()]
    return sum(find_order(one) is not None for one in paragraphs), len(paragraphs)
