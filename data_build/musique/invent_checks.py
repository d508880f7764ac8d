"""What must hold for invented rows, checked from the rows alone."""

from __future__ import annotations

import re
from collections import Counter

from data_build.musique.names import fold
from data_build.musique.wording import name_words

KEYS = ["id", "paragraphs", "question", "question_decomposition", "answer", "answer_aliases", "answerable"]
PARAGRAPH_KEYS = ["idx", "title", "paragraph_text", "is_supporting"]
STEP_KEYS = ["id", "question", "answer", "paragraph_support_idx"]
REFERENCES = {  # earlier answers that each hop of a shape refers to
    "2hop": [[], [1]], "3hop1": [[], [1], [2]], "3hop2": [[], [], [1, 2]],
    "4hop1": [[], [1], [2], [3]], "4hop2": [[], [], [1, 2], [3]], "4hop3": [[], [1], [], [2, 3]],
}  # fmt: skip
SHARES = {2: 0.52, 3: 0.31, 4: 0.17}
QUESTIONS, PASSAGES, WORDS = (270, 330), (2_700, 3_300), (40, 120)


def hop_query(row: dict, hop: int) -> str:
    """A hop's own question with the true earlier answers in place of `#1`, `#2`, …"""
    steps = row["question_decomposition"]
    return re.sub(r"#(\d)", lambda m: steps[int(m[1]) - 1]["answer"], steps[hop]["question"])


def has(text: str, name: str) -> bool:
    """Whether a folded name stands whole in a text."""
    return f" {fold(name)} " in f" {fold(text)} "


def check(rows: list[dict]) -> list[str]:
    """Everything that is wrong with invented rows, as short sentences that begin with the row's id; empty if sound."""
    problems = []
    for row in rows:
        found = _format(row) or _content(row)
        problems += [f"{row.get('id', '?')}: {problem}" for problem in found]
    return problems or _together(rows)


def _format(row: dict) -> list[str]:
    if list(row) != KEYS:
        return [f"the keys are {list(row)}"]
    problems = []
    steps, paragraphs = row["question_decomposition"], row["paragraphs"]
    shape, _, numbers = row["id"].partition("__")
    if shape not in REFERENCES or len(steps) != int(shape[0]):
        return [f"the shape {shape!r} does not fit {len(steps)} hops"]
    if any(list(p) != PARAGRAPH_KEYS for p in paragraphs) or any(list(s) != STEP_KEYS for s in steps):
        return ["a paragraph or a hop has other keys"]
    if numbers != "_".join(str(s["id"]) for s in steps):
        problems.append("the id is not made of the ids of the hops")
    if [p["idx"] for p in paragraphs] != list(range(20)):
        problems.append("idx is not 0 to 19")
    if len({(p["title"], p["paragraph_text"]) for p in paragraphs}) != len(paragraphs):
        problems.append("a paragraph occurs twice")
    support = [s["paragraph_support_idx"] for s in steps]
    if {p["idx"] for p in paragraphs if p["is_supporting"] is True} != set(support) or len(set(support)) != len(steps):
        problems.append("is_supporting does not mark one paragraph a hop")
    if row["answer"] != steps[-1]["answer"] or row["answerable"] is not True:
        problems.append("the answer is not that of the last hop, or answerable is not true")
    for i, (step, wanted) in enumerate(zip(steps, REFERENCES[shape], strict=True)):
        if sorted({int(n) for n in re.findall(r"#(\d)", step["question"])}) != wanted:
            problems.append(f"hop {i + 1} does not refer to {wanted}")
    for p in paragraphs:
        if not WORDS[0] <= len(p["paragraph_text"].split()) <= WORDS[1]:
            problems.append(f"paragraph {p['idx']} has {len(p['paragraph_text'].split())} words")
    return problems


def _content(row: dict) -> list[str]:
    problems = []
    steps = row["question_decomposition"]
    texts = [row["paragraphs"][s["paragraph_support_idx"]]["paragraph_text"] for s in steps]
    if not re.fullmatch(r"[A-Z][^?#{}<>]*\?", row["question"]):
        problems.append("the question does not run from a capital letter to one question mark")
    for i, step in enumerate(steps):
        if step["answer"] not in texts[i]:
            problems.append(f"the paragraph of hop {i + 1} lacks {step['answer']!r}")
        words = name_words(step["answer"]) or {fold(step["answer"])}
        if words & set(fold(row["question"]).split()):
            problems.append(f"the question names {step['answer']!r}")
        problems += [f"hop {j + 1} already shows {step['answer']!r}" for j in range(i) if has(texts[j], step["answer"])]
    if len({fold(s["answer"]) for s in steps}) != len(steps):
        problems.append("two hops have one answer")
    forms = [row["answer"], *row["answer_aliases"]]
    if len(set(forms)) != len(forms) or not all(f == f.strip() and fold(f) for f in forms):
        problems.append("an alias is empty or repeated")
    problems += [f"the question names {form!r}" for form in forms if has(row["question"], form)]
    return problems


def _together(rows: list[dict]) -> list[str]:
    problems = []
    for what, values in (("id", [r["id"] for r in rows]), ("question", [fold(r["question"]) for r in rows])):
        problems += [f"the {what} {v!r} occurs {n} times" for v, n in Counter(values).items() if n > 1]
    pool = {(p["title"], p["paragraph_text"]) for row in rows for p in row["paragraphs"]}
    titles: dict[str, set[str]] = {}
    for title, _ in pool:
        titles.setdefault(fold(title), set()).add(title)
    answers: dict[str, set[str]] = {}
    meanings: dict[str, set[str]] = {}
    for row in rows:
        for i, step in enumerate(row["question_decomposition"]):
            answers.setdefault(fold(hop_query(row, i)), set()).add(step["answer"])
        for alias in row["answer_aliases"]:
            meanings.setdefault(fold(alias), set()).add(row["answer"])
    problems += [f"{q!r} has the answers {sorted(found)}" for q, found in answers.items() if len(found) > 1]
    for alias, meant in meanings.items():
        others = (meant | titles.get(alias, set())) if len(alias) > 0 else meant
        if len({fold(m) for m in others}) > 1:
            problems.append(f"the alias {alias!r} could mean {sorted(others)}")
    problems += _other_statements(rows, pool)
    hops = Counter(int(row["id"][0]) for row in rows)
    for count, share in SHARES.items():
        if abs(hops[count] / len(rows) - share) > 0.03:
            problems.append(f"{hops[count]} of {len(rows)} questions have {count} hops, wanted about {share:.0%}")
    for what, n, (low, high) in (("questions", len(rows), QUESTIONS), ("passages", len(pool), PASSAGES)):
        if not low <= n <= high:
            problems.append(f"{n} {what}, wanted {low} to {high}")
    return problems


def _other_statements(rows: list[dict], pool: set[tuple[str, str]]) -> list[str]:
    """Passages under the title of a supporting one that say the same with another object."""
    by_title: dict[str, list[str]] = {}
    for title, text in pool:
        by_title.setdefault(title, []).append(text)
    problems = []
    for row in rows:
        for step in row["question_decomposition"]:
            gold = row["paragraphs"][step["paragraph_support_idx"]]
            for sentence in re.split(r"(?<=\.) ", gold["paragraph_text"]):
                before, found, after = sentence.partition(step["answer"])
                if not found or len(before.split()) + len(after.split()) < 3:
                    continue
                same = re.compile(re.escape(before) + r"([^,.;]{1,60})" + re.escape(after))
                told = {m[1].strip() for text in by_title[gold["title"]] for m in same.finditer(text)}
                if told - {step["answer"]}:
                    problems.append(f"{row['id']}: {gold['title']!r} also tells {sorted(told - {step['answer']})}")
    return problems
