"""Settings from the command line, the environment and a file; the one place that reads them."""

from __future__ import annotations

import json
import os
from pathlib import Path

from glymph import folders
from glymph.errors import InvalidInput, NotOverTheWire, PartsAway, SpaceNotFound

TYPE_CHECKING = False  # `typing` itself would cost a hook some milliseconds
if TYPE_CHECKING:
    from typing import Any

    from glymph.client import Glymph
    from glymph.config import Settings

HOME = Path("~/.glymph")
SPOOL = "spool"  # the folder in which ended sessions wait for a worker
PROJECT = "@project"  # as a space's name: that of the project somebody works in
SQLITE = "sqlite:///"
OVER_HTTP = ("http://", "https://")
NOT_HERE = (
    "Run the command where the store is, with the store's own URL; a program may open this address "
    "by Glymph.open."
)
# Settings that are never shown; a file that holds one is for its owner alone.
SECRETS = ("embedder_key", "model_key")
OWNER_ONLY, OWNERS_FOLDER = folders.FILE, folders.FOLDER


def home() -> Path:
    """Returns the folder for what belongs to no store: settings, the spool and the worker's log."""
    return Path(os.environ.get("GLYMPH_HOME") or HOME).expanduser()


def variable(name: str, default: str = "") -> str:
    """Returns an environment variable, or the default where it is missing or empty."""
    return os.environ.get(name) or default


def token() -> str:
    """Returns the secret that clients of a server must send; empty if none is set."""
    return os.environ.get("GLYMPH_TOKEN", "").strip()


def token_path() -> Path:
    """Returns the path of the secret for servers and clients of this machine."""
    return home() / "token"


def own_token() -> str:
    """Returns the secret of this user's servers, from a file that the first call makes.

    Raises InvalidInput if others may read the file, or if it cannot be read or made.
    """
    path = token_path()
    try:
        if not path.exists():
            make_home()
            _make_token(path)
        if os.name != "nt" and path.stat().st_mode & 0o077:
            raise InvalidInput(
                "token", f"others may read {path}. Run `chmod 600 {path}`, or remove it: a new "
                "one is made.",
            )  # fmt: skip
        if not (found := path.read_text(encoding="ascii").strip()):
            raise InvalidInput("token", f"{path} is empty. Remove it: a new one is made.")
        return found
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            "token", f"cannot use {path} ({error}). Put a secret into GLYMPH_TOKEN instead."
        ) from error


def _make_token(path: Path) -> None:
    """Makes the file whole or not at all; of two servers that start at once, one does."""
    import secrets

    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32) + "\n")
        os.link(partial, path)
    except FileExistsError:
        return  # the other one was first
    finally:
        partial.unlink(missing_ok=True)


def copy_all() -> dict[str, str]:
    """Returns the whole environment, for a process that Glymph starts."""
    return dict(os.environ)


def project_folder(cwd: str | None = None) -> Path:
    """Returns the folder of the project one works in: the root of its repository, if it has one.

    One rule for hooks and servers, links resolved: they must come to the same space.
    """
    folder = Path(os.path.realpath(variable("CLAUDE_PROJECT_DIR") or cwd or Path.cwd()))
    return next(
        (parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), folder
    )


def absolute_url(url: str) -> str | None:
    """Returns the URL as a process in another folder must write it; None for the usual store."""
    path = url.removeprefix(SQLITE)
    if path == url or path.startswith(("~", ":")) or Path(path).is_absolute():
        return url or None
    return f"{SQLITE}{Path.cwd() / path}"


def config_path() -> Path:
    """Returns the path of the settings file."""
    return Path(os.environ.get("GLYMPH_CONFIG") or home() / "config.toml").expanduser()


def shown_config_path() -> str:
    """Returns the path of the settings file as the user knows it."""
    folder = Path(os.environ.get("GLYMPH_HOME") or HOME)
    return os.environ.get("GLYMPH_CONFIG") or str(folder / "config.toml")


def read_config() -> dict[str, Any]:
    """Returns the settings file as a mapping; empty if there is none."""
    import tomllib  # not at the top: a hook that only drops a file has no time for it

    path = config_path()
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:  # a number may be too long as well
        raise InvalidInput(
            "config", f"cannot read {path} ({error}). Fix or remove the file."
        ) from error


def make_home() -> Path:
    """Makes the folder of `home` if it is missing, closed to others, and returns it."""
    folder = home()
    folders.make_folder(folder)
    keep_private()
    return folder


def keep_private() -> None:
    """Closes Glymph's own folders to others. One that GLYMPH_HOME names stays as it was made."""
    for folder in (HOME.expanduser(), home() / SPOOL):
        try:
            if folder.stat().st_mode & 0o077:
                folder.chmod(OWNERS_FOLDER)
        except OSError:  # it is not there, or somebody else's
            continue


def write_config(values: dict[str, Any]) -> Path:
    """Writes the settings file and returns its path; a reader sees the old one or the new one.

    A new file, or one that holds a key, is for its owner alone; otherwise its mode stays.
    """
    path = config_path()
    partial = path.with_suffix(".partial")
    lines = [f"{name} = {json.dumps(value)}" for name, value in sorted(values.items())]
    try:
        if path.parent == home():
            make_home()
        folders.make_folder(path.parent)
        mode = path.stat().st_mode & 0o777 if path.exists() else OWNER_ONLY
        partial.unlink(missing_ok=True)
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        partial.chmod(mode & OWNER_ONLY if any(values.get(name) for name in SECRETS) else mode)
        partial.replace(path)
    except OSError as error:
        raise InvalidInput(
            "config", f"cannot write {path} ({error}). GLYMPH_CONFIG names another file."
        ) from error
    return path


def effective_settings() -> tuple[Settings, dict[str, str]]:
    """Returns the settings in force, and where each is from: default, file or environment."""
    from dataclasses import fields

    from glymph.config import Settings

    origin = {f.name: "default" for f in fields(Settings)}
    values = read_config()
    origin |= dict.fromkeys(values, "file")
    for name in origin:
        variable = f"GLYMPH_{name.upper()}"
        if variable in os.environ:
            values[name] = os.environ[variable]
            origin[name] = "environment"
    _add_usual_key(values, origin)
    try:
        return Settings.parse(values), origin
    except InvalidInput as error:
        raise name_source(error, origin) from error.__cause__


def name_source(error: InvalidInput, origin: dict[str, str]) -> InvalidInput:
    """Returns an error that also says where the value of a setting is from, if that is known."""
    name = error.field.removeprefix("settings.")
    source = {
        "file": f"It stands in {shown_config_path()}.",
        "environment": f"It is from the environment variable GLYMPH_{name.upper()}.",
    }.get(origin.get(name, ""))
    if source is None:
        return error
    return InvalidInput(error.field, f"{str(error).removeprefix(f'{error.field}: ')} {source}")


def _add_usual_key(values: dict[str, Any], origin: dict[str, str]) -> None:
    """Takes the key that the provider's own tools use, where none is set for Glymph."""
    provider = str(values.get("model", "")).partition(":")[0]
    variable = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}.get(provider, "")
    if not values.get("model_key") and (key := os.environ.get(variable)):
        values["model_key"], origin["model_key"] = key, "environment"


def open_glymph(
    url: str | None, space: str, actor: str, *, create: bool | None = None, quick: bool = False,
    session: str | None = None,
) -> Glymph:  # fmt: skip
    """Opens the handle for a command.

    Only the default space is made on the fly: another name may be a typo. A quick handle finds
    without a reader, which would have to be loaded first.
    """
    from dataclasses import replace

    from glymph.client import Glymph
    from glymph.stores import DEFAULT_URL, spaces_at

    if (url or "").startswith(OVER_HTTP):
        raise NotOverTheWire("The command line", NOT_HERE)
    settings, origin = effective_settings()
    if quick:
        settings = replace(settings, rerank_ms=0.0)
    space = space_named(space)
    may_create = space == "default" if create is None else create
    try:
        glymph = Glymph.open(
            url or DEFAULT_URL, space=space, actor=actor, settings=settings, create=may_create,
            session=session,
        )  # fmt: skip
    except InvalidInput as error:
        raise name_source(error, origin) from error.__cause__
    except SpaceNotFound as error:
        known = [one.name for one in spaces_at(url or DEFAULT_URL)]
        raise SpaceNotFound(space, known) from error
    keep_private()
    return glymph


def space_named(space: str) -> str:
    """Returns the space that a name means: `@project` is that of the project one stands in."""
    from glymph.jobs.project import project_space

    return project_space(str(project_folder())) if space == PROJECT else space


def open_whole(url: str | None, *, create: bool = False, actor: str = "user") -> Glymph:
    """Opens the handle for a command about the whole store, on a space that it has.

    So looking makes none. Of a map with parts that are away, it is a space of the others.
    """
    from glymph.stores import DEFAULT_URL, spaces_at

    try:
        names = [space.name for space in spaces_at(url or DEFAULT_URL, create=create)]
    except PartsAway as error:
        if not error.spaces:
            raise
        names = list(error.spaces)
    return open_glymph(url, "default" if "default" in names or not names else names[0], actor)
