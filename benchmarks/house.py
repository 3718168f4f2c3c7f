"""How the code itself is doing: its size, its habits and its shape, with a table per room."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from benchmarks.harness.contract import Figure, Figures, Options

QUESTION = "How large is the house, how is it cut into rooms, and does it keep its habits?"

ROOT = Path(__file__).parents[1]
COLUMNS = 100
LONG_FUNCTION = 50
# Verb forms that say neither what is done nor what there is, where they stand alone as a name.
_REGULAR = re.compile(r"[a-z]{2,}(?:ed|ing)\Z")
_IRREGULAR = frozenset(
    "begun born bought brought built buried cut done drawn found given gone held kept known laid "
    "left lost made meant met put read said seen sent set shown spent taken taught thought told "
    "understood woven written".split()
)
_NOUNS_AND_VERBS = frozenset(
    "bring embed encoding feed keyring king meaning need nothing ping put read ranking rating ring "
    "seed set setting speed spelling spring string thing timing wording writing".split()
)


@dataclass(slots=True)
class Room:
    """What is counted in one room."""

    files: int = 0
    lines: int = 0
    long_lines: int = 0
    lazy_imports: int = 0
    comments: int = 0
    names: int = 0
    participles: int = 0
    functions_over_50: int = 0

    def add(self, other: Room) -> None:
        for one in fields(Room):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))


def run(options: Options) -> Figures:
    """Counts over the source of the package and its tests as they lie in this checkout."""
    package = ROOT / "src" / "glymph"
    rooms = count_rooms(package)
    total = Room()
    for room in rooms.values():
        total.add(room)
    contract = list(contract_members(package / "store"))
    figures = {
        "lines": Figure(total.lines, "lines of Python in the package"),
        "files": Figure(total.files, "files of Python in the package"),
        "lazy_imports_per_1000": Figure(
            1000 * total.lazy_imports / total.lines, "imports inside functions, per 1,000 lines"
        ),
        "long_lines_percent": Figure(100 * total.long_lines / total.lines, "over 100 columns"),
        "contract_members": Figure(len(contract), "members of the protocols of a store"),
        "circles": Figure(len(find_circles(package)), "groups of files that import each other"),
        "participle_names_percent": Figure(
            100 * total.participles / total.names, "functions and files named by a lone participle"
        ),
        "functions_over_50": Figure(total.functions_over_50, "functions of more than 50 lines"),
        "comments_percent": Figure(100 * total.comments / total.lines, "lines with a comment"),
        "tests": Figure(count_tests(ROOT / "tests"), "test functions, however often each is run"),
    }
    for name, room in sorted(rooms.items()):
        figures[f"{name}_lines"] = Figure(room.lines, f"lines of {name}")
        figures[f"{name}_files"] = Figure(room.files, f"files of {name}")
    return figures


def count_rooms(package: Path) -> dict[str, Room]:
    """Counts each folder of the package; files beside them count as `top`."""
    rooms: dict[str, Room] = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).parts
        name = parts[0] if len(parts) > 1 else "top"
        rooms.setdefault(name, Room()).add(count_file(path))
    return rooms


def count_file(path: Path) -> Room:
    """Counts one file."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, FUNCTION)]
    names = [node.name.strip("_") for node in functions if not node.name.startswith("__")]
    names.append(path.stem)
    return Room(
        files=1,
        lines=len(lines),
        long_lines=sum(len(line) > COLUMNS for line in lines),
        lazy_imports=sum(1 for function in functions for _ in _own_imports(function)),
        comments=sum(bool(re.search(r"(^|\s)# ", line)) for line in lines),
        names=len(names),
        participles=sum(map(is_participle, names)),
        functions_over_50=sum(_length(function) > LONG_FUNCTION for function in functions),
    )


FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


def is_participle(name: str) -> bool:
    """Tells whether a name is one participle and nothing else."""
    if name in _NOUNS_AND_VERBS:
        return False
    return name in _IRREGULAR or bool(_REGULAR.fullmatch(name))


def contract_members(store: Path) -> Iterator[str]:
    """Yields the members that the protocols of a store ask of an engine, as `Protocol.member`."""
    for path in sorted(store.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and _is_protocol(node):
                yield from (f"{node.name}.{name}" for name in _members(node))


def _is_protocol(node: ast.ClassDef) -> bool:
    return any("Protocol" in ast.unparse(base) for base in node.bases)


def _members(node: ast.ClassDef) -> Iterator[str]:
    for one in node.body:
        if isinstance(one, FUNCTION):
            yield one.name
        elif isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            yield one.target.id


def _own_imports(function: ast.AST) -> Iterator[ast.AST]:
    """Yields the imports in a function, without those of functions inside it."""
    for child in ast.iter_child_nodes(function):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif not isinstance(child, FUNCTION):
            yield from _own_imports(child)


def _length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def find_circles(package: Path) -> list[list[str]]:
    """Finds the groups of files that reach each other by imports at the top of a file."""
    graph = import_graph(package)
    reach = {name: _reachable(graph, name) for name in graph}
    groups = {
        frozenset({name} | {other for other in reach[name] if name in reach[other]})
        for name in graph
        if name in reach[name]
    }
    return sorted(sorted(group) for group in groups)


def import_graph(package: Path) -> dict[str, set[str]]:
    """Maps each module to those of ours that it imports, wherever in the file it does so.

    What only a type checker reads does not count.
    """
    modules = {_module(package, path): path for path in package.rglob("*.py")}
    graph: dict[str, set[str]] = {}
    for name, path in modules.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        graph[name] = {target for target in _imported(tree, modules) if target != name}
    return graph


def _module(package: Path, path: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(tree: ast.AST, modules: Mapping[str, Path]) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _imported(ast.Module(node.orelse, []), modules)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name for name in whole if name in modules)
            if node.module in modules and not all(name in modules for name in whole):
                yield node.module
        else:
            yield from _imported(node, modules)


def _reachable(graph: Mapping[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(graph[name])
    return seen


def count_tests(folder: Path) -> int:
    """Counts test functions, however often each is run."""
    return sum(
        isinstance(node, FUNCTION) and node.name.startswith("test_")
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )
