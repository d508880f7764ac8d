from chat_loop.harness import ChatLoopConfig, ChatLoopHarness

__all__ = ["ChatLoopConfig", "ChatLoopHarness"]
