"""The `glymph` command: every tool is a command; each other command is a file beside this one.

`tools.tree` says where each of them sits.
"""

from __future__ import annotations

import io
import sys
from typing import Annotated, cast

import typer

from glymph import __version__
from glymph.cli.branches import Root
from glymph.cli.stopping import stop_at_once
from glymph.errors import GlymphError

FAILED = 1
WRONG_USAGE = "WrongUsage"  # the code of what Typer refuses, beside the names of our own errors
# Of the Click that this Typer runs on: its own since 0.26, the package before.
USAGE_ERROR = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[1])


app = typer.Typer(
    cls=Root,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: rich's Markdown would cost a third of a cold start
    help="Long-term memory for AI agents that cleans itself while the agent sleeps.",
    epilog="Exit status: 0 done, 1 refused or failed, 2 wrong usage, 3 some ids were left alone, "
    "130 stopped.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"glymph {__version__}")
        raise typer.Exit


@app.callback()
def glymph(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Runs a command. An error of Glymph's is one line, or one JSON document with --json."""
    as_json = "--json" in sys.argv
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A console without our arrows still shows the rest.
        sys.stdout.reconfigure(errors="replace")
    try:
        with stop_at_once():
            # Typer tells people of wrong usage; to a program it is told below.
            status = app(prog_name="glymph", standalone_mode=not as_json)
        sys.exit(status or 0)
    except USAGE_ERROR as error:
        from glymph.cli import output

        output.print_json({"error": {"code": WRONG_USAGE, "message": error.format_message()}})
        sys.exit(error.exit_code)
    except GlymphError as error:
        from glymph.cli import output
        from glymph.cli.naming import name_calls
        from glymph.text.secrets import mask_secrets

        message = name_calls(mask_secrets(str(error))[0])
        if as_json:
            output.print_json({"error": {"code": error.code, "message": message}})
        else:
            output.print_error(message)
        sys.exit(FAILED)
    except BrokenPipeError:
        sys.stderr.close()  # the reader left; say nothing more
        sys.exit(FAILED)


if __name__ == "__main__":
    main()
