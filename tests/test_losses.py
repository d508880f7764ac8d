"""math_reasoning.losses against the formulas written out token by token, gradients by autograd and by hand.

Where prime-rl's source is at hand (`.prime-rl`, as `setup-prime-rl` clones it, or an installed prime_rl), its own
`compute_loss` runs the functions too.
"""

import importlib.util
import math
import sys
from pathlib import Path
from statistics import pstdev
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the losses run in the trainer; `pip install torch` to test them")

from math_reasoning import losses  # noqa: E402

CLONE = Path(__file__).parents[1] / ".prime-rl"

GROUPS = [[1, 0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 1, 0], [1, 0, 1, 0], [0, 1, 1, 0, 1, 1], [1, 0, 0]]
"""Rewards; the last ones have lost rollouts to errors, so their mean is over those that came back."""


def sample(tokens: int = 12, seed: int = 0, advantage: float = 0.5, **fields: Any) -> SimpleNamespace:
    """One attempt; its first tokens are the prompt."""
    g = torch.Generator().manual_seed(seed)
    values = {
        "trainer_logprobs": (-2 * torch.rand(tokens, generator=g)).requires_grad_(),
        "inference_logprobs": -2 * torch.rand(tokens, generator=g),
        "ref_logprobs": -2 * torch.rand(tokens, generator=g),
        "advantages": torch.full((tokens,), advantage),
        "loss_mask": torch.arange(tokens) >= tokens // 3,
        "loss_weights": None,
    }
    return SimpleNamespace(**values | fields)


def numbers(inputs: SimpleNamespace) -> list[tuple[float, float, float, float]]:
    """(trainer, inference, reference logprob, advantage) of each trained token."""
    return [
        (t, i, r, a)
        for t, i, r, a, m in zip(
            inputs.trainer_logprobs.tolist(),
            inputs.inference_logprobs.tolist(),
            inputs.ref_logprobs.tolist(),
            inputs.advantages.tolist(),
            inputs.loss_mask.tolist(),
            strict=True,
        )
        if m
    ]


def gradient(loss: Any, inputs: SimpleNamespace) -> list[float]:
    """Of the trained tokens; asserts that no other token has any."""
    (whole,) = torch.autograd.grad(loss, inputs.trainer_logprobs)
    assert not whole[~inputs.loss_mask].any()
    return whole[inputs.loss_mask].tolist()


def surrogate(log_pi: float, log_old: float, advantage: float, clip: float) -> tuple[float, float]:
    """-min(rho A, clip(rho) A) of one token and its derivative by log pi."""
    rho = math.exp(log_pi - log_old)
    bounded = min(max(rho, 1 - clip), 1 + clip)
    if rho * advantage <= bounded * advantage:
        return -rho * advantage, -rho * advantage  # d rho / d log pi = rho
    return -bounded * advantage, 0.0


@pytest.mark.parametrize("rewards", GROUPS)
@pytest.mark.parametrize("clip", [0.05, 0.2])
def test_grpo_divides_by_the_groups_std_and_clips(rewards: list[int], clip: float) -> None:
    mean, std = sum(rewards) / len(rewards), pstdev(rewards)
    for number, reward in enumerate(rewards):
        inputs = sample(30, seed=number, advantage=reward - mean)
        expected = [surrogate(t, i, (reward - mean) / std, clip) for t, i, _, _ in numbers(inputs)]
        weighted = sample(30, seed=number, advantage=reward - mean, loss_weights=torch.full((30,), 1 / std))
        for at, kind in ((inputs, "binary"), (weighted, "weights")):
            result = losses.clipped_surrogate(at, clip=clip, std=kind)
            assert result.loss.item() == pytest.approx(sum(value for value, _ in expected), rel=1e-4, abs=1e-4)
            assert gradient(result.loss, at) == pytest.approx([g for _, g in expected], rel=1e-4, abs=1e-5)
            assert result.metrics["clipped"].item() == pytest.approx(sum(g == 0 for _, g in expected) / len(expected))


def test_any_reward_is_divided_with_the_weights() -> None:
    rewards = [0.93, 0.0, 0.81, 0.0, 0.9, 0.88, 0.0, 0.95]  # 1 - 0.2 L for right answers
    mean, std = sum(rewards) / 8, pstdev(rewards)
    standardised = [(r - mean) / std for r in rewards]
    assert sum(a * a for a in standardised) == pytest.approx(8)
    for number, reward in enumerate(rewards):
        inputs = sample(seed=number, advantage=reward - mean, loss_weights=torch.full((12,), 1 / std))
        expected = [surrogate(t, i, standardised[number], 0.2) for t, i, _, _ in numbers(inputs)]
        result = losses.clipped_surrogate(inputs)
        assert result.loss.item() == pytest.approx(sum(v for v, _ in expected), rel=1e-4, abs=1e-5)
        assert gradient(result.loss, inputs) == pytest.approx([g for _, g in expected], rel=1e-4, abs=1e-5)
    # |A| alone gives each rollout another std: the recovery is for rewards of 0 and 1.
    recovered = {round(math.sqrt(abs(r - mean) * (1 - abs(r - mean))), 3) for r in rewards}
    assert len(recovered) > 3


@pytest.mark.parametrize(
    ("ratio", "advantage", "moves"),
    [(1.3, 1.0, False), (0.7, -1.0, False), (1.3, -1.0, True), (0.7, 1.0, True), (1.1, 1.0, True), (0.9, -1.0, True)],
)
def test_the_clip_stops_both_sides_only_where_it_should(ratio: float, advantage: float, moves: bool) -> None:
    inputs = sample(advantage=advantage)
    inputs.inference_logprobs = inputs.trainer_logprobs.detach() - math.log(ratio)
    result = losses.clipped_surrogate(inputs, std="none")
    assert gradient(result.loss, inputs) == pytest.approx([-ratio * advantage if moves else 0.0] * 8, rel=1e-5)
    assert result.metrics["clipped"].item() == (0.0 if moves else 1.0)


def test_a_flat_group_gives_no_gradient_without_a_kl_term_and_some_with_it() -> None:
    for std in ("binary", "none"):
        inputs = sample(advantage=0.0)
        assert gradient(losses.clipped_surrogate(inputs, std=std).loss, inputs) == [0.0] * 8
    inputs = sample(advantage=0.0)
    moved = gradient(losses.clipped_surrogate(inputs, std="none", beta=0.05).loss, inputs)
    assert all(moved)


@pytest.mark.parametrize("beta", [0.04, 1.0])
def test_grpo_adds_the_kl_of_open_rs(beta: float) -> None:
    inputs = sample(advantage=-0.4)
    expected, slopes = [], []
    for t, i, r, a in numbers(inputs):
        value, slope = surrogate(t, i, a, 0.2)
        over = math.exp(r - t)  # eq. 2: ref / pi - log(ref / pi) - 1
        expected.append(value + beta * (over - math.log(over) - 1))
        slopes.append(slope + beta * (1 - over))
    result = losses.clipped_surrogate(inputs, std="none", beta=beta)
    assert result.loss.item() == pytest.approx(sum(expected), rel=1e-5)
    assert gradient(result.loss, inputs) == pytest.approx(slopes, rel=1e-4, abs=1e-6)


def test_cross_entropy_reads_neither_advantages_nor_weights() -> None:
    inputs = sample(advantage=0.0, loss_weights=torch.full((12,), 7.0))
    result = losses.cross_entropy(inputs)
    own = [t for t, *_ in numbers(inputs)]
    assert result.loss.item() == pytest.approx(-sum(own), rel=1e-6)
    assert gradient(result.loss, inputs) == [-1.0] * 8
    assert result.metrics["nll"].item() == pytest.approx(-sum(own) / 8, rel=1e-6)


@pytest.mark.parametrize("beta", [0.0, 0.05, 2.0])
def test_the_brake_adds_its_estimate_and_gradient(beta: float) -> None:
    inputs = sample()
    result = losses.braked_cross_entropy(inputs, beta=beta)
    expected = sum(-t + beta * (t - r) ** 2 / 2 for t, _, r, _ in numbers(inputs))
    assert result.loss.item() == pytest.approx(expected, rel=1e-5)
    slopes = [-1 + beta * (t - r) for t, _, r, _ in numbers(inputs)]
    assert gradient(result.loss, inputs) == pytest.approx(slopes, rel=1e-5, abs=1e-6)
    if beta == 0:
        assert result.loss.item() == pytest.approx(losses.cross_entropy(inputs).loss.item())


def test_the_brake_moves_the_model_on_a_flat_group() -> None:
    """Case GR-10: beta 0.05, eight right answers, so every advantage is 0."""
    for number in range(8):
        inputs = sample(seed=number, advantage=0.0)
        with_brake = gradient(losses.braked_cross_entropy(inputs, beta=0.05).loss, inputs)
        without = gradient(losses.cross_entropy(inputs).loss, inputs)
        brake = [a - b for a, b in zip(with_brake, without, strict=True)]
        assert brake == pytest.approx([0.05 * (t - r) for t, _, r, _ in numbers(inputs)], rel=1e-3, abs=1e-6)
        assert all(brake)


def test_the_brake_rests_at_the_reference() -> None:
    inputs = sample()
    inputs.ref_logprobs = inputs.trainer_logprobs.detach().clone()
    result = losses.braked_cross_entropy(inputs, beta=0.05)
    assert gradient(result.loss, inputs) == [-1.0] * 8
    assert result.metrics["kl"].item() == result.metrics["brake"].item() == 0.0


def expected_gradient(loss: Any, logits: Any, reference: Any, **options: Any) -> Any:
    """Gradient by the logits of `loss` in expectation over one token drawn from softmax(logits)."""
    probs, total = logits.detach().softmax(-1), torch.zeros_like(logits)
    for token, p in enumerate(probs.tolist()):
        log_pi = logits.log_softmax(-1)[token : token + 1]
        inputs = SimpleNamespace(
            trainer_logprobs=log_pi,
            inference_logprobs=log_pi.detach(),
            ref_logprobs=reference.log_softmax(-1)[token : token + 1],
            advantages=torch.zeros(1),
            loss_mask=torch.ones(1, dtype=torch.bool),
            loss_weights=None,
        )
        (g,) = torch.autograd.grad(loss(inputs, **options).loss, logits)
        total += p * g
    return total


def test_sampled_kl_terms_have_the_gradient_of_the_kl_over_the_vocabulary() -> None:
    g = torch.Generator().manual_seed(5)
    logits = torch.randn(7, generator=g, dtype=torch.float64).requires_grad_()
    reference = torch.randn(7, generator=g, dtype=torch.float64)
    log_pi, log_ref = logits.log_softmax(-1), reference.log_softmax(-1)
    (reverse,) = torch.autograd.grad((log_pi.exp() * (log_pi - log_ref)).sum(), logits, retain_graph=True)
    (forward,) = torch.autograd.grad((log_ref.exp() * (log_ref - log_pi)).sum(), logits)
    near = {"rtol": 1e-4, "atol": 1e-6}
    assert not torch.allclose(reverse, forward, **near)
    assert torch.allclose(expected_gradient(losses.reverse_kl, logits, reference), reverse, **near)
    # Cross-entropy on fair samples has no gradient in expectation: what is left is the brake.
    brake = expected_gradient(losses.braked_cross_entropy, logits, reference, beta=0.05)
    assert torch.allclose(brake, 0.05 * reverse, **near)
    k3 = expected_gradient(losses.clipped_surrogate, logits, reference, std="none", beta=1.0)
    assert torch.allclose(k3, forward, **near)


ALL = {
    "clipped_surrogate": {"std": "binary", "beta": 0.04},
    "cross_entropy": {},
    "braked_cross_entropy": {"beta": 0.05},
    "reverse_kl": {},
}


@pytest.mark.parametrize("name", ALL)
def test_no_token_no_loss(name: str) -> None:
    inputs = sample(loss_mask=torch.zeros(12, dtype=torch.bool), ref_logprobs=None)
    result = getattr(losses, name)(inputs, **ALL[name])
    assert result.loss.item() == 0
    result.loss.backward()
    assert not inputs.trainer_logprobs.grad.any()
    assert all(value.dim() == 0 and value.isfinite() for value in result.metrics.values())


@pytest.mark.parametrize("name", ALL)
def test_what_stands_outside_the_mask_does_not_matter(name: str) -> None:
    clean, dirty = sample(), sample()
    outside = ~dirty.loss_mask
    with torch.no_grad():
        dirty.trainer_logprobs[outside] = -torch.inf
    dirty.inference_logprobs[outside], dirty.ref_logprobs[outside] = torch.nan, torch.nan
    losses_of = [getattr(losses, name)(inputs, **ALL[name]).loss for inputs in (clean, dirty)]
    assert losses_of[0].item() == losses_of[1].item()
    assert gradient(losses_of[0], clean) == gradient(losses_of[1], dirty)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_sums_are_taken_in_float32(name: str, dtype: Any) -> None:
    inputs = sample(2000)
    for field in ("inference_logprobs", "ref_logprobs", "advantages"):
        setattr(inputs, field, getattr(inputs, field).to(dtype))
    inputs.trainer_logprobs = inputs.trainer_logprobs.detach().to(dtype).requires_grad_()
    exact = sample(2000)
    for field in ("inference_logprobs", "ref_logprobs", "advantages"):
        setattr(exact, field, getattr(inputs, field).double())
    exact.trainer_logprobs = inputs.trainer_logprobs.detach().double().requires_grad_()
    result, wanted = (getattr(losses, name)(at, **ALL[name]).loss for at in (inputs, exact))
    assert result.dtype == torch.float32
    assert result.item() == pytest.approx(wanted.item(), rel=1e-4)  # a bfloat16 sum would be off by about 1e-2


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("clipped_surrogate", {}, "needs loss_weights: set divide_by_std of env select-one"),
        ("clipped_surrogate", {"std": "none", "beta": 0.04}, "beta needs ref_logprobs: set reference"),
        ("clipped_surrogate", {"std": "sample"}, "kwargs.std: 'sample'; use"),
        ("braked_cross_entropy", {}, "the brake needs ref_logprobs"),
        ("reverse_kl", {}, "reverse_kl needs ref_logprobs"),
    ],
)
def test_a_missing_stream_is_named(name: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        getattr(losses, name)(sample(ref_logprobs=None), **options)


@pytest.fixture(scope="module")
def prime_rl() -> ModuleType:
    """prime-rl's own trainer/rl/loss.py."""
    if CLONE.is_dir():
        for folder in ("src", "packages/prime-rl-configs/src"):
            sys.path.append(str(CLONE / folder))
    if importlib.util.find_spec("prime_rl") is None:
        pytest.skip("no prime-rl: neither .prime-rl (`uv run setup-prime-rl`) nor an installed prime_rl")
    return pytest.importorskip("prime_rl.trainer.rl.loss", exc_type=ImportError)


@pytest.mark.parametrize("name", ["clipped_surrogate", "cross_entropy", "braked_cross_entropy", "reverse_kl"])
def test_prime_rl_takes_them_and_divides_by_the_steps_tokens(prime_rl: ModuleType, name: str) -> None:
    from prime_rl.configs.trainer import CustomLossConfig  # ty: ignore[import-not-found]

    options = ALL[name] | ({"std": "weights"} if name == "clipped_surrogate" else {})
    config = CustomLossConfig(import_path=f"math_reasoning.losses.{name}", kwargs=options)
    samples = [sample(10 + 5 * k, seed=k, advantage=0.4 - 0.3 * k) for k in range(3)]
    weights = [torch.full_like(s.advantages, 2.5) for s in samples]
    tokens = sum(int(s.loss_mask.sum()) for s in samples)
    loss, metrics = prime_rl.compute_loss(
        trainer_logprobs=[s.trainer_logprobs for s in samples],
        inference_logprobs=[s.inference_logprobs for s in samples],
        ref_logprobs=[s.ref_logprobs for s in samples],
        advantages=[s.advantages for s in samples],
        loss_mask=[s.loss_mask for s in samples],
        rl_weights=weights,
        ce_weights=None,
        ref_kl_weights=None,
        rl_loss_fn=prime_rl.setup_rl_loss_fn(config),
        rl_scale=tokens,
        ce_scale=1,
        ref_kl_scale=1,
    )
    theirs = torch.autograd.grad(loss, [s.trainer_logprobs for s in samples], retain_graph=True)
    for s, w in zip(samples, weights, strict=True):
        s.loss_weights = w
    results = [getattr(losses, name)(s, **options) for s in samples]
    assert loss.item() == pytest.approx(sum(r.loss.item() for r in results) / tokens, rel=1e-5)
    for s, r, whole in zip(samples, results, theirs, strict=True):
        assert whole[s.loss_mask].tolist() == pytest.approx([g / tokens for g in gradient(r.loss, s)], rel=1e-5)
    assert set(metrics) == set(results[0].metrics) and all(len(v) == 3 for v in metrics.values())


def test_cross_entropy_is_prime_rls_own(prime_rl: ModuleType) -> None:
    inputs = sample()
    own, theirs = losses.cross_entropy(inputs).loss, prime_rl.ce_loss_fn(inputs).loss
    assert own.item() == pytest.approx(theirs.item(), rel=1e-6)
    assert gradient(own, inputs) == gradient(theirs, inputs)


def test_on_policy_reverse_kl_has_the_gradient_of_prime_rls_ref_kl(prime_rl: ModuleType) -> None:
    inputs = sample()
    inputs.inference_logprobs = inputs.trainer_logprobs.detach().clone()
    theirs = gradient(prime_rl.ref_kl_loss_fn(inputs).loss, inputs)
    assert gradient(losses.reverse_kl(inputs).loss, inputs) == pytest.approx(theirs, rel=1e-4, abs=1e-6)
