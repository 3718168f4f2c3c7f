"""The price of a model's tokens: as set, nothing on this machine, as published, or unknown.

Published prices come from the package genai-prices, which carries them; nothing is fetched.
"""

from __future__ import annotations

import math
from importlib.util import find_spec

from glymph.errors import InvalidInput
from glymph.llm.dialogue import FREE, UNKNOWN, Prices

SAMPLE = 1000  # tokens; prices are those of a short call where they depend on its length


def prices_of(
    model: str, *, stated: str, is_here: bool = False, provider: str = "", url: str = ""
) -> Prices:
    """Returns the prices a model is charged with. Those of the settings come first."""
    if stated:
        return parse_prices(stated)
    return FREE if is_here else find_published(model, provider=provider, url=url) or UNKNOWN


def parse_prices(text: str) -> Prices:
    """Returns the prices in a text such as 0.15/0.60: USD per million tokens in and out."""
    try:
        price_in, price_out = (float(part) for part in text.split("/"))
    except ValueError:
        price_in = price_out = math.nan
    if not (0 <= price_in < math.inf and 0 <= price_out < math.inf):
        problem = (
            f"{text!r} is not two prices. Write USD per million tokens in and out, such as "
            "0.15/0.60."
        )
        raise InvalidInput("model_prices", problem)
    return Prices(price_in, price_out)


def find_published(model: str, *, provider: str = "", url: str = "") -> Prices | None:
    """Returns a model's published prices.

    None if they are not known or genai-prices is not installed.
    """
    if not model or find_spec("genai_prices") is None:
        return None
    from genai_prices import Usage, calc_price

    usage = Usage(input_tokens=SAMPLE, output_tokens=SAMPLE)
    try:
        if url:
            found = calc_price(usage, model, provider_api_url=url)
        else:
            found = calc_price(usage, model, provider_id=provider or None)
    except LookupError:
        return None
    scale = 1_000_000 / SAMPLE
    return Prices(float(found.input_price) * scale, float(found.output_price) * scale)
