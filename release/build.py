"""Builds a release and checks it as users will meet it: everything but the upload.

python -m release.build [--quick]

1. The version is the same in pyproject.toml, the package, CITATION.cff and CHANGELOG.md.
2. Wheel and sdist of Glymph and of the reader, into dist/.
3. In an empty environment of every Python found here: install the wheel, `glymph --version`,
   `glymph demo --json`. With the newest dependencies, and on one Python with the lowest that
   pyproject.toml allows.
4. A bill of materials (CycloneDX) of what a plain `pip install glymph` brings.

`--quick` builds and checks on one Python only. Nothing is uploaded; the last lines say how.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
PACKAGES = (ROOT, ROOT / "packages" / "glymph-reader")
NAMES = ("python3.11", "python3.12", "python3.13", "python3.14")
SHOWN = ("numpy", "apsw", "pydantic", "typer", "mcp")  # dependencies whose versions are told
EXTRAS = "mcp"  # installed with the wheel where it is checked; models are left to the test suite


class Failed(Exception):
    """A check did not pass; the message says which and why."""


def find_versions() -> dict[str, str]:
    """Every place that states the version, with what it says."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    places = {
        "src/glymph/__init__.py": r'^__version__ = "(.*)"$',
        "CITATION.cff": r"^version: (.*)$",
        "CHANGELOG.md": r"^## (\S+)$",
    }
    found = {"pyproject.toml": str(project["version"])}
    for place, pattern in places.items():
        first = re.search(pattern, (ROOT / place).read_text(encoding="utf-8"), re.MULTILINE)
        found[place] = first[1] if first else "not said"
    return found


def find_pythons() -> Iterator[tuple[str, str]]:
    """Yields every supported interpreter once, by version, with its path."""
    known: dict[str, str] = {}
    candidates = [*NAMES, "python3", sys.executable]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates += [str(path) for path in sorted(pyenv.glob("3.*/bin/python"))]
    for candidate in candidates:
        path = shutil.which(candidate)
        asked = path and _ask(path, "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])")
        if path and asked and f"python{asked}" in NAMES:
            known.setdefault(asked, path)
    yield from sorted(known.items())


def _ask(*command: str) -> str | None:
    """What a command prints; None if it fails, as the stand-ins of version managers do."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def build() -> list[Path]:
    """Builds every package afresh."""
    shutil.rmtree(DIST, ignore_errors=True)
    for package in PACKAGES:
        _do(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(DIST), str(package))
    return sorted(DIST.iterdir())


def check(wheel: Path, python: str, folder: Path, *, lowest: bool = False) -> dict[str, str]:
    """Installs a wheel into an empty environment and runs it there; what it said."""
    own = folder / "bin" / "python"
    _do(_uv(), "venv", "--quiet", "--seed", "--python", python, str(folder))
    into = (_uv(), "pip", "install", "--quiet", "--python", str(own))
    if lowest:
        # Only what is asked for itself is taken at its lowest; of a wheel, that is the wheel alone.
        pyproject = str(ROOT / "pyproject.toml")
        _do(*into, "--resolution", "lowest-direct", "-r", pyproject, "--extra", EXTRAS)
    _do(*into, f"glymph[{EXTRAS}] @ {wheel.as_uri()}")
    glymph = str(folder / "bin" / "glymph")
    home = {"HOME": str(folder), "GLYMPH_URL": f"sqlite:///{folder / 'memory.db'}"}
    version = _do(glymph, "--version", **home).strip()
    demo = json.loads(_do(glymph, "demo", "--json", **home))
    if version.split()[-1] != find_versions()["pyproject.toml"]:
        raise Failed(f"glymph --version says {version!r}")
    check_demo(demo)
    versions = [
        _do(str(own), "-c", f"import importlib.metadata as m; print(m.version({name!r}))").strip()
        for name in SHOWN
    ]
    return {"version": version, "demo": "sound"} | dict(zip(SHOWN, versions, strict=True))


def check_demo(told: Mapping[str, Any]) -> None:
    """Raises Failed unless a demo that was played here left a sound store."""
    if problems := told["end"]["problems"]:
        raise Failed(f"glymph demo left a store that is not sound: {problems}")


def describe(environment: Path) -> Path:
    """Writes the bill of materials of an environment that holds nothing but a plain install."""
    place = DIST / f"glymph-{find_versions()['pyproject.toml']}.cdx.json"
    _do(
        sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible",
        "--pyproject", str(ROOT / "pyproject.toml"), "--output-file", str(place),
        str(environment / "bin" / "python"),
    )  # fmt: skip
    return place


def _uv() -> str:
    return str(Path(sys.executable).with_name("uv"))


def _do(*command: str, **environment: str) -> str:
    """Runs a command; what it prints, or Failed."""
    outside = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, env=outside | environment
    )
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}\n{(done.stderr or done.stdout)[-2000:]}")
    return done.stdout


def _check_all(wheel: Path, pythons: Sequence[tuple[str, str]], place: Path) -> None:
    for version, python in pythons:
        said = check(wheel, python, place / version)
        print(f"Python {version}, newest: {said}", flush=True)
    version, python = pythons[0]
    said = check(wheel, python, place / "lowest", lowest=True)
    print(f"Python {version}, lowest: {said}", flush=True)


def _run(*, quick: bool) -> None:
    versions = find_versions()
    if len(set(versions.values())) != 1:
        raise Failed(f"the versions differ: {versions}")
    pythons = list(find_pythons())
    print(f"Pythons found: {', '.join(version for version, _ in pythons)}", flush=True)
    for path in build():
        print(f"{path.name}: {path.stat().st_size:,} bytes", flush=True)
    (wheel,) = DIST.glob("glymph-*.whl")
    with tempfile.TemporaryDirectory(prefix="glymph-release-") as folder:
        _check_all(wheel, pythons[:1] if quick else pythons, Path(folder))
        bare = Path(folder) / "bare"
        _do(_uv(), "venv", "--quiet", "--python", pythons[0][1], str(bare))
        _do(
            _uv(), "pip", "install", "--quiet", "--python", str(bare / "bin" / "python"), str(wheel)
        )
        materials = describe(bare)
        parts = json.loads(materials.read_text(encoding="utf-8"))["components"]
        print(f"{materials.name}: {len(parts)} components", flush=True)
    print(
        "Ready in dist/. To publish: tag the commit, then `twine upload dist/*.whl dist/*.tar.gz`."
    )


def main() -> int:
    try:
        _run(quick="--quick" in sys.argv[1:])
    except Failed as failure:
        sys.stderr.write(f"The release is not ready: {failure}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
