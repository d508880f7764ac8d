from select_one.env import SelectOneEnv

__all__ = ["SelectOneEnv"]
