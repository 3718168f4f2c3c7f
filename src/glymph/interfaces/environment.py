"""Where settings come from: the command line, the environment, a file. The one place that reads them."""

from __future__ import annotations

import json
import os
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glymph.errors import InvalidInput

if TYPE_CHECKING:
    from glymph.config import Settings
    from glymph.facade import Glymph

HOME = Path("~/.glymph")


def config_path() -> Path:
    return Path(os.environ.get("GLYMPH_CONFIG") or HOME / "config.toml").expanduser()


def read_config() -> dict[str, Any]:
    """The settings file as a mapping; empty if there is none."""
    path = config_path()
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput("config", f"cannot read {path} ({error}). Mend or remove the file.") from error


def write_config(values: dict[str, Any]) -> Path:
    """Writes the settings file whole; a reader sees the old one or the new one."""
    path = config_path()
    partial = path.with_suffix(".partial")
    lines = [f"{name} = {json.dumps(value)}" for name, value in sorted(values.items())]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text("\n".join(lines) + "\n", encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        raise InvalidInput(
            "config", f"cannot write {path} ({error}). GLYMPH_CONFIG names another file."
        ) from error
    return path


def effective_settings() -> tuple[Settings, dict[str, str]]:
    """The settings in force, and where each comes from: default, file or environment."""
    from glymph.config import Settings

    origin = {f.name: "default" for f in fields(Settings)}
    values = read_config()
    origin |= dict.fromkeys(values, "file")
    for name in origin:
        variable = f"GLYMPH_{name.upper()}"
        if variable in os.environ:
            values[name] = os.environ[variable]
            origin[name] = "environment"
    return Settings.parse(values), origin


def open_glymph(url: str | None, space: str, actor: str, *, create: bool | None = None) -> Glymph:
    """The handle for a command. Only the default space is made on the fly: another name may be a typo."""
    from glymph.facade import DEFAULT_URL, Glymph

    settings, _ = effective_settings()
    may_create = space == "default" if create is None else create
    return Glymph.open(url or DEFAULT_URL, space=space, actor=actor, settings=settings, create=may_create)


def open_whole(url: str | None, *, create: bool = False) -> Glymph:
    """The handle for a command about the whole store: on a space it has, so that looking makes none."""
    from glymph.facade import DEFAULT_URL, spaces_at

    names = [space.name for space in spaces_at(url or DEFAULT_URL, create=create)]
    return open_glymph(url, "default" if "default" in names or not names else names[0], "user")
