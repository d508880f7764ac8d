"""Commands around a pinned clone of prime-rl in `.prime-rl/`: set it up, launch it, check its server, merge LoRA."""
