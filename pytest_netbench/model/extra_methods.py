"""The ANI methods beyond the draft's four: their names, and what a request to each is for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

SEARCH_MANUAL: Final = "search-manual"
GET_REACHABILITY: Final = "get-reachability"

EXTRA_METHODS: Final[Mapping[str, Literal["look", "measure"]]] = {
    SEARCH_MANUAL: "look",
    GET_REACHABILITY: "measure",
}
"""Only agents whose file asks for them have them. What they send and get is in ``ani.extras``."""
