r"""Losses of the GSM8K study and of Open-RS for prime-rl's trainer (`[trainer.loss] type = "custom"`).

`import_path = "math_reasoning.losses.<name>"`; the arguments after `inputs` come from `[trainer.loss.kwargs]`.

A function sees one sample: one attempt, its tokens in a row. It returns the sum over the trained tokens, because
prime-rl (trainer/rl/loss.py `compute_loss`, trainer/rl/train.py) adds up the samples of the step and divides by the
number of trained tokens in the whole step, over all GPUs. The objective is therefore a mean over tokens: an answer
counts by its length, where a formula that averages per answer gives each answer the same weight.

A KL term is a sample of it. A loss gets the logprob of the sampled token alone, never the distribution over the
vocabulary, so KL(pi || ref) at a position appears as its value at that token:

    d = log pi(y_t) - log ref(y_t),  y_t ~ pi
    E[d] = KL                          its gradient as a loss is 0 in expectation: reported, never trained on
    grad (d^2 / 2) = d grad log pi     in expectation grad KL(pi || ref): `reverse_kl`, `braked_cross_entropy`
    exp(-d) + d - 1                    in expectation KL too, >= 0; in expectation its gradient is that of
                                       KL(ref || pi): Open-RS writes this one (its eq. 2), `clipped_surrogate`

Tensor methods only, so that importing this module needs neither torch nor prime-rl.
"""

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from torch import Tensor

FLAT = 1e-6
"""A group whose rewards spread less than this has no advantage to divide."""


class LossInputs(Protocol):
    """What prime-rl passes (its `LossInputs`): 1-D tensors of one length, logprobs in nats."""

    trainer_logprobs: "Tensor"
    """Of the weights being trained; the gradient flows through it."""
    inference_logprobs: "Tensor"
    """Of the weights that sampled, as the inference server reported them."""
    ref_logprobs: "Tensor | None"
    """Of a frozen model; select-one's `reference` writes them. 0 outside the sampled tokens."""
    advantages: "Tensor"
    """reward - mean(rewards of the group), the same on every token of an attempt."""
    loss_mask: "Tensor"
    """Bool: tokens that are trained."""
    loss_weights: "Tensor | None"
    """The sample's `rl` stream; select-one's `divide_by_std` writes 1 / std."""


class Loss(NamedTuple):
    """prime-rl reads these two attributes of the result (`compute_loss`), whatever its type."""

    loss: "Tensor"
    """Sum over the trained tokens, 0-D float32."""
    metrics: dict[str, "Tensor"]
    """0-D each, of this sample."""


def clipped_surrogate(
    inputs: LossInputs, clip: float = 0.2, std: Literal["weights", "binary", "none"] = "weights", beta: float = 0.0
) -> Loss:
    r"""GRPO: -min(rho A, clip(rho, 1 - clip, 1 + clip) A), plus beta (exp(-d) + d - 1) if beta is set.

    rho = pi(y_t) / pi_old(y_t) per token, A = (r - mean) / std, std over the group's n rewards (population).

    `std` says where the standard deviation comes from, since prime-rl ships A = r - mean undivided:

    - `weights`: select-one's `divide_by_std` sent 1 / std along as the loss weight. Any reward.
    - `binary`: recovered from A itself. With rewards of 0 and 1 and a share p right, A is 1 - p or -p, and
      std = sqrt(p (1 - p)) = sqrt(|A| (1 - |A|)). The mean is over the rollouts that came back, so a group that lost
      some to errors has the std of the others, as it should. Rewards of 0 and 1 only, and no weights besides.
    - `none`: undivided.

    A group without spread has A = 0 and gives no gradient, except through beta.

    Source: the GSM8K study, arms 3 and 4; Open-RS eqs. 1-3.
    Raises ValueError where weights or reference logprobs are asked for and missing.
    """
    mask = inputs.loss_mask
    log_pi = inputs.trainer_logprobs[mask].float()
    advantage = inputs.advantages[mask].float()
    if std == "weights":
        advantage = advantage * _given(inputs.loss_weights, mask, "loss_weights", 'std = "weights"', "divide_by_std")
    elif std == "binary":
        size = advantage.abs()
        spread = (size * (1 - size)).clamp(min=0).sqrt()
        advantage = advantage / spread.clamp(min=FLAT)
    elif std != "none":
        raise ValueError(f'trainer.loss.kwargs.std: {std!r}; use "weights", "binary" or "none"')
    ratio = (log_pi - inputs.inference_logprobs[mask].float()).exp()
    bounded = ratio.clamp(1 - clip, 1 + clip)
    surrogate = (ratio * advantage).minimum(bounded * advantage)
    loss = -surrogate.sum()
    # Where the smaller term is the bounded one and the bound holds, the token has no gradient.
    metrics = {"clipped": _mean((bounded * advantage < ratio * advantage).float())}
    if beta:
        delta = log_pi - _given(inputs.ref_logprobs, mask, "ref_logprobs", "beta", "reference")
        penalty = (-delta).exp() + delta - 1
        loss = loss + beta * penalty.sum()
        metrics |= {"kl": _mean(delta), "kl_k3": _mean(penalty)}
    return Loss(loss, metrics)


def cross_entropy(inputs: LossInputs) -> Loss:
    """-log pi(y_t), summed over the trained tokens; advantages and weights are not read.

    Source: the GSM8K study, arm 1 and the arm it misses. The one trained attempt is select-one's, whose advantage is 0:
    run with `orchestrator.train.filter_zero_advantages = false`.
    """
    log_pi = inputs.trainer_logprobs[inputs.loss_mask].float()
    return Loss(-log_pi.sum(), {"nll": _mean(-log_pi)})


def braked_cross_entropy(inputs: LossInputs, beta: float = 0.05) -> Loss:
    """-log pi(y_t) + beta d^2 / 2, d = log pi(y_t) - log ref(y_t), summed over the trained tokens.

    grad = -(1 - beta d) grad log pi: the brake pulls wherever pi has left the reference, whatever the advantages are,
    in flat groups too.

    Source: the GSM8K study, arm 2, whose KL is over the whole vocabulary; here it is sampled, at the tokens of the
    selected attempt, which are the policy's own but not a fair sample of them. Metric `kl` is the mean of d.
    Raises ValueError without reference logprobs.
    """
    mask = inputs.loss_mask
    log_pi = inputs.trainer_logprobs[mask].float()
    delta = log_pi - _given(inputs.ref_logprobs, mask, "ref_logprobs", "the brake", "reference")
    brake = delta.square() / 2
    loss = (beta * brake - log_pi).sum()
    return Loss(loss, {"nll": _mean(-log_pi), "kl": _mean(delta), "brake": _mean(brake)})


def reverse_kl(inputs: LossInputs) -> Loss:
    """d^2 / 2, d = log pi(y_t) - log teacher(y_t), summed over the trained tokens.

    Its gradient is in expectation that of KL(pi || teacher).

    Source: the GSM8K study, arm 5, whose KL is over the whole vocabulary. Metric `kl`, the mean of d, estimates it.
    Raises ValueError without reference logprobs.
    """
    mask = inputs.loss_mask
    log_pi = inputs.trainer_logprobs[mask].float()
    delta = log_pi - _given(inputs.ref_logprobs, mask, "ref_logprobs", "reverse_kl", "reference")
    return Loss((delta.square() / 2).sum(), {"kl": _mean(delta)})


def _given(values: "Tensor | None", mask: "Tensor", name: str, needed_by: str, option: str) -> "Tensor":
    """The masked values in float32. A sample without trained tokens (padding) may lack them."""
    if values is not None:
        return values[mask].float()
    if mask.any():
        raise ValueError(f"{needed_by} needs {name}: set {option} of env select-one in every training source")
    return mask[mask].float()


def _mean(values: "Tensor") -> "Tensor":
    """Detached; 0 of nothing."""
    return values.detach().sum() / max(values.numel(), 1)
