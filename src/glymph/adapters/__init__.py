"""Ways in for frameworks, each one file: their interface on our store.

    langgraph       GlymphStore, a BaseStore
    mem0            Memory, with mem0's names, arguments and answers
    anthropic       MemoryTool, the commands on /memories
    openai_agents   GlymphSession, and function tools
    langchain       GlymphChatHistory, and tools
    llamaindex      GlymphMemoryBlock
    schema          tool definitions for any other framework, and the function that answers a call

`extras` names the package that is missing, `named` finds memories by an address of the framework's,
`transcript` keeps the messages of a session. What is written through them goes through the
operations of the store: with an actor, a session where the framework knows it, and a way back.
"""
