"""The activations of transformers, by the names that its configurations use."""

from typing import Any

from transformers.activations import ACT2FN


def __getattr__(name: str) -> Any:
    if name.startswith("__") or name not in ACT2FN:
        raise AttributeError(name)
    return ACT2FN[name]
