"""Half a year of an invented trading agent, played into a memory, and what became of it.

`glymph demo --long` in a clone runs it. data/ holds what is told, life.py makes days of it,
play.py plays them, and chapters/ look at the result.
"""
