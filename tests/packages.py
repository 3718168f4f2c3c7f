"""Packages as pip leaves them in a folder, for tests of what they add to Glymph."""

from __future__ import annotations


def install_entry_points(folder, group, **entries):
    """Returns the folder, in which a package now has entry points of a group."""
    info = folder / "added-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: added\nVersion: 1.0\n")
    lines = [f"{name} = {value}" for name, value in entries.items()]
    (info / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines, ""]))
    return folder
