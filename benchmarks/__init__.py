"""Measurements of Glymph, one file per question; `python -m benchmarks` lists them.

Adding a benchmark is adding one module here with

* `QUESTION`, the one line it answers, and
* `run(options)`, which gives back its figures by name (see `benchmarks.harness.contract`).

What several of them share lives in `benchmarks.harness`.
"""
