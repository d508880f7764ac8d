from slm_rewards.text import check_gold, extra_values, found_values, gold_fraction, solved

__all__ = ["check_gold", "extra_values", "found_values", "gold_fraction", "solved"]
