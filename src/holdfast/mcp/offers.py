"""What the server offers, without the SDK: tools that are called, resources that are read, prompts.

An offer is a function with what a client is told of it. The function holds no rule of ours; what it
raises as a HoldfastError is told as one line and a hint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Tool:
    """Its name is the function's, its schemas come from the function's types."""

    function: Callable[..., Any]
    title: str
    description: str
    reads_only: bool = False
    destroys: bool = False
    repeats: bool = False  # called twice with the same words, it does no more than once

    @property
    def name(self) -> str:
        return self.function.__name__


@dataclass(frozen=True, slots=True)
class Resource:
    """A text at an address; `{name}` in it is the function's argument."""

    uri: str
    function: Callable[..., str]
    title: str
    description: str
    mime_type: str = "text/markdown"


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a person may ask for by name."""

    name: str
    function: Callable[[], str]
    title: str
    description: str


@dataclass(frozen=True, slots=True)
class Offers:
    tools: tuple[Tool, ...]
    resources: tuple[Resource, ...]
    prompts: tuple[Prompt, ...]
