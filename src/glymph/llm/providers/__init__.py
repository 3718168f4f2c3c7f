"""Language models, one provider a file; the file is named like its scheme and has a `PROVIDER`.

    def from_spec(detail: str, *, url: str, key: str, prices: str) -> MyModel:
        return MyModel(detail, key=key)

    PROVIDER = ModelProvider("mine:MODEL", from_spec)

A provider of another package is the same value, named by an entry point that is called like the
scheme:

    [project.entry-points."glymph.models"]
    mine = "my_package.models:PROVIDER"
"""
