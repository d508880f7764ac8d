r"""How often math-verify alone and slm_rewards give the right verdict on labelled answers.

Both get the same strings: the answer as `extract_answer` reads it, the gold as the data has it. math-verify gets them
as verifiers' own gsm8k environment hands them over, in a box each, with its default settings. Labels are those of the
data; `reviewed` corrects the ones that `REVIEWED` argues against, one by one.
"""

import sys
from collections.abc import Callable, Sequence

from math_verify import parse, verify
from rich.console import Console
from rich.table import Table

from benchmarks.verdict_data import Labelled, cases, gsm8k_answers, math_rollouts, math_verify_pairs
from benchmarks.verdict_pairs import KINDS
from slm_rewards.math import configure, judge_blocking
from slm_rewards.math.symbolic import enormous

REVIEWED: dict[tuple[str, str], tuple[bool, str]] = {
    ("4:30p..", r"4:30 \text{ p.m.}"): (True, "the label's gold lost its last letters; the answer is right"),
    ("10{,}000", "10000"): (True, "the labelling checker did not read the separator"),
    ("$(1,3)$", "${1,3}$"): (False, "a bare list is no ordered pair (MV-12)"),
    (r"$1 - \frac{1}{\mathrm{e}}$", r"$1 + \frac{1}{\mathrm{e}}$"): (False, "another sign is another number"),
    ("$f(x)$", "$f(y)$"): (False, "the label holds for math-verify's strict=False only"),
    (r"$(\begin{pmatrix}\frac{1}{3}\\ \frac{1}{5} \end{pmatrix})$", r"$\begin{pmatrix}0.33\\0.2 \end{pmatrix}$"): (
        False,
        "the label holds for two decimals of precision; a rounded decimal needs six digits (MV-21)",
    ),
    (r"$(\frac{3}{5},\frac{8}{3}]$", "$(0.6,2.6667]$"): (
        False,
        "the label holds for four decimals of precision; a rounded decimal needs six digits (MV-21)",
    ),
    ("$9$", " \n 9 \n "): (True, "the label is about a formula over two lines, which is read here"),
    ("$10455$", "255"): (False, "the box holds a step, the answer stands in prose, where none is read (EX-05)"),
    ("\\\\boxed{W(n) = 1 \\\\text{ and } W(n) = -1", "W(x)=1orW(x)=-1"): (
        False,
        "the gold's box is unclosed: refused at load",
    ),
    ("1,22", "1.22"): (False, "the label holds for plain text only; in LaTeX `1,22` lists two numbers"),
}
"""Labels that are wrong or hold for other settings: the verdict instead, and why."""

Checker = Callable[[str, str], bool]


def math_verify_alone(gold: str, answer: str) -> bool:
    """math-verify's verdict as verifiers' gsm8k environment asks for it; towers are spared it, for it hangs."""
    if enormous(gold) or enormous(answer):
        return gold == answer
    try:
        return bool(verify(parse("\\boxed{" + gold + "}"), parse("\\boxed{" + answer + "}")))
    except Exception:
        return False


def ours(gold: str, answer: str) -> bool:
    """The verdict of `slm_rewards.math`."""
    return judge_blocking(answer, gold)


def run() -> int:
    """Prints the tables; 1 if ours is behind on a set with reviewed labels, or wrong on a case or on a pair by kind."""
    configure(workers=2)
    pairs, prose = math_verify_pairs()
    by_hand = [pair for kind in KINDS.values() for pair in kind]
    sets: dict[str, list[Labelled]] = {
        f"math-verify's test pairs (without {prose} in prose)": pairs,
        "GSM8K answers of four GPT-3 models": gsm8k_answers(),
        "MATH rollouts of a Qwen model": math_rollouts(),
        "reported cases (MV)": cases(),
        "pairs by kind, by hand": by_hand,
    }
    console = Console(width=None if sys.stdout.isatty() else 140)
    table = Table(
        "set", "answers", "distinct", "math-verify", "ours", "reviewed: math-verify", "ours", title="Right verdicts"
    )
    wrong: list[tuple[str, str, str, bool, bool]] = []
    failed = False
    for name, labelled in sets.items():
        if not labelled:
            table.add_row(name, "0", "", "no data here", "", "", "")
            continue
        verdicts = {pair: (math_verify_alone(*pair), ours(*pair)) for pair in {(g, a) for g, a, _ in labelled}}
        right = [0, 0, 0, 0]
        for gold, answer, label in labelled:
            reviewed = REVIEWED.get((gold, answer), (label, ""))[0]
            for place, verdict in enumerate(verdicts[gold, answer]):
                right[place] += verdict == label
                right[place + 2] += verdict == reviewed
            entry = (name, gold, answer, label, verdicts[gold, answer][1])
            if verdicts[gold, answer][1] != label and entry not in wrong:
                wrong.append(entry)
        total = len(labelled)
        shares = [f"{count / total:.1%}" for count in right]
        table.add_row(name, str(total), str(len(verdicts)), *shares)
        failed |= right[3] < right[2] or (name.startswith(("reported", "pairs by")) and right[3] < total)
    console.print(table)
    console.print(_kinds())
    console.print(_disagreements(wrong))
    return int(failed)


def _kinds() -> Table:
    table = Table("kind", "pairs", "math-verify", "ours", title="Pairs by kind: right verdicts")
    for kind, pairs in KINDS.items():
        right = [
            sum(checker(gold, answer) == same for gold, answer, same in pairs) for checker in (math_verify_alone, ours)
        ]
        table.add_row(kind, str(len(pairs)), *map(str, right))
    return table


def _disagreements(wrong: list[tuple[str, str, str, bool, bool]]) -> Table:
    table = Table("set", "gold", "answer", "label", "ours", "why", title="Where ours is not the label")
    for name, gold, answer, label, verdict in wrong:
        reason = REVIEWED.get((gold, answer), (label, "ours is wrong"))[1]
        table.add_row(name.split(" (")[0], gold[-60:], answer[-60:], str(label), str(verdict), reason)
    return table


def main(arguments: Sequence[str] = ()) -> None:
    """Runs the benchmark; it takes no arguments."""
    if arguments:
        sys.exit("verdict-quality: takes no arguments")
    sys.exit(run())
