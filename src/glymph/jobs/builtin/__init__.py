"""The jobs that come with Glymph, one a file: a new job is a new file with a `JOB`.

At the end of a session, in this order (`order` in each file):

    extract → embed → link → lifecycle → ai_prune → consolidate → surface

At intervals, where the daemon or a worker runs: health, questions, embed, lifecycle, ai_prune,
garden, consolidate, trash, decay, journal, idle, surface.
"""
