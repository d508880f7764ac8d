"""Tool calls for SmolLM2-Instruct: `[orchestrator.renderer] name = "custom"`, `import_path` as below.

`smollm2_chatml.SmolLM2Renderer` is imported when asked for, so that `python -m smollm2_chatml.prepare` needs nothing
beyond the standard library.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from smollm2_chatml.renderer import SmolLM2Renderer, SmolLM2RendererConfig

__all__ = ["SmolLM2Renderer", "SmolLM2RendererConfig"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from smollm2_chatml import renderer

        return getattr(renderer, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
