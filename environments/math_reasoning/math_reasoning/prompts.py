r"""System prompts; each states the form that the scorer demands (`STYLES`)."""

from typing import Literal

from slm_rewards.math.extract import Style

Prompt = Literal["gsm8k", "boxed", "think", "think_english"]

GSM8K = """\
Solve the problem step by step. End your reply with a line of four number signs and the answer alone, for example:
#### 42"""

BOXED = """\
Solve the problem step by step. End your reply with the final answer alone inside \\boxed{}, for example: \\boxed{42}"""

THINK = """\
Think about the problem first, then answer. Put all your reasoning between <think> and </think>, each on a line of its \
own; then give a short solution that ends with the final answer alone inside \\boxed{}:
<think>
your reasoning
</think>
The answer is \\boxed{42}."""

THINK_ENGLISH = f"{THINK}\nReason and answer in English only, whatever the language of the problem."

PROMPTS: dict[Prompt, str] = {"gsm8k": GSM8K, "boxed": BOXED, "think": THINK, "think_english": THINK_ENGLISH}

STYLES: dict[Prompt, Style] = {"gsm8k": "gsm8k", "boxed": "boxed", "think": "boxed", "think_english": "boxed"}
"""Where the answer is read from under each prompt (`slm_rewards.math.extract_answer`)."""
