from math_reasoning.taskset import MathReasoningEnv, MathReasoningTaskset

__all__ = ["MathReasoningEnv", "MathReasoningTaskset"]
