import gzip
import json
import multiprocessing
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import datasets
import pytest

from data_build.musique import build
from data_build.musique.invent import invent
from musique_search import corpus as corpus_module
from musique_search import sources
from musique_search.corpus import build_corpus, corpus_folder, indexed_text, open_corpus
from musique_search.index import corpus_hash
from musique_search.rows import held_out_texts, question_key
from musique_search.sources import PAIR, read_hub, read_pair, read_rows

SHARED = Path(__file__).parents[2] / "shared" / "data"
shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the MuSiQue rows of ../shared/data are not here")
SOURCE = {"kind": "test", "sha256": "0"}


def row(number: int, **changes: object) -> dict:
    """A two-hop row of the original format over four paragraphs, two of them shared with every other row."""
    titles = ["Shared", "Shared", f"Person {number}", f"Place {number}"]
    texts = ["one text", "another text", f"Person {number} lives in Place {number}.", f"Place {number} is a town."]
    return {
        "id": f"2hop__{number}",
        "question": f"What is the home of person {number}?",
        "answer": "a town",
        "answer_aliases": ["town", "town", " "],
        "answerable": True,
        "paragraphs": [
            {"idx": i, "title": title, "paragraph_text": text, "is_supporting": i > 1}
            for i, (title, text) in enumerate(zip(titles, texts, strict=True))
        ],
        "question_decomposition": [
            {"id": 1, "question": "Person >> home", "answer": f"Place {number}", "paragraph_support_idx": 2},
            {"id": 2, "question": "#1 >> kind", "answer": "a town", "paragraph_support_idx": 3},
        ],
    } | changes


def write(path: Path, rows: list[dict]) -> Path:
    path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), encoding="utf-8")
    return path


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_paragraphs_are_pooled_and_questions_point_into_the_pool(tmp_path: Path) -> None:
    manifest = build_corpus([row(i) for i in range(20)], tmp_path / "corpus", source=SOURCE)
    corpus = open_corpus(tmp_path / "corpus")
    assert (manifest.paragraphs, manifest.passages, manifest.titles) == (80, 42, 41)
    assert len(corpus.passages) == 42
    question = corpus.questions[7]
    assert question.id == "2hop__7"
    assert question.aliases == ["town"]
    assert [hop.question for hop in question.hops] == ["Person >> home", "#1 >> kind"]
    assert [hop.passage for hop in question.hops] == question.supporting
    assert [corpus.passages[number].title for number in question.supporting] == ["Person 7", "Place 7"]
    assert corpus.passages[-1] == corpus.passages[41] == corpus.passages[40:][1]
    assert corpus.manifest.corpus_sha256 == corpus_hash(map(indexed_text, corpus.passages))
    assert corpus.index.search("Where does person 7 live", 1)[0][0] == question.supporting[0]
    with pytest.raises(IndexError, match="no text 42: there are 42"):
        corpus.passages[42]


def test_typing_differences_do_not_make_two_passages(tmp_path: Path) -> None:
    spellings = [
        ("Malmö", "on  the\u00a0coast"),
        ("Malmo\u0308", "on the coast "),
        (None, "on the coast"),
        ("malmö", "on the coast"),
    ]
    paragraphs = [
        {"idx": i, "title": title, "paragraph_text": text, "is_supporting": False}
        for i, (title, text) in enumerate(spellings)
    ]
    steps = [{"id": i, "question": "q", "answer": "a", "paragraph_support_idx": i} for i in range(4)]
    build_corpus([row(1, paragraphs=paragraphs, question_decomposition=steps)], tmp_path / "c", source=SOURCE)
    corpus = open_corpus(tmp_path / "c")
    assert [hop.passage for hop in corpus.questions[0].hops] == [0, 0, 1, 2]
    assert list(corpus.passages) == [("Malmö", "on  the\u00a0coast"), ("", "on the coast"), ("malmö", "on the coast")]
    assert corpus.questions[0].supporting == [0, 1, 2]


def test_unanswerable_and_uncovered_rows_are_left_out_and_counted(tmp_path: Path) -> None:
    steps = [{"id": 1, "question": "q", "answer": "a", "paragraph_support_idx": number} for number in (2, None)]
    other = [{"id": 1, "question": "q", "answer": "a", "paragraph_support_idx": 9}]
    rows = [
        row(0),
        row(1, answerable=False),
        row(2, question_decomposition=steps),
        row(3, question_decomposition=other),
    ]
    manifest = build_corpus(rows, tmp_path / "corpus", source=SOURCE)
    assert (manifest.rows, manifest.unanswerable, manifest.uncovered, manifest.questions) == (4, 1, 2, 1)
    assert (manifest.by_hops, manifest.kept_by_hops) == ({1: 1, 2: 2}, {2: 1})
    titles = {passage.title for passage in open_corpus(tmp_path / "corpus").passages}
    assert {"Person 2", "Person 3"} < titles
    assert "Person 1" not in titles
    with pytest.raises(ValueError, match="no question is left"):
        build_corpus(rows[1:], tmp_path / "none", source=SOURCE)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"question": ""}, r"row 2 \(2hop__1\): question: "),
        ({"answer": None}, r"row 2 \(2hop__1\): answer: "),
        ({"id": 5}, r"row 2 \(5\): id: "),
        ({"paragraphs": [{"idx": 0, "title": "x"}]}, r"row 2 \(2hop__1\): paragraphs\.0\.paragraph_text: "),
        ({"question_decomposition": []}, r"row 2 \(2hop__1\): question_decomposition: "),
        ({"id": "2hop__0"}, "row 2: id '2hop__0' occurs twice"),
    ],
)
def test_a_bad_row_is_named_with_its_field(changes: dict, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message) as error:
        build_corpus([row(0), row(1, **changes)], tmp_path / "corpus", source=SOURCE)
    assert "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_split_sizes_are_exact_and_equal_texts_stay_together() -> None:
    questions = [f"Question {i}?" for i in range(2400)] + ["Twice  asked?", "twice asked?"] * 8 + ["Once more?"]
    held_out = held_out_texts(questions, 0.1, 0)
    assert sum(question_key(question) in held_out for question in questions) == 242
    assert held_out_texts(questions[::-1], 0.1, 0) == held_out
    assert held_out_texts(questions, 0.1, 1) != held_out
    assert held_out_texts(questions, 0, 0) == set()
    assert held_out_texts(["Same?"] * 10, 0.1, 0) == set()


@pytest.mark.parametrize("eval_ratio", [-0.1, 1.0])
def test_eval_ratio_is_checked(eval_ratio: float, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="eval_ratio must be at least 0 and below 1"):
        build_corpus([row(0)], tmp_path / "corpus", source=SOURCE, eval_ratio=eval_ratio)


def test_the_same_inputs_give_the_same_folder(tmp_path: Path) -> None:
    for name in "ab":
        build_corpus((row(i) for i in range(30)), tmp_path / name, source=SOURCE, seed=3)
    assert snapshot(tmp_path / "a") == snapshot(tmp_path / "b")
    assert Counter(q.split for q in open_corpus(tmp_path / "a").questions) == {"train": 27, "validation": 3}


def test_only_a_corpus_folder_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.txt").write_text("kept")
    with pytest.raises(ValueError, match="exists and is no corpus folder"):
        build_corpus([row(0)], tmp_path / "mine", source=SOURCE)
    assert (tmp_path / "mine/notes.txt").read_text() == "kept"


def test_a_corpus_in_use_survives_its_replacement(tmp_path: Path) -> None:
    build_corpus([row(i) for i in range(20)], tmp_path / "corpus", source=SOURCE)
    old = open_corpus(tmp_path / "corpus")
    assert old.index.search("person 7", 1)
    build_corpus([row(i) for i in range(20, 23)], tmp_path / "corpus", source=SOURCE)
    assert old.passages[old.index.search("person 7", 1)[0][0]].title == "Person 7"
    assert open_corpus(tmp_path / "corpus").questions[0].id == "2hop__20"
    assert [path.name for path in tmp_path.iterdir()] == ["corpus"]


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-50])


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("manifest.json", Path.unlink),
        ("manifest.json", truncate),
        ("texts.utf8.npy", truncate),
        ("texts.ends.npy", Path.unlink),
        ("titles.utf8.npy", truncate),
        ("questions.parquet", truncate),
        ("questions.parquet", Path.unlink),
        ("index/weights.npy", truncate),
        ("index/index.json", Path.unlink),
    ],
)
def test_a_damaged_corpus_is_refused_and_rebuilt(name: str, damage: Callable[[Path], None], tmp_path: Path) -> None:
    build_corpus([row(i) for i in range(20)], tmp_path / "corpus", source=SOURCE)
    damage(tmp_path / "corpus" / name)
    with pytest.raises(ValueError, match=r"data-build musique"):
        corpus = open_corpus(tmp_path / "corpus")
        assert corpus.index.passages and corpus.questions


def test_index_and_corpus_must_belong_together(tmp_path: Path) -> None:
    build_corpus([row(i) for i in range(20)], tmp_path / "a", source=SOURCE)
    build_corpus([row(i) for i in range(21)], tmp_path / "b", source=SOURCE)
    shutil.rmtree(tmp_path / "a/index")
    shutil.copytree(tmp_path / "b/index", tmp_path / "a/index")
    with pytest.raises(ValueError, match="belongs to another corpus"):
        _ = open_corpus(tmp_path / "a").index
    shutil.copyfile(tmp_path / "b/questions.parquet", tmp_path / "a/questions.parquet")
    with pytest.raises(ValueError, match="does not belong to its manifest"):
        _ = open_corpus(tmp_path / "a").questions


def test_rows_are_read_plain_and_zipped(tmp_path: Path) -> None:
    plain = write(tmp_path / "rows.jsonl", [row(0), row(1)])
    zipped = tmp_path / "rows.jsonl.gz"
    zipped.write_bytes(gzip.compress(plain.read_bytes() + b"\n\n"))
    assert list(read_rows(plain)) == list(read_rows(zipped)) == [row(0), row(1)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"id": 1}\n{"id": \n', "rows line 2: not JSON"),
        (b"[1]\n", "rows line 1: expected a JSON object, found list"),
        (gzip.compress(b'{"id": 1}\n' * 900)[:-9], "rows: gzip data is damaged or cut"),
        (b'{"id": "\xff"}\n', "rows: not UTF-8"),
    ],
)
def test_unreadable_files_are_named(data: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "rows").write_bytes(data)
    with pytest.raises(ValueError, match=message):
        list(read_rows(tmp_path / "rows"))


def test_hub_rows_are_read_at_the_pinned_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "rows.jsonl", [row(i) for i in range(5)])
    local, asked = datasets.load_dataset, {}

    def load_dataset(name: str, **options: str) -> datasets.Dataset:
        asked.update(options, name=name)
        return local("json", data_files=str(file), split="train", cache_dir=str(tmp_path / "cache"))

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    folder = corpus_folder("validation", tmp_path / "corpora")
    assert asked == {"name": "dgslibisey/MuSiQue", "split": "validation", "revision": sources.REVISION}
    assert len(sources.REVISION) == 40
    corpus = open_corpus(folder)
    assert [question.id for question in corpus.questions] == [f"2hop__{i}" for i in range(5)]
    assert corpus.manifest.source["revision"] == sources.REVISION
    assert corpus.index.passages == 12


def test_a_hub_that_cannot_be_reached_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: object, **__: object) -> None:
        raise ConnectionError("Couldn't reach the Hub")

    monkeypatch.setattr(datasets, "load_dataset", unreachable)
    with pytest.raises(
        ValueError, match="cannot be loaded: Couldn't reach the Hub; connect once, or name a local file"
    ):
        next(read_hub("train"))
    with pytest.raises(ValueError, match="has train and validation, not 'test'"):
        next(read_hub("test"))


def test_corpus_folder_builds_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = write(tmp_path / "rows.jsonl", [row(i) for i in range(20)])
    folder = corpus_folder(str(file))
    assert folder.parent == tmp_path / "cache/slm-rl/musique"
    assert corpus_folder(str(folder)) == folder
    monkeypatch.setattr(corpus_module, "build_corpus", pytest.fail)
    assert corpus_folder(file) == folder
    (tmp_path / "elsewhere").mkdir()
    assert corpus_folder(shutil.copy(file, tmp_path / "elsewhere")) == folder
    with pytest.raises(ValueError, match="'nothing' is neither invented, validation, train"):
        corpus_folder("nothing")


def test_corpus_folder_replaces_a_damaged_one_and_follows_the_file(tmp_path: Path) -> None:
    file = write(tmp_path / "rows.jsonl", [row(i) for i in range(20)])
    folder = corpus_folder(file, tmp_path / "cache")
    truncate(folder / "index/weights.npy")
    assert corpus_folder(file, tmp_path / "cache") == folder
    assert open_corpus(folder).index.passages == 42
    write(file, [row(i) for i in range(21)])
    assert corpus_folder(file, tmp_path / "cache") != folder


def _ask(file: Path, cache: Path, queue: multiprocessing.Queue) -> None:
    folder = corpus_folder(file, cache)
    queue.put((folder, folder.stat().st_ino, open_corpus(folder).index.passages))


def test_workers_that_start_together_get_one_build(tmp_path: Path) -> None:
    file = write(tmp_path / "rows.jsonl", [row(i) for i in range(50)])
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    workers = [context.Process(target=_ask, args=(file, tmp_path / "cache", queue)) for _ in range(3)]
    for worker in workers:
        worker.start()
    answers = {queue.get(timeout=60) for _ in workers}
    for worker in workers:
        worker.join()
    assert len(answers) == 1
    assert answers.pop()[2] == 102


def test_a_killed_build_leaves_nothing_and_the_next_one_succeeds(tmp_path: Path) -> None:
    file = write(tmp_path / "rows.jsonl", [row(i) for i in range(20)])
    code = f"""import sys, types, time
from pathlib import Path
package = sys.modules["musique_search"] = types.ModuleType("musique_search")
package.__path__ = [{str(Path(corpus_module.__file__).parent)!r}]
from musique_search import corpus
def hang(*arguments):
    print("writing", flush=True)
    time.sleep(60)
corpus.build_index = hang
corpus.corpus_folder({str(file)!r}, Path({str(tmp_path / "cache")!r}))"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        process.send_signal(signal.SIGKILL)
    assert [path for path in (tmp_path / "cache").iterdir() if not path.name.startswith(".")] == []
    start = time.monotonic()
    folder = corpus_folder(file, tmp_path / "cache")
    assert time.monotonic() - start < 30
    assert open_corpus(folder).index.passages == 42


@pytest.fixture(scope="module")
def pair_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pair")


@shared
def test_command_explains_the_pair(
    pair_cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(pair_cache))
    run("--source", "pair")
    out = capsys.readouterr().out
    assert "questions as published for validation: 2,417 answerable" in out
    assert "questions 1,662 (873 2-hop, 535 3-hop, 254 4-hop); 755 left out" in out
    assert "passages -5,171 against about 21,100 in validation: the pair holds the contexts of a part" in out


@shared
def test_the_pair_keeps_the_questions_that_its_passages_cover(pair_cache: Path) -> None:
    """SOURCES.md counts 15,930 passages; two of them differ in no-break spaces only."""
    corpus = open_corpus(corpus_folder(SHARED, pair_cache / "slm-rl/musique"))
    manifest = corpus.manifest
    assert (manifest.rows, manifest.questions, manifest.uncovered, manifest.passages) == (2417, 1662, 755, 15929)
    assert manifest.by_hops == {2: 1252, 3: 760, 4: 405}
    assert manifest.unidentified == 192
    assert manifest.splits == {"train": 1496, "validation": 166}
    by_id = {question.id: question for question in corpus.questions}
    full = list(read_rows(SHARED / "musique_ans_dev_with_paragraphs.jsonl.gz"))
    for original in full:
        question = by_id[original["id"]]
        texts = [original["paragraphs"][s["paragraph_support_idx"]] for s in original["question_decomposition"]]
        assert [corpus.passages[hop.passage or 0] for hop in question.hops] == [
            (paragraph["title"], paragraph["paragraph_text"]) for paragraph in texts
        ]
    rows, _ = read_pair(SHARED)
    questions = [pair_row["question"] for pair_row in rows]
    held_out = held_out_texts(questions, 0.1, 0)
    assert Counter(question_key(question) in held_out for question in questions) == {False: 2175, True: 242}


@shared
def test_pooling_by_title_would_lose_gold_passages() -> None:
    """The reason for the key: with one text a title, more than a quarter of these questions lose evidence."""
    first: dict[str, str] = {}
    rows = list(read_rows(SHARED / "musique_ans_dev_with_paragraphs.jsonl.gz"))
    for paragraph in (p for r in rows for p in r["paragraphs"]):
        first.setdefault(paragraph["title"], paragraph["paragraph_text"])
    lost = [any(p["is_supporting"] and first[p["title"]] != p["paragraph_text"] for p in r["paragraphs"]) for r in rows]
    assert sum(lost) / len(rows) > 0.25


def run(*arguments: str) -> None:
    build.main(arguments)


def test_command_builds_reports_and_does_nothing_the_second_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path / "rows.jsonl", [row(i) for i in range(20)] + [row(20, answerable=False)])
    arguments = ["--source", str(file), "--output", str(tmp_path / "corpus"), "--eval-ratio", "0.2"]
    run(*arguments)
    first = capsys.readouterr().out
    assert "rows 21: 20 answerable (20 2-hop), 1 unanswerable left out" in first
    assert "passages 42 with 41 titles, from 80 paragraphs" in first
    assert "differs from validation as published, 2,417 answerable (1,252 2-hop, 760 3-hop, 405 4-hop)" in first
    assert "passages -21,058 against about 21,100 in validation: 2,397 questions and their paragraphs are not" in first
    assert "splits (eval_ratio 0.2, seed 0): train 16, validation 4" in first
    before = snapshot(tmp_path / "corpus")
    run(*arguments)
    assert "already is the corpus of these inputs: nothing to do" in capsys.readouterr().out
    assert snapshot(tmp_path / "corpus") == before
    run(*arguments, "--seed", "1")
    assert "wrote" in capsys.readouterr().out
    assert snapshot(tmp_path / "corpus") != before


def test_command_errors_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"^data-build musique: corpus: 'nope' is neither [^\n]*$"):
        run("--source", "nope")
    with pytest.raises(SystemExit, match=r"^data-build musique: row 1 \(2hop__0\): answer: [^\n]*$"):
        run("--source", str(write(tmp_path / "bad.jsonl", [row(0, answer=3)])), "--output", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_seed_0_gives_the_shipped_rows_again_and_a_second_run_does_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "data/invented.jsonl.gz"
    run("--invent", "--output", str(output))
    assert "seed 0: 300 questions (156 2-hop, 93 3-hop, 51 4-hop), 3,237 passages" in capsys.readouterr().out
    # The rows, not the bytes: compression differs between zlib builds.
    assert list(read_rows(output)) == list(read_rows(sources.INVENTED))
    assert output.read_bytes()[4:8] == bytes(4)
    run("--invent", "--output", str(output))
    assert "already holds these rows: nothing to do" in capsys.readouterr().out
    assert [path.name for path in output.parent.iterdir()] == ["invented.jsonl.gz"]
    monkeypatch.setattr(sources, "INVENTED", output)
    corpus = open_corpus(corpus_folder("invented", tmp_path / "cache"))
    assert corpus.manifest.source["kind"] == "invented"
    assert PAIR[0] not in str(corpus.manifest.source)


def test_unsound_invented_rows_are_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "invented.jsonl.gz"
    rows = invent(0)
    rows[5]["answer"] = "Uppsala"
    monkeypatch.setattr("data_build.musique.invent.invent", lambda seed: rows)
    with pytest.raises(SystemExit, match=r"^data-build musique: seed 0 gives unsound rows, nothing is written: "):
        run("--invent", "--output", str(output))
    assert not output.exists()
