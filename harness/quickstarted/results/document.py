"""What all parts of the documents of results have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Document(BaseModel):
    """Nothing unknown is let in, nothing changes, and JSON has no word that is not JSON (NaN)."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
