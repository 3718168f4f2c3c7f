"""Which methods of a handle go over the wire, and what to do in place of those that do not."""

from __future__ import annotations

READ, WRITE, CURATE, ADMIN = "read", "write", "curate", "admin"

# By the role that a call needs. `admin` also needs a token for all spaces: it looks at the whole
# store.
METHODS: dict[str, str] = {
    **dict.fromkeys((
        "get", "list", "search", "nearest", "history", "graph", "health", "edges", "questions",
        "clusters", "operations", "audit", "plans", "plan", "forget_plan", "candidates",
        "match_playbooks", "surface", "page", "meaning", "costs", "memetic_status",
        "autonomous_status", "unfinished", "trash", "tombstones", "spaces",
        "conversations.memories_saying",
    ), READ),
    **dict.fromkeys((
        "add", "add_many", "settle", "update", "supersede", "unsupersede", "reinforce", "link",
        "unlink", "answer", "recall", "report", "delete", "undo", "write",
    ), WRITE),
    **dict.fromkeys((
        "merge", "pin", "unpin", "find_duplicates", "clusters.create", "clusters.delete",
        "clusters.add", "clusters.remove", "forget", "archive", "restore", "restore_from_hash",
        "tombstones.lift", "trash.empty", "analyze", "prune", "batch_prune", "execute_prune",
        "extract", "lifecycle", "ai_prune", "consolidate", "garden", "fit", "fading", "embed",
        "certificates",
    ), CURATE),
    "verify": ADMIN,
}  # fmt: skip

ON_THE_SERVER = "Run `glymph {}` where the store is, or open the store's own URL."
NOT_OVER_THE_WIRE: dict[str, str] = {
    "context": "Open the store's own URL to work with its context.",
    "settings": "They are the server's: `glymph config show` there lists them.",
    "conversations": "Search them with the tool search_history, or open the store's own URL.",
    "conversations.every": ON_THE_SERVER.format("memory history list"),
    "conversations.with_session": ON_THE_SERVER.format("memory history"),
    "conversations.folders": ON_THE_SERVER.format("memory history"),
    "conversations.carry_over": ON_THE_SERVER.format("memory history"),
    "conversations.erase": ON_THE_SERVER.format("memory history erase"),
    "export": ON_THE_SERVER.format("store export"),
    "import_": ON_THE_SERVER.format("store import"),
    "backup": ON_THE_SERVER.format("store backup"),
    "compact": ON_THE_SERVER.format("store compact"),
    "rename_space": ON_THE_SERVER.format("store space rename"),
    "delete_space": ON_THE_SERVER.format("store space delete"),
}
SAME = {"conflicts": "questions"}  # what a method was called before
