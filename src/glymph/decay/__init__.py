"""How memories fade: FSRS-6, sections, lifecycle, links, need, and fitting curves to a recall log.
Pure.
"""
