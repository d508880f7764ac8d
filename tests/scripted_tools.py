"""Tools of the scripted tasks. Annotations must be real types here: the tool server reads them."""

import asyncio
import base64

import verifiers.v1 as vf
from mcp.types import ImageContent, TextContent

PIXEL = base64.b64encode(b"not really a picture").decode()


class ScriptedTools(vf.Toolset[vf.SharedToolsetConfig, vf.State]):
    TOOL_PREFIX = None

    @vf.tool
    def echo(self, text: str) -> str:
        """Return the text."""
        return text

    @vf.tool
    def add(self, a: int, b: int) -> int:
        """Add two whole numbers."""
        return a + b

    @vf.tool
    def boom(self) -> str:
        """Raise an exception."""
        raise RuntimeError("boom went the tool")

    @vf.tool
    def huge(self, lines: int) -> str:
        """Return many lines."""
        return "\n".join(f"line {i} åäö" for i in range(lines))

    @vf.tool
    def rows(self, count: int) -> list[dict]:
        """Return a list of objects."""
        return [{"row": i} for i in range(count)]

    @vf.tool
    def picture(self) -> list[TextContent | ImageContent]:
        """Return a text and an image."""
        return [
            TextContent(type="text", text="a picture"),
            ImageContent.model_validate({"type": "image", "data": PIXEL, "mimeType": "image/png"}),
        ]

    @vf.tool
    async def slow(self, seconds: float) -> str:
        """Return after a while."""
        await asyncio.sleep(seconds)
        return "done"


if __name__ == "__main__":
    ScriptedTools.run()
