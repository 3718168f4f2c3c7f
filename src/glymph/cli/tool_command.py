"""The command of a tool: its arguments as options, its run as the body, its render as output."""

from __future__ import annotations

import inspect
import json
import types
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

import typer
from pydantic import ValidationError

from glymph import environment
from glymph.cli import options, output
from glymph.cli.naming import name_commands
from glymph.cli.quoting import IN_QUOTES, want_quotes
from glymph.errors import InvalidInput
from glymph.tools import tree
from glymph.tools.ids import resolve_ids
from glymph.tools.pages import run_tool
from glymph.tools.problems import name_field, say_problem

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic.fields import FieldInfo

    from glymph.tools.contract import Tool

WRITE_JSON = """Write it like '{"success": true}', in quotes."""
WIDEST_CHOICES = 30  # characters of words that stand beside an option; more stand in its help
COMMON: dict[str, tuple[Any, Any]] = {
    "url": (options.Url, None),
    "space": (options.SpaceName, "default"),
    "actor": (options.Actor, "user"),
    "as_json": (options.Json, False),
}


def command_for(tool: Tool) -> Any:
    """Returns the command of a tool."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(tool.command, help=name_commands(tool.description))(_function_for(tool))
    command: Any = typer.main.get_command(app)
    command.read_only = tool.read_only
    marks = {name: _marks(field) for name, field in tool.arguments.model_fields.items()}
    positional = [name for name, marked in marks.items() if marked.get("positional")]
    for name, marked in marks.items():
        if marked.get("show"):
            _let_show(command, f"--{name.replace('_', '-')}")
        if marked.get("words"):
            want_quotes(command, name, alone=len(positional) == 1)
    return command


def _marks(field: FieldInfo) -> Mapping[str, Any]:
    extra = field.json_schema_extra
    return extra if isinstance(extra, dict) else {}


def _let_show(command: Any, option: str) -> None:
    """Lets `COMMAND show ID` mean `COMMAND --option ID`."""
    parse = command.parse_args

    def parse_args(ctx: Any, args: list[str]) -> list[str]:
        found: list[str] = parse(ctx, [option, *args[1:]] if args[:1] == ["show"] else args)
        return found

    command.parse_args = parse_args


def _function_for(tool: Tool) -> Callable[..., None]:
    fields = tool.arguments.model_fields

    def body(**given: Any) -> None:
        common = {
            key: given.pop(key) if key not in fields else default
            for key, (_, default) in COMMON.items()
        }
        apply = given.pop("apply", True)
        values = {
            name: _parse(name, fields[name], value)
            for name, value in given.items()
            if value is not None
        }
        _run(tool, values, apply=apply, **common)

    schemas = tool.schema.get("properties", {})
    parameters = [_parameter(name, field, schemas[name]) for name, field in fields.items()]
    if tool.preview is not None:
        parameters.append(_keyword("apply", _apply_option(tool), False))
    parameters += [
        _keyword(name, kind, default)
        for name, (kind, default) in COMMON.items()
        if name not in fields
    ]
    # Arguments without a default must stand first in a signature; all are passed by name anyway.
    parameters.sort(key=lambda p: p.default is not inspect.Parameter.empty)
    body.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    body.__annotations__ = {p.name: p.annotation for p in parameters}
    return body


def _run(
    tool: Tool, values: Mapping[str, Any], *, apply: bool, url: str | None, space: str, actor: str,
    as_json: bool,
) -> None:  # fmt: skip
    arguments = _validate(tool, values)
    if apply and tool.acts_on is not None and tool.acts_on not in values:
        needed = f"--{tool.acts_on.replace('_', '-')} ID"
        path = tree.write_path(tree.PLACES.get(tool.command, (tool.command,)))
        raise typer.BadParameter(
            f"--apply needs the {tool.acts_on} you have read: {path} {needed} --apply"
        )
    create = False if tool.read_only else None
    with environment.open_glymph(url, space, actor, create=create) as glymph:
        if tool.preview is not None and not apply:
            meant = resolve_ids(glymph, arguments)
            result, render = tool.preview(glymph, meant), tool.render_preview
        else:
            result, render = run_tool(tool, glymph, arguments), tool.render
    refused = result.get("refused")
    if refused and not as_json:
        output.print_error(f"refused: {refused}")
    else:
        facts = result if apply else {"dry_run": True, **result}
        output.answer(facts, render(result), as_json=as_json)
    if refused:
        raise typer.Exit(output.FAILED)
    output.exit_if_left_alone(result)


def _apply_option(tool: Tool) -> Any:
    if tool.acts_on is None:
        return options.Apply
    option = tool.acts_on.replace("_", "-")
    help_text = f"Do it: needs --{option} ID, as it was shown without this."
    return Annotated[bool, typer.Option("--apply", help=help_text)]


def _keyword(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


def _parameter(name: str, field: FieldInfo, schema: Mapping[str, Any]) -> inspect.Parameter:
    positional = bool(_marks(field).get("positional"))
    kind = _terminal_type(field.annotation)
    help_text = name_commands(field.description or "")
    option = f"--{name.replace('_', '-')}"
    words = _choices(schema)
    beside = "|".join(words)
    if len(beside) > WIDEST_CHOICES:
        help_text, beside = f"{help_text} One of {', '.join(words)}.".lstrip(), ""
    if kind == list[str] and not positional:
        help_text = f"{help_text.removesuffix('.')}; may be repeated."
        beside = beside or "<str>"
    if _marks(field).get("words"):
        help_text = f"{help_text} {IN_QUOTES}"
    help_text += _say_default(field)
    if positional:
        info: Any = typer.Argument(help=help_text, metavar=beside or None, show_default=False)
    elif kind is bool:
        info = typer.Option(option, help=help_text)
    else:
        info = typer.Option(option, help=help_text, metavar=beside or None, show_default=False)
    if field.is_required():
        default: Any = inspect.Parameter.empty
    elif kind is bool:
        default = field.default
    else:
        default = None
        kind = kind | None
    return _keyword(name, Annotated[kind, info], default)


def _choices(schema: Mapping[str, Any]) -> list[str]:
    """Returns the words that a field may be, or each of its list; empty if there are others."""
    return [str(word) for word in schema.get("enum") or schema.get("items", {}).get("enum", ())]


def _say_default(field: FieldInfo) -> str:
    """Returns what the help says of an option that is left out; empty if that means nothing."""
    default = None if field.is_required() else field.default
    if default is None or isinstance(default, bool) or default in ([], {}, ""):
        return ""
    shown = ", ".join(map(str, default)) if isinstance(default, list | tuple) else str(default)
    return f"  [default: {shown}]"


def _terminal_type(annotation: Any) -> Any:
    """Returns what the terminal can carry: a flag, a number, repeated texts, or else a text."""
    if get_origin(annotation) in (Union, types.UnionType):
        annotation = next(a for a in get_args(annotation) if a is not type(None))
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if annotation in (bool, int, float):
        return annotation
    if get_origin(annotation) is list:
        return list[str]
    return str


def _parse(name: str, field: FieldInfo, value: Any) -> Any:
    if isinstance(value, str) and "dict" in str(field.annotation):
        try:
            return json.loads(value)
        except (ValueError, RecursionError) as error:
            raise InvalidInput(
                name, f"not JSON that can be kept ({error}). {WRITE_JSON}"
            ) from error
    return value


def _validate(tool: Tool, values: Mapping[str, Any]) -> Any:
    """Returns the tool's arguments, or raises InvalidInput for the first wrong field."""
    try:
        return tool.arguments.model_validate(dict(values))
    except ValidationError as error:
        raise _first_problem(error) from error


def _first_problem(error: ValidationError) -> InvalidInput:
    problem = error.errors()[0]
    return InvalidInput(name_field(problem), f"{say_problem(problem).removesuffix('.')}.")
