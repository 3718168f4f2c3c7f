"""The HTTP service: `/v1` for programs, MCP for agents and pages for people, on one port.

    access     who asks: `Access` says which spaces a request may open, as whom, and in which role
    app        `make_app(service)`: the FastAPI application, with every route in its place;
               `serve_all` is that with MCP beside it, behind the limits
    serving    `Service`: the handles, the tokens and the threads that all routes share
    problems   errors as problem+json (RFC 9457), by one table from errors to status codes
    calling    runs a function or tool once for its request, and answers with its data
    events     what happens in a space, as it happens: streams of server-sent events
    retelling  what a request that is repeated is answered
    tokens     made, listed, revoked, and recognised by their hash
    limits     names, size, depth, rate and time of requests
    metrics    figures of the process for Prometheus
    heap       `bound_heaps()`, `giving_back()`: threads do not keep the memory that they freed
    routes     a router a file; each says which role it needs and calls what the tools call

How other routes are added: write a module with an `APIRouter` called `router` and name it in
`routes.ROUTERS` (in the OpenAPI document) or `routes.PAGES` (for people, not in the document). A
route gets its handle by a dependency, and never opens one itself:

    from glymph.service.calling import respond
    from glymph.service.serving import READ, Asked

    @router.get("/v1/memory-health")
    async def health(asked: Asked = READ) -> Response:
        return respond(await asked.run(lambda glymph: glymph.health()))

READ, WRITE, CURATE and ADMIN are `asked(role)`: the token, the role and the space (header
`Glymph-Space`; pages: `asked(role, pages=True)`, `?space=`) were checked before the route begins.
`asked.access` says who it is, `asked.space` where, and `asked.run` runs a function with the handle
of that space and actor in a worker thread, of which there are few. Errors of Glymph's are raised,
not caught: `problems` turns them into answers. A page that keeps people signed in passes the token
it was given to `Service.admit`.
"""
