"""`uv run scripted-teacher`: serve the scripted teacher until Ctrl-C, as the model of `vf-eval`."""

import asyncio
import contextlib

from aiohttp import web

from recipes.teacher.config import TeacherConfig


def main() -> None:
    """Console entry. Exit code 1 for a problem told in one line."""
    from pydantic_config import cli

    config = cli(TeacherConfig)
    with contextlib.suppress(KeyboardInterrupt):
        try:
            asyncio.run(_serve(config))
        except (ValueError, OSError) as e:
            raise SystemExit(f"scripted-teacher: {e}") from None


async def _serve(config: TeacherConfig) -> None:
    from recipes.teacher.server import MODEL, application, load_teacher

    teacher = load_teacher(config)
    runner = web.AppRunner(application(teacher), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", config.port, backlog=1024).start()
        port = runner.addresses[0][1]
        print(
            f"{MODEL} at http://127.0.0.1:{port}/v1: a script, no model; it knows {len(teacher.mails):,} e-mails of "
            f"supplier-invoices, {len(teacher.questions):,} questions of musique-search and "
            f"{len(teacher.problems):,} problems of math-reasoning",
            flush=True,
        )
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


if __name__ == "__main__":
    main()
