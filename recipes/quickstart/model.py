"""Turns the `model` option into a file to serve, a name, a chat template and a context length."""

import re
from dataclasses import dataclass
from pathlib import Path

from recipes.quickstart.errors import QuickstartError
from recipes.quickstart.gguf import bundled_gguf, f16_copy, read_metadata

CHATML = Path(__file__).with_name("chatml.jinja")
MAX_CONTEXT = 8192
"""Tokens per conversation: what the bundled model was trained on. A longer-context model gets no more, so that its
KV cache fits a small machine."""

HUB_ID = re.compile(r"(?P<repo>[\w.-]+/[\w.-]+)(?::(?P<file>.+\.gguf))?")
PREFERRED = ("q8_0", "q4_k_m", "f16", "bf16")
"""Which of several files of a hub repository to take, in this order."""


@dataclass(frozen=True)
class Model:
    """A model ready to serve."""

    path: Path
    name: str
    """Model id for `vf-eval -m`."""
    context: int
    """Tokens per conversation."""
    template: Path | None = None
    """Jinja chat template file; None takes the one inside the GGUF file."""
    bundled: bool = False


def resolve_model(model: str | None) -> Model:
    """The model that `--model` names; None is the bundled one.

    Raises:
        QuickstartError: no such file or repository, not a GGUF file, or a chat template that drops tools.
    """
    if model is None:
        return Model(f16_copy(bundled_gguf()), "SmolLM2-135M-Instruct", MAX_CONTEXT, CHATML, bundled=True)
    path = Path(model).expanduser()
    hub_id = HUB_ID.fullmatch(model)
    if not path.is_file():
        if path.is_dir() or not hub_id or (model.endswith(".gguf") and not hub_id["file"]):
            raise QuickstartError(f"model: no file {model}; give a FILE.gguf, owner/name or owner/name:FILE.gguf")
        path = _download(hub_id["repo"], hub_id["file"])
    metadata = read_metadata(path)
    trained = metadata.get(f"{metadata.get('general.architecture')}.context_length")
    template = _template(path, str(metadata.get("tokenizer.chat_template", "")))
    return Model(path, path.stem, min(int(trained or MAX_CONTEXT), MAX_CONTEXT), template)


def _template(path: Path, own: str) -> Path | None:
    """The model's own template if it renders tools; ours if it is a ChatML template without them."""
    if "tools" in own:
        return None
    if "<|im_start|>" in own:
        return CHATML
    raise QuickstartError(f"model: the chat template of {path.name} takes no tools; use a tool-calling model")


def _download(repo: str, filename: str | None) -> Path:
    from httpx import HTTPError
    from huggingface_hub import hf_hub_download, list_repo_files
    from huggingface_hub.errors import HFValidationError

    try:
        filename = filename or choose_file(repo, list_repo_files(repo))
        return Path(hf_hub_download(repo, filename))
    except (HTTPError, OSError, HFValidationError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise QuickstartError(
            f"model: cannot get {repo} from the hub ({type(error).__name__}: {reason}); "
            "check the id and the network, or give a FILE.gguf"
        ) from error


def choose_file(repo: str, files: list[str]) -> str:
    """The GGUF file of a repository to serve: the only one, or the first kind in `PREFERRED`.

    Raises:
        QuickstartError: none, or no single best one.
    """
    # Split files and projectors of vision models cannot be served alone.
    ggufs = sorted(f for f in files if f.endswith(".gguf") and not re.search(r"-of-\d+\.gguf$|mmproj", f))
    if not ggufs:
        raise QuickstartError(f"model: {repo} has no single-file GGUF; name a repository of GGUF files")
    if len(ggufs) == 1:
        return ggufs[0]
    for kind in PREFERRED:
        matches = [f for f in ggufs if re.search(rf"[-._]{kind}\.gguf$", f, re.IGNORECASE)]
        if len(matches) == 1:
            return matches[0]
    raise QuickstartError(f"model: {repo} has {len(ggufs)} GGUF files; name one, as in {repo}:{ggufs[0]}")
