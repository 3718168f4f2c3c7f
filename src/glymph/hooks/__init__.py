"""Hooks: what a host calls when a session begins, is compacted or ends, and for each prompt.

`command` answers `glymph hook EVENT`; `background` is the worker's process that it starts.
"""
