"""Examples of requests for the OpenAPI document, by the tool that answers them."""

from __future__ import annotations

from typing import Any

from fastapi import Body

from glymph.tools.contract import Tool

ID, OTHER = "0190a5c0-0000-7000-8000-000000000000", "0190a5c0-0000-7000-8000-000000000001"
PLAN = "0123456789abcdef0123456789abcdef"
BODIES: dict[str, dict[str, Any]] = {
    "analyze_memory": {"min_staleness": 0.5, "max_groups": 5},
    "answer_question": {"id": ID, "choice": "keep_both"},
    "batch_prune": {"plan": PLAN, "groups": [1, 3], "action": "archive"},
    "execute_prune": {"node_ids": [ID], "reason": "staleness"},
    "forget_concept": {"request": "alice@acme.io", "mode": "release"},
    "get_autonomous_status": {},
    "get_costs": {"days": 7},
    "get_memetic_status": {},
    "get_memory_health": {},
    "get_operations": {"limit": 20, "verb": "add"},
    "get_pruning_candidates": {"limit": 20},
    "manage_clusters": {"action": "create", "name": "travel", "tag": "travel"},
    "manage_conflicts": {"action": "list"},
    "match_playbooks": {"situation": "The deployment failed on a missing variable."},
    "memory_add": {"text": "Tea is at four.", "kind": "fact", "tags": ["routine"]},
    "memory_delete": {"ids": [ID], "action": "archive", "reason": "out of date"},
    "memory_get": {"id": ID, "history": True},
    "memory_link": {"source": ID, "target": OTHER, "type": "part_of"},
    "memory_recall": {"query": "When is tea?", "budget_tokens": 500},
    "memory_report": {"recall_id": ID, "used": [OTHER]},
    "memory_search": {"query": "tea", "limit": 5, "tags": ["routine"]},
    "memory_supersede": {"old": ID, "new_text": "Tea is at five."},
    "memory_update": {"id": ID, "title": "Tea", "reason": "shorter"},
    "memory_write": {"text": "I look after a small garden.", "mode": "append"},
    "merge_memories": {"ids": [ID, OTHER], "text": "Tea is at four, on weekdays at five."},
    "pin_memory": {"id": ID},
    "restore_from_hash": {"hash": "0" * 64},
    "restore_memory": {"ids": [ID]},
    "search_history": {"query": "the release", "limit": 5},
    "trigger_consolidation": {"grouping": ["tag"]},
    "undo_operation": {"operation_id": ID},
}


def body_of(tool: Tool) -> Any:
    """Returns how the body of a tool's request is described; a package's tool has no example."""
    example = BODIES.get(tool.name)
    return Body(examples=None if example is None else [example])
