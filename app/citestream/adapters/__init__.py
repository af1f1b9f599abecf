"""Streams of the vendors' Python SDKs, passed on clean: the SDK's own objects in and out.

Lives here: which filter and which types an SDK's stream has. Must not know how a filter works. No
SDK is a dependency: the one whose stream is given is there.
"""

from citestream.adapters.streams import anthropic, google_genai, openai_chat, openai_responses

__all__ = ["anthropic", "google_genai", "openai_chat", "openai_responses"]
