"""What becomes of rollouts: SFT data (`sft`), problem pools (`pool`), scores by today's rewards (`rescore`)."""
