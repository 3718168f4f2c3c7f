"""What the tests of pruning share: memories to prune, uses of them, and everything a space holds."""

from __future__ import annotations

from itertools import pairwise

from glymph.testing import logical_image


def image(glymph):
    return logical_image(glymph._ctx.store, glymph.space)


def remembered(glymph, count, word="Item", **fields):
    """Ids of so many memories that say different things."""
    texts = [f"{word} {n} lies on shelf {n * 7 % 13} of aisle {n % 5}" for n in range(count)]
    return [one.id for one in glymph.add_many([{"text": text, **fields} for text in texts])]


def chained(glymph, ids):
    """The ids, each linked with the next."""
    for a, b in pairwise(ids):
        glymph.link(a, b)
    return ids


def used(glymph, memory_id, times=1):
    for _ in range(times):
        found = glymph.recall(glymph.get(memory_id).text)
        glymph.report(found.id, used=[memory_id])


def install_extension(folder, monkeypatch, module, code, group, name, attribute):
    """Puts a package with one entry point where Python finds it, as an installer would."""
    (folder / f"{module}.py").write_text(code)
    about = folder / f"{module}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{group}]\n{name} = {module}:{attribute}\n")
    monkeypatch.syspath_prepend(folder)
