"""A scripted teacher: an OpenAI-compatible server that plays the known-good route of a task. No model is involved."""
