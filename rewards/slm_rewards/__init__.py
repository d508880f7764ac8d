from slm_rewards.answer import check_golds, exact_match, last_answer, partial_credit, unigram_f1
from slm_rewards.text import check_gold, extra_values, found_values, gold_fraction, solved

__all__ = [
    "check_gold",
    "check_golds",
    "exact_match",
    "extra_values",
    "found_values",
    "gold_fraction",
    "last_answer",
    "partial_credit",
    "solved",
    "unigram_f1",
]
