from slm_rewards.math.extract import extract_answer
from slm_rewards.math.golds import check_golds
from slm_rewards.math.language import english, repetition
from slm_rewards.math.rewards import cosine, format_reward, length_penalty, measure
from slm_rewards.math.verdicts import accuracy, accuracy_blocking, configure, judge, judge_blocking, stats

__all__ = [
    "accuracy",
    "accuracy_blocking",
    "check_golds",
    "configure",
    "cosine",
    "english",
    "extract_answer",
    "format_reward",
    "judge",
    "judge_blocking",
    "length_penalty",
    "measure",
    "repetition",
    "stats",
]
