"""One look at what a server offers besides tools, for tests of every way to it."""

from __future__ import annotations

import re

from mcp.types import ResourceTemplateReference

TEXT = "The goldcrest nests by the chapel."


async def look_at_everything(client):
    """The digest, one memory by its beginning, the prompt and the completion of an id."""
    listed = await client.list_resources()
    (digest,) = listed.resources
    told = [(await client.read_resource(digest.uri)).contents[0].text]
    templates = (await client.list_resource_templates()).resource_templates
    ref = ResourceTemplateReference(uri=templates[0].uri_template)
    found = await client.complete(ref, {"name": "id", "value": ""})
    uri = templates[0].uri_template.replace("{id}", found.completion.values[0])
    told.append((await client.read_resource(uri)).contents[0].text)
    (prompt,) = (await client.list_prompts()).prompts
    asked = await client.get_prompt(prompt.name, {"topic": "birds"})
    told.append(asked.messages[0].content.text)
    return told


def check(told):
    digest, memory, prompt = told
    assert TEXT in digest
    assert re.match(r"[\w-]{8,}, \w+, [A-Z]+, ", memory)
    assert "birds" in prompt
    assert "analyze_memory" in prompt
