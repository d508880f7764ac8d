"""setup-prime-rl and the launchers against a miniature prime-rl: real git, submodules, uv; no network, no GPU."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from recipes.launch import checks, clone, prime_rl, setup, source
from recipes.launch.checks import Gpu
from recipes.launch.clone import Clone
from recipes.launch.errors import LaunchError
from recipes.launch.setup import SetupConfig, set_up

REPOSITORY = Path(__file__).parents[1]
BACKEND = '[build-system]\nrequires = ["uv_build"]\nbuild-backend = "uv_build"\n'  # uv's own: nothing to download
MAIN = """
import json, os, shutil, sys
def main():
    seen = {"argv": sys.argv[1:], "cwd": os.getcwd(), "inference": shutil.which("inference")}
    print(json.dumps(seen | {"venv": os.environ.get("VIRTUAL_ENV"), "prefix": sys.prefix}))
    sys.exit(7)
"""


def write(path: Path, text: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_package(folder: Path, name: str, version: str, extra: str = "", requires: str = "") -> None:
    module = name.replace("-", "_")
    write(
        folder / "pyproject.toml",
        f'[project]\nname = "{name}"\nversion = "{version}"\nrequires-python = ">=3.11"\ndependencies = [{requires}]\n'
        f"{extra}\n{BACKEND}",
    )
    write(folder / f"src/{module}/__init__.py")


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True)
    assert done.returncode == 0, f"git {arguments}: {done.stderr}"
    return done.stdout.strip()


def commit(folder: Path) -> str:
    if not (folder / ".git").exists():
        git(folder, "init", "--quiet", "--initial-branch", "main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "x")
    return git(folder, "rev-parse", "HEAD")


def write_hub(hub: Path) -> str:
    """The five repositories of prime-rl as `hub/PrimeIntellect-ai/*.git`; returns prime-rl's commit."""
    owner = hub / "PrimeIntellect-ai"
    write_package(owner / "verifiers.git", "verifiers", "0.3.1.dev62")
    write(owner / "verifiers.git/src/verifiers/v1/__init__.py")
    write_package(owner / "renderers.git", "renderers", "0.1")
    for name in ("prime-envs", "pydantic-config"):
        write(owner / f"{name}.git/README.md", name)
    main = owner / "prime-rl.git"
    scripts = "\n".join(f'{name} = "prime_rl.entrypoints.{name}:main"' for name in ("rl", "sft", "inference"))
    paths = {"verifiers": "deps/verifiers", "torch": "stubs/torch", "vllm": "stubs/vllm"}
    sources = "\n".join(f'{name} = {{ path = "{path}", editable = true }}' for name, path in paths.items())
    extra = f"[project.scripts]\n{scripts}\n[project.optional-dependencies]\nx = []\n[tool.uv.sources]\n{sources}\n"
    write_package(main, "prime-rl", "0.8.0", extra, '"verifiers>=0.3.0", "torch", "vllm"')
    for name in ("rl", "sft", "inference"):
        write(main / f"src/prime_rl/entrypoints/{name}.py", MAIN)
    write(main / "src/prime_rl/configs/rl.py")
    write_package(main / "packages/prime-rl-configs", "prime-rl-configs", "0.4.0")
    write_package(main / "stubs/torch", "torch", "2.11")
    write(main / "stubs/torch/src/torch/__init__.py", "class cuda:\n    is_available = staticmethod(lambda: True)\n")
    write_package(main / "stubs/vllm", "vllm", "0.26.0")
    addresses = {name: f"git@github.com:PrimeIntellect-ai/{name}.git" for name in ("verifiers", "renderers")}
    addresses |= {"prime-envs": "ssh://git@github.com/PrimeIntellect-ai/prime-envs.git"}
    addresses |= {"pydantic-config": "https://github.com/PrimeIntellect-ai/pydantic-config"}
    modules = [f'[submodule "{name}"]\n\tpath = deps/{name}\n\turl = {url}\n' for name, url in addresses.items()]
    write(main / ".gitmodules", "".join(modules))
    for name in addresses:
        # A gitlink stays in the index only beside an (empty) folder, as a clone leaves it.
        (main / "deps" / name).mkdir(parents=True)
        (main / "deps" / name / "pyproject.toml").write_text("")
    folder = main / "deps/verifiers"
    write_package(folder, "verifiers", "0.3.1.dev62")
    subprocess.run(["uv", "lock", "--quiet", "--offline", "--python", sys.executable], cwd=main, check=True)
    write(main / ".gitignore", "deps/\n.venv/\n")
    git_init = commit(main)
    assert git_init
    for name in addresses:
        digest = commit(owner / f"{name}.git")
        git(main, "update-index", "--add", "--cacheinfo", f"160000,{digest},deps/{name}")
    git(main, "commit", "--quiet", "--message", "submodules")
    return git(main, "rev-parse", "HEAD")


@dataclass
class Place:
    hub: Path
    clone: Clone


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("hub")
    with pytest.MonkeyPatch.context() as patch:
        identify(patch)
        return folder, write_hub(folder)


def identify(patch: pytest.MonkeyPatch) -> None:
    for role in ("AUTHOR", "COMMITTER"):
        patch.setenv(f"GIT_{role}_NAME", "t")
        patch.setenv(f"GIT_{role}_EMAIL", "t@example.org")
    patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for name in ("VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT"):
        patch.delenv(name, raising=False)


@pytest.fixture
def place(hub: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """An empty repository of ours with two packages; github.com is the miniature hub."""
    identify(monkeypatch)
    settings = {f"url.file://{hub[0]}/.insteadOf": "https://github.com/", "protocol.file.allow": "always"}
    monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(settings)))
    for number, (key, value) in enumerate(settings.items()):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setattr(clone, "COMMIT", hub[1])
    monkeypatch.setattr(setup, "LIGHT", ())
    root = tmp_path / "root"
    write(root / "pyproject.toml", '[tool.uv.workspace]\nmembers = ["rewards", "environments/*"]\n')
    for folder, name in (("rewards", "some-rewards"), ("environments/one_env", "one-env")):
        write_package(root / folder, name, "0.1", requires='"verifiers>=0.3.0"')
    return Place(hub[0], Clone(root))


def config(**options: bool) -> SetupConfig:
    return SetupConfig(python=sys.executable, **options)


def launched(root: Path, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`uv run COMMAND …` in a process of its own, for the repository `root`."""
    code = (
        "from recipes.launch import clone, prime_rl; from pathlib import Path; import sys\n"
        f"clone.ROOT = Path({str(root)!r}); clone.COMMIT = {clone.COMMIT!r}; prime_rl.{command}()"
    )
    kept = os.environ | {"PYTHONPATH": str(REPOSITORY), "VIRTUAL_ENV": sys.prefix}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=root, env=kept, capture_output=True, text=True, timeout=120
    )


def test_full_setup_launch_and_repair(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    root, made = place.clone.root, place.clone
    assert prime_rl.not_ready(made, only_reads=True) is not None
    set_up(made, config(allow_no_gpu=True))
    printed = capsys.readouterr().out
    assert "prime-rl 0.8.0, verifiers 0.3.1.dev62, torch 2.11, vllm 0.26.0, one-env 0.1, some-rewards 0.1" in printed
    assert made.mode == "full" and prime_rl.not_ready(made, only_reads=False) is None
    assert git(made.path, "rev-parse", "HEAD") == clone.COMMIT
    for name in ("verifiers", "renderers", "prime-envs", "pydantic-config"):
        assert git(made.path, "config", f"submodule.{name}.url").startswith("https://github.com/PrimeIntellect-ai/")

    # every argument, the exit code, the folder and the environment pass through
    words = ["--max-steps", "3", "--x=a b", "--no-y", "-h"]
    done = launched(root, "rl", *words)
    assert done.returncode == 7, done.stderr
    seen = json.loads(done.stdout)
    assert seen["argv"] == words and seen["cwd"] == str(root)
    venv = str(made.path / ".venv")
    assert seen["prefix"] == venv and seen["venv"] in (None, venv)
    assert done.stderr == ""  # ours is not taken for prime-rl's environment, and nothing is synced
    assert seen["inference"] == f"{venv}/bin/inference"
    for command in ("sft", "inference"):
        assert launched(root, command, "a").returncode == 7

    # a plain `uv sync` in the clone removes our packages
    subprocess.run(
        ["uv", "pip", "uninstall", "--quiet", "--python", made.python, "one-env"], check=True, cwd=root, timeout=60
    )
    done = launched(root, "rl", "--max-steps", "3")
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("rl: one-env not installed in ") and done.stderr.count("\n") == 1
    # a moved submodule, and a commit of the user's that no branch holds
    write(made.path / "deps/verifiers/mine.py", "mine")
    mine = commit(made.path / "deps/verifiers")
    write(made.path / "notes.md", "mine")
    ours = commit(made.path)
    done = launched(root, "rl", "-h")
    assert "rl: one-env not installed" in done.stderr
    set_up(made, config(allow_no_gpu=True))
    printed = capsys.readouterr().out
    assert f"was at {mine[:7]}, which no branch held: kept as branch kept-{mine[:10]}" in printed
    assert git(made.path, "show", f"kept-{ours[:10]}:notes.md") == "mine"
    assert git(made.path / "deps/verifiers", "show", f"kept-{mine[:10]}:mine.py") == "mine"
    assert git(made.path, "rev-parse", "HEAD") == clone.COMMIT
    assert launched(root, "rl").returncode == 7

    # verifiers from an index would be another version
    (metadata,) = made.path.glob(".venv/lib/python3*/site-packages/verifiers-*.dist-info")
    (metadata / "direct_url.json").unlink()
    done = launched(root, "rl")
    assert done.returncode == 1 and "came from a package index, and prime-rl trains only with its own" in done.stderr

    # edited files are left alone
    edited = made.path / "src/prime_rl/__init__.py"
    edited.write_text("edited = 1\n")
    with pytest.raises(LaunchError, match=r"has uncommitted changes \(src/prime_rl/__init__\.py\): commit them"):
        set_up(made, config(allow_no_gpu=True))
    assert edited.read_text() == "edited = 1\n"


def test_configs_only(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    made = place.clone
    set_up(made, config(configs_only=True))
    assert "ready for dry runs" in capsys.readouterr().out
    assert made.mode == "configs-only"
    assert not (made.path / "deps/renderers/pyproject.toml").exists()
    done = launched(made.root, "rl", "--max-steps", "3")
    assert done.returncode == 1 and "has only prime-rl's configurations: add --dry-run here" in done.stderr
    done = launched(made.root, "rl", "--dry-run", "--max-steps", "3")
    assert done.returncode == 7, done.stderr
    assert json.loads(done.stdout)["argv"] == ["--dry-run", "--max-steps", "3"]
    set_up(made, config(configs_only=True))  # again
    assert "checked out" not in capsys.readouterr().out


def test_without_a_clone_the_launchers_say_what_to_run(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.uv.workspace]\nmembers = ["rewards"]\n')
    done = launched(tmp_path, "sft", "--max-steps", "3")
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr == (
        f"sft: prime-rl is not set up in {tmp_path}/.prime-rl: run `uv run setup-prime-rl` on the GPU machine, or "
        "`uv run setup-prime-rl --configs-only` for dry runs without a GPU\n"
    )


def test_without_network_one_line(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "url.file:///nowhere/.insteadOf")
    with pytest.raises(LaunchError, match=r"failed \(no network\?\): fatal: .*nowhere") as raised:
        set_up(place.clone, config(configs_only=True))
    assert "\n" not in str(raised.value)
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.file://{place.hub}/.insteadOf")
    source.checkout(place.clone, source.CONFIGS_ONLY)  # goes on where it stopped
    assert git(place.clone.path, "rev-parse", "HEAD") == clone.COMMIT


def test_what_setup_refuses(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    write(place.clone.path / "thesis.txt", "x")
    with pytest.raises(LaunchError, match="holds files but is no clone of prime-rl: move it away"):
        set_up(place.clone, config(configs_only=True))
    (place.clone.path / "thesis.txt").unlink()
    monkeypatch.setattr(setup, "gpus", lambda: None)
    with pytest.raises(LaunchError, match=r"no GPU: nvidia-smi is missing .*--configs-only`; on a login node"):
        set_up(place.clone, config())
    with pytest.raises(LaunchError, match=r"no environment with Python 9\.9 could be made"):
        set_up(place.clone, SetupConfig(configs_only=True, python="9.9"))
    monkeypatch.setattr(setup, "MIN_UV", (99, 0, 0))
    with pytest.raises(LaunchError, match=r"uv 99\.0\.0 or newer is needed, this is 'uv \d"):
        set_up(place.clone, config())


def test_the_python_that_prime_rl_gets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shims = tmp_path / "shims"
    shims.mkdir()
    (shims / "python3.12").write_text("#!/bin/sh\nexit 127\n")
    (shims / "python3.12").chmod(0o755)
    interpreter = tmp_path / "python-of-mine"  # answers as uv's stand-in for an interpreter of that version
    fake = tmp_path / "uv"
    fake.write_text(
        '#!/bin/sh\ncase "$*" in *--show-version*mine) echo 3.12.9;; *--show-version*) echo 3.11.2;;\n'
        f'*) case "$PATH" in *{shims}*) exit 2;; *) echo /usr/bin/python3.12;; esac;; esac\n'
    )
    fake.chmod(0o755)
    monkeypatch.setenv("UV", str(fake))
    monkeypatch.setenv("PATH", f"{shims}:/usr/bin:/bin")
    monkeypatch.setenv("UV_PYTHON", str(interpreter))
    assert setup._find_python() == str(interpreter)
    monkeypatch.setenv("UV_PYTHON", "3.11")
    assert setup._find_python() == "/usr/bin/python3.12"
    fake.write_text("#!/bin/sh\nexit 2\n")
    assert setup._find_python() == "3.12"


def test_gpus_and_hints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    smi = tmp_path / "nvidia-smi"
    smi.write_text('#!/bin/sh\nprintf "NVIDIA RTX A6000, 49140\\nNVIDIA RTX A6000, 49140\\n"\n')
    smi.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    found = checks.gpus()
    assert found is not None and [gpu.name for gpu in found] == ["NVIDIA RTX A6000"] * 2
    assert checks.hints(found) == ["2 × NVIDIA RTX A6000, 48 GiB"]
    for gpus in ([Gpu("T4", 15)] * 2, [Gpu("L4", 24)], [Gpu("H100", 80)]):
        overlay = re.search(r"@ (recipes/scale/\w+\.toml)", checks.hints(gpus)[1])
        assert overlay and (REPOSITORY / overlay[1]).is_file()
        assert len(checks.hints(gpus)) == 2 and ("one_80gb" in overlay[1]) == (gpus[0].memory > 40)
    smi.write_text("#!/bin/sh\nexit 9\n")
    assert (
        checks.gpus() is None and checks.gpu_problem(None) == "no GPU: nvidia-smi is missing or fails on this machine"
    )
    smi.write_text("#!/bin/sh\n")
    assert checks.gpu_problem(checks.gpus()) == "no GPU: nvidia-smi lists none"


def test_our_packages_come_from_the_workspace() -> None:
    found = {package.name: package.modules for package in clone.packages(REPOSITORY)}
    folders = {path.name for path in (REPOSITORY / "environments").iterdir() if (path / "pyproject.toml").is_file()}
    assert found["slm-rewards"] == ("slm_rewards",)
    assert {name for modules in found.values() for name in modules} >= {"slm_rewards", *folders}
    assert clone.here().root == REPOSITORY


def test_a_wheel_install_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clone, "ROOT", tmp_path)
    with pytest.raises(LaunchError, match=r"is not inside a clone of this repository: clone it, run `uv sync` there"):
        clone.here()


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("git@github.com:a/b.git", "https://github.com/a/b.git"),
        ("ssh://git@github.com/a/b", "https://github.com/a/b"),
        ("https://github.com/a/b", "https://github.com/a/b"),
    ],
)
def test_https(url: str, expected: str) -> None:
    assert source.https(url) == expected
