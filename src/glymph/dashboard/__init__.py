"""The dashboard: pages for people, on the port of the service.

    mount      `add_pages(app)` puts the pages into an application of the service
    page       `Page`: where a page is, what it is called, and its routes; `pages/` has one a file
    visit      who looks at a page: the sign-in kept in a cookie, the space, and the way to a handle
    sign_in    links that let somebody in once, and the proof that a form is one of ours
    render     templates, and how values look to people
    live       the stream by which open pages learn that something has changed
    charts     pictures as numbers: bars, areas and curves that templates draw as SVG

A page is one file in `pages` and one template of its name. The file has a constant `PAGE`; nothing
else is edited. Its functions call what tools and commands call, and hand values to the template:

    router = page_router()
    PAGE = Page("Questions", "/questions", router, group=DECIDE, order=20)

    @router.get("/questions")
    async def show(visit: Visit = READ) -> Response:
        return visit.show("questions.html", questions=await visit.run(lambda g: g.questions()))

A package adds a page by an entry point of the group `glymph.pages`. No page runs a script or a
style that is not a file of ours: the policy in `visit` forbids it.
"""
