"""Reads text: words, sentences, numbers, dates, identifiers, secrets.

Every room reads text with this one.
"""
