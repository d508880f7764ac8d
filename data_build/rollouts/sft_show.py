"""`data-build sft-show FOLDER --model MODEL`: which tokens of a training folder carry the loss.

Loads and renders the rows as prime-rl 0.8.0 does (sft_rows.py). Ends with exit code 1 where a token of a system, user
or tool message is trained, which is what huggingface/trl#4975 reports.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig
from rich.console import Console
from rich.text import Text

from data_build.config import read_config
from data_build.rollouts.command import split_runs
from data_build.rollouts.sft_rows import Sample, first_line, read_rows, training_sample

TRAINED = "black on green"
OPEN, CLOSE = "⟦", "⟧"
"""Around trained text where the output has no colours."""


class ShowConfig(BaseConfig):
    folder: Path
    """Folder that `data-build sft` wrote, or another that prime-rl's `data.name` may name; also without the flag, in
    front of the others."""
    model: str
    """Model folder or hub id, as `model.name` of the recipe: its tokenizer cuts the text."""
    renderer: str = "auto"
    """As `renderer.name` of the recipe, or as its `import_path` (`smollm2_chatml.SmolLM2Renderer`)."""
    rows: int = Field(2, ge=0)
    """Rows to print, from the first; the numbers and the check are always over all."""
    seq_len: int | None = Field(None, ge=1)
    """As `data.seq_len` of the recipe: count the rows that it cuts off."""


@dataclass
class Totals:
    """What is counted over all rows."""

    seq_len: int | None
    tokens: list[int] = field(default_factory=list)
    trained: list[int] = field(default_factory=list)
    too_long: int = 0
    """Rows that `seq_len` cuts."""
    lost: int = 0
    """Trained tokens behind the cut."""
    skipped: int = 0
    """Rows without a trained token before it."""
    wrong: Counter[str] = field(default_factory=Counter)
    """Role → trained tokens of it, the assistant's left out."""
    wrong_rows: list[int] = field(default_factory=list)

    def add(self, sample: Sample) -> None:
        wrong = Counter(
            role for role, trained in zip(sample.roles, sample.trained, strict=True) if trained and role != "assistant"
        )
        if wrong:
            self.wrong += wrong
            self.wrong_rows.append(len(self.tokens))
        # The last token is only predicted, so prime-rl feeds one token fewer than a row has and cuts that at seq_len.
        targets = sample.trained[1:]
        kept = targets if self.seq_len is None else targets[: self.seq_len]
        self.too_long += len(targets) > len(kept)
        self.lost += sum(targets) - sum(kept)
        self.skipped += not any(kept)
        self.tokens.append(len(sample.tokens))
        self.trained.append(sum(sample.trained))

    def lines(self) -> list[str]:
        total, trained = sum(self.tokens), sum(self.trained)
        # Nearest rank: each figure is the length of a row.
        middle, p99 = (int(p) for p in np.percentile(self.tokens, [50, 99], method="inverted_cdf"))
        lines = [
            f"all {len(self.tokens):,} rows: {total:,} tokens, {trained:,} trained ({trained / total:.1%})",
            f"tokens a row: min {min(self.tokens):,}, median {middle:,}, p99 {p99:,}, max {max(self.tokens):,}",
        ]
        if self.seq_len is not None:
            cut = f"; prime-rl cuts their ends off, {self.lost:,} trained tokens with them" if self.too_long else ""
            lines.append(f"longer than seq_len {self.seq_len:,}: {self.too_long:,} rows{cut}")
        if self.skipped:
            lines.append(f"warning: {self.skipped:,} rows have no trained token (within seq_len); prime-rl skips them")
        return lines

    def check(self) -> None:
        """Raises ValueError where the mask holds what it must not, or nothing."""
        if self.wrong:
            found = ", ".join(f"{count:,} of {role or 'no'} messages" for role, count in self.wrong.most_common())
            raise ValueError(
                f"tokens that the model does not write are trained: {found}, in {len(self.wrong_rows):,} rows, the "
                f"first is row {self.wrong_rows[0]}; the renderer's sampled_mask is wrong, so do not train with it"
            )
        if not any(self.trained):
            raise ValueError("no token of any row is trained: has the folder assistant messages?")


def main(arguments: Sequence[str]) -> None:
    folders, rest = split_runs(arguments)
    if len(folders) > 1:
        raise SystemExit(f"data-build sft-show: name one folder, not {len(folders)} ({', '.join(map(str, folders))})")
    named = [word for folder in folders for word in ("--folder", str(folder))]
    config = read_config(ShowConfig, "sft-show FOLDER", [*named, *rest])
    try:
        show(config, Console())
    except ValueError as e:
        raise SystemExit(f"data-build sft-show: {e}") from None


def show(config: ShowConfig, console: Console) -> None:
    """Prints the first rows with trained text highlighted, then the numbers of all rows.

    Raises:
        ValueError: the folder, the model or the renderer is not usable, a row cannot be rendered, or the mask is wrong.
    """
    choice = renderer_config(config.renderer, config.model)
    colours = console.color_system is not None and not console.no_color
    totals = Totals(config.seq_len)
    with TemporaryDirectory() as cache:
        rows = read_rows(config.folder, Path(cache))
        tokenizer, renderer = load_renderer(choice, config.model)
        if config.rows:
            console.print(Text("trained: ").append(*(("this", TRAINED) if colours else (f"{OPEN}this{CLOSE}",))))
        for number, row in enumerate(cast("Iterable[dict[str, Any]]", rows)):
            try:
                sample = training_sample(renderer, row)
            except Exception as e:  # a renderer raises what it likes
                raise ValueError(f"row {number} cannot be rendered ({type(e).__name__}: {first_line(e)})") from None
            totals.add(sample)
            if number < config.rows:
                console.print(heading(number, sample), style="bold", highlight=False, soft_wrap=True)
                console.print(marked(sample, tokenizer.decode, colours), soft_wrap=True)
    console.print("\n".join(totals.lines()), highlight=False, soft_wrap=True, markup=False)
    totals.check()
    console.print("check: no token of a system, user or tool message is trained", highlight=False)


def renderer_config(name: str, model: str) -> Any:
    """The renderer that prime-rl takes for `renderer.name`, or for that import path. Raises ValueError for none."""
    from renderers import AutoRendererConfig, CustomRendererConfig, config_from_name
    from renderers.base import MODEL_RENDERER_MAP

    fix = "name one that writes the model's chat template: --renderer qwen3, or smollm2_chatml.SmolLM2Renderer"
    if name == "auto":
        if model not in MODEL_RENDERER_MAP:
            raise ValueError(f"model: the renderers package knows no renderer for {model}, so `sft` refuses it; {fix}")
        return AutoRendererConfig()
    if name == "default":
        raise ValueError(f"renderer: `sft` refuses default, which cannot say what the model writes; {fix}")
    try:
        return config_from_name(name)
    except ValueError:
        if not {".", ":"} & set(name):
            known = ", ".join(sorted(set(MODEL_RENDERER_MAP.values())))
            raise ValueError(f"renderer: {name} is neither an import path nor one of {known}") from None
    try:
        return CustomRendererConfig(import_path=name)
    except Exception as e:  # it imports the path, and a module raises what it likes
        raise ValueError(f"renderer: {name} cannot be imported ({type(e).__name__}: {first_line(e)})") from None


def load_renderer(choice: Any, model: str) -> tuple[Any, Any]:
    """Tokenizer and renderer. Raises ValueError where one of them cannot be made."""
    import transformers
    from renderers import create_renderer

    transformers.logging.set_verbosity_error()  # else it warns of rows longer than the model's context
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    except Exception as e:  # transformers raises what its parts raise
        fix = "name a model folder with its tokenizer, or a hub id while the hub can be reached"
        raise ValueError(f"model: no tokenizer for {model} ({first_line(e)}); {fix}") from None
    try:
        return tokenizer, create_renderer(tokenizer, choice)
    except Exception as e:  # as above
        name = getattr(choice, "import_path", choice.name)
        raise ValueError(f"renderer: {name} cannot be made for {model} ({type(e).__name__}: {first_line(e)})") from None


def heading(number: int, sample: Sample) -> str:
    lengths = [len(tokens) for trained, tokens in sample.spans() if trained]
    total, trained = len(sample.tokens), sum(lengths)
    longest = f" in {len(lengths)} spans, the longest of {max(lengths):,}" if lengths else ""
    return f"row {number}: {total:,} tokens, {trained:,} trained ({trained / total:.1%}){longest}"


def marked(sample: Sample, decode: Callable[..., str], colours: bool) -> Text:
    """The row's text, trained spans coloured or between marks."""
    shown = Text()
    for trained, tokens in sample.spans():
        part = decode(tokens, skip_special_tokens=False, clean_up_tokenization_spaces=False)
        part = part.replace("\x1b", "␛")  # an escape sequence of a tool result would act on the terminal
        shown.append(part if colours or not trained else f"{OPEN}{part}{CLOSE}", TRAINED if trained else None)
    return shown
