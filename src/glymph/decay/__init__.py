"""The fading of memories: FSRS-6, sections, lifecycle, links, need, and fitting curves.

Curves are fitted to a recall log. Everything here is pure.
"""
