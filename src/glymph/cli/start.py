"""The start of the command `glymph`. A hook is answered without loading Typer."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command and ends with its exit status."""
    if sys.argv[1:2] == ["hook"]:
        from glymph.hooks import command

        sys.exit(command.main(sys.argv[2:]))
    from glymph.cli.main import main as command_line

    command_line()


if __name__ == "__main__":
    main()
