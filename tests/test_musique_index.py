import json
import shutil
import subprocess
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from musique_search import index as index_module
from musique_search import tokenise
from musique_search.index import Index, build_index, corpus_hash
from musique_search.sources import read_pair
from musique_search.tokenise import tokens

SHARED = Path(__file__).parents[2] / "shared" / "data"
WORDS = [f"w{i}" for i in range(30)]
TEXTS = [" ".join(WORDS[i % 7 : i % 7 + i % 11]) + f" own{i}" for i in range(200)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("index") / "index"
    build_index(TEXTS, path)
    return path


def check_against_rank_bm25(index: Index, reference: BM25Okapi, query: str, k: int) -> None:
    """Same scores, and as hits the first k of a stable descending sort, cut where the score is 0 or less."""
    expected = reference.get_scores(tokens(query))
    scores = index.scores(query)
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-9)
    order = [number for number in np.argsort(-expected, kind="stable")[:k].tolist() if expected[number] > 0]
    found = index.search(query, k)
    assert [number for number, _ in found] == order
    assert [score for _, score in found] == scores[order].tolist()


# Few distinct words: many ties, repeats, terms in more than half of the passages, and negative averages of idf.
text = st.lists(st.sampled_from("a b c d e f g h i j å Å 12 1234".split()), max_size=12).map(" ".join)
corpora = st.lists(text, min_size=1, max_size=200).filter(lambda texts: any(tokens(text) for text in texts))
queries = st.lists(st.sampled_from("a b c d e f g h i j å A 12 1234 unknown ?".split()), max_size=8).map(" ".join)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=corpora, query=queries, k=st.integers(1, 220))
def test_scores_and_order_are_those_of_rank_bm25(texts: list[str], query: str, k: int, tmp_path: Path) -> None:
    build_index(texts, tmp_path / "index")
    index = Index.open(tmp_path / "index", corpus_hash(texts))
    check_against_rank_bm25(index, BM25Okapi([tokens(text) for text in texts]), query, k)


@settings(max_examples=100, deadline=None)
@given(
    query=st.lists(st.sampled_from([*WORDS, "own3", "own77", "none"]), max_size=20).map(" ".join), k=st.integers(1, 9)
)
def test_long_queries_over_one_corpus(query: str, k: int, folder: Path) -> None:
    index = Index.open(folder, corpus_hash(TEXTS))
    check_against_rank_bm25(index, BM25Okapi([tokens(text) for text in TEXTS]), query, k)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the MuSiQue rows of ../shared/data are not here")
def test_real_questions_over_real_passages(tmp_path: Path) -> None:
    rows, passages = read_pair(SHARED)
    texts = [f"{title}\n{text}" for title, text in list(passages)[:4000]]
    build_index(texts, tmp_path / "index")
    index = Index.open(tmp_path / "index", corpus_hash(texts))
    reference = BM25Okapi([tokens(text) for text in texts])
    for question in [row["question"] for row in rows][::120]:
        check_against_rank_bm25(index, reference, question, 20)
        np.testing.assert_array_equal(index.scores(question), reference.get_scores(tokens(question)))


def test_terms_that_share_a_hash_stay_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("musique_search.index", "musique_search.weights"):
        monkeypatch.setattr(f"{module}.term_hash", lambda term: len(term) % 3)
    build_index(TEXTS, tmp_path / "index")
    index = Index.open(tmp_path / "index", corpus_hash(TEXTS))
    reference = BM25Okapi([tokens(text) for text in TEXTS])
    for query in ("w1 w2 w12 own3", "own199 nothing w3", "zz zzz zzzz"):
        check_against_rank_bm25(index, reference, query, 10)


def test_k_must_be_positive(folder: Path) -> None:
    with pytest.raises(ValueError, match="k must be at least 1, not 0"):
        Index.open(folder, corpus_hash(TEXTS)).search("w1", 0)


def test_threads_share_an_index(folder: Path) -> None:
    index = Index.open(folder, corpus_hash(TEXTS))
    asked = [f"{WORDS[i % 30]} {WORDS[i * 7 % 30]} own{i}" for i in range(200)]
    alone = [index.search(query, 5) for query in asked]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda query: index.search(query, 5), asked)) == alone


def test_the_same_texts_give_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    build_index(iter(TEXTS), tmp_path / "index")
    names = sorted(path.name for path in folder.iterdir())
    assert names == sorted(path.name for path in (tmp_path / "index").iterdir())
    assert all((folder / name).read_bytes() == (tmp_path / "index" / name).read_bytes() for name in names)


def test_an_index_of_another_corpus_is_refused(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"belongs to another corpus.*Delete the corpus folder.*build it again"):
        Index.open(folder, corpus_hash([*TEXTS[:-1], TEXTS[-1] + " more"]))


@pytest.mark.parametrize("name", [f"{name}.npy" for name in index_module._FILES] + ["index.json"])
@pytest.mark.parametrize("damage", ["cut", "empty", "missing"])
def test_a_damaged_index_is_refused(name: str, damage: str, folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "index"
    shutil.copytree(folder, copy)
    path = copy / name
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[: -10 if damage == "cut" else 0])
    with pytest.raises(ValueError, match="build it again"):
        Index.open(copy, corpus_hash(TEXTS))


@pytest.mark.parametrize("version", ["format", "tokeniser"])
def test_an_index_of_another_version_is_refused(version: str, folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "index")
    manifest = json.loads((tmp_path / "index/index.json").read_text())
    manifest[version] += 1
    (tmp_path / "index/index.json").write_text(json.dumps(manifest))
    with pytest.raises(ValueError, match=rf"made with {version} {manifest[version]}"):
        Index.open(tmp_path / "index", corpus_hash(TEXTS))


def test_a_failed_build_leaves_the_old_index(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "index")

    def broken():
        yield "some text"
        raise OSError("disk gone")

    with pytest.raises(OSError, match="disk gone"):
        build_index(broken(), tmp_path / "index")
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    assert Index.open(tmp_path / "index", corpus_hash(TEXTS)).search("own7", 1)[0][0] == 7


def test_serving_imports_neither_rank_bm25_nor_scipy() -> None:
    # An empty package stands in for musique_search, whose own imports (verifiers) are not the matter here.
    code = f"""import sys, types
package = sys.modules["musique_search"] = types.ModuleType("musique_search")
package.__path__ = [{str(Path(index_module.__file__).parent)!r}]
import musique_search.index
print({{"rank_bm25", "scipy", "pyarrow"}} & set(sys.modules))"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Malmö MALMÖ malmo Malmo\u0308", "malmo malmo malmo malmo"),
        ("Łódź, Đakovo, Ærø, Œuvre, Straße, Þór, Tromsø", "lodz dakovo aero oeuvre strasse thor tromso"),
        ("İstanbul ISPARTA ısparta", "istanbul isparta isparta"),
        ("1,234 km² in 1998–99; B-52's", "1 234 km2 in 1998 99 b 52 s"),
        ("U.S. O'Brien rock'n'roll snake_case", "u s o brien rock n roll snake case"),
        ("ﬁnal ＡＢＣ１２", "final abc12"),
        ("soft\u00adhyphen zero\u200bwidth", "softhyphen zero width"),
        ("Σίσυφος ΣΊΣΥΦΟΣ", "σισυφοσ σισυφοσ"),
        ("Йошкар-Ола", "иошкар ола"),
        ("北京 Москва", "北京 москва"),
        ("हिन्दी", unicodedata.normalize("NFKD", "हिन्दी")),
        ("か゛が", unicodedata.normalize("NFKD", "か が")),
        ("", ""),
        ("?! — …", ""),
    ],
)
def test_tokens(text: str, expected: str) -> None:
    assert " ".join(tokens(text)) == expected


@settings(deadline=None)
@given(st.text())
def test_tokens_of_tokens_are_the_same(text: str) -> None:
    found = tokens(text)
    assert all(found)
    assert tokens(" ".join(found)) == found
    assert tokens(unicodedata.normalize("NFD", text)) == tokens(unicodedata.normalize("NFC", text)) == found


def test_tokeniser_version_is_in_the_manifest(folder: Path) -> None:
    assert json.loads((folder / "index.json").read_text())["tokeniser"] == tokenise.VERSION
