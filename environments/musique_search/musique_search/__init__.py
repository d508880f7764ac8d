from musique_search.taskset import MusiqueSearchEnv, MusiqueSearchTaskset

__all__ = ["MusiqueSearchEnv", "MusiqueSearchTaskset"]
