"""Conversations that shorten themselves: a transcript that only grows, a cursor with a summary, and memory.md.

transcript.jsonl   every message, one a line; nothing is ever taken out
state.json         the cursor and the summary of what lies before it, replaced as one
memory.md          the summary (the machine's part) and the agent's page, for people to read and to edit
"""
