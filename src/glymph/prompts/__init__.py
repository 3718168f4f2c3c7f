"""What language models are asked, one prompt a file: build the messages, give the schema, read the answer.

All pure: a prompt is a function that gives a `Question`. What people or agents once said is data in it, never an
instruction: it goes through `fenced`.
"""
