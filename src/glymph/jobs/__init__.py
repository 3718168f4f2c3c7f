"""Jobs: upkeep that runs when a session has ended, and at intervals.

A job is one file in `builtin` or an entry point of the group `glymph.jobs` (`job`, `registry`).
One `runner` runs jobs under the lease of a space. What is due is found by the `worker` that hooks
start, by the `daemon`, and by the workers of `queues`; `signals` ask each of them to stop.
"""
