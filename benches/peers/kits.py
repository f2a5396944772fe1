"""The text of a stream out of the packages people use, each fed with its own objects, or with raw JSON as it arrives.

They also build typed snapshots, tool calls and usage: what is compared is the task, the text after the last chunk.
Raw JSON is parsed the way the package itself does it. Each import is made when the kit is, so that one that isn't
installed is missing alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from contenders import installed

OWN: Final = "its own objects"
RAW: Final = "raw JSON"


@dataclass(frozen=True, slots=True)
class Kit:
    """What a package needs to give the text of some pieces."""

    raw: Callable[[str], dict[str, Any]]
    """A piece as the JSON object that arrives."""
    parsed: Callable[[dict[str, Any]], Any]
    """The package's own object of it."""
    text: Callable[[Sequence[Any]], str]
    """The text of these objects, pushed one by one."""


def own_objects(kit: Kit, pieces: Sequence[str]) -> list[Any]:
    return [kit.parsed(kit.raw(piece)) for piece in pieces]


def raw_json(kit: Kit, pieces: Sequence[str]) -> list[bytes]:
    return [json.dumps(kit.raw(piece), ensure_ascii=False).encode() for piece in pieces]


def text_of_raw(kit: Kit, lines: Sequence[bytes]) -> str:
    parsed, loads = kit.parsed, json.loads
    return kit.text([parsed(loads(line)) for line in lines])


def pydantic_ai() -> Kit:
    from pydantic_ai._parts_manager import ModelResponsePartsManager
    from pydantic_ai.models import ModelRequestParameters

    def text(pieces: Sequence[str]) -> str:
        manager = ModelResponsePartsManager(model_request_parameters=ModelRequestParameters())
        for piece in pieces:
            for _ in manager.handle_text_delta(vendor_part_id="0", content=piece):
                pass
        return "".join(part.content for part in manager.get_parts())  # type: ignore[union-attr]

    # It has no wire format of its own: what arrives is a provider's delta.
    return Kit(lambda piece: {"type": "text_delta", "text": piece}, lambda raw: raw["text"], text)


def anthropic() -> Kit:
    from anthropic._models import construct_type
    from anthropic.lib.streaming._messages import accumulate_event
    from anthropic.types import RawMessageStreamEvent

    def event(raw: dict[str, Any]) -> Any:
        return construct_type(type_=RawMessageStreamEvent, value=raw)

    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    opening = [event({"type": "message_start", "message": message}), event(block)]

    def text(events: Sequence[Any]) -> str:
        snapshot: Any = None
        buffers: dict[int, bytes] = {}
        for one in opening:
            snapshot = accumulate_event(event=one, current_snapshot=snapshot, json_bufs=buffers)
        for one in events:
            snapshot = accumulate_event(event=one, current_snapshot=snapshot, json_bufs=buffers)
        return "".join(block.text for block in snapshot.content)

    def raw(piece: str) -> dict[str, Any]:
        return {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}

    return Kit(raw, event, text)


def _chat_chunk(piece: str) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": piece}, "finish_reason": None, "logprobs": None}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o", "choices": [choice]}


def openai_chat() -> Kit:
    from openai._models import construct_type
    from openai.lib.streaming.chat import ChatCompletionStreamState
    from openai.types.chat import ChatCompletionChunk

    def text(chunks: Sequence[Any]) -> str:
        state: Any = ChatCompletionStreamState()
        for chunk in chunks:
            for _ in state.handle_chunk(chunk):
                pass
        return state.current_completion_snapshot.choices[0].message.content or ""

    return Kit(_chat_chunk, lambda raw: construct_type(type_=ChatCompletionChunk, value=raw), text)


def openai_responses() -> Kit:
    from openai._models import construct_type
    from openai._types import omit
    from openai.lib.streaming.responses._responses import ResponseStreamState
    from openai.types.responses import ResponseStreamEvent

    def event(raw: dict[str, Any]) -> Any:
        return construct_type(type_=ResponseStreamEvent, value={"sequence_number": 1, **raw})

    response = {"id": "r", "object": "response", "created_at": 1, "model": "m", "output": [], "status": "in_progress"}
    response |= {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    item = {"id": "i", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
    part = {"type": "output_text", "text": "", "annotations": []}
    place = {"item_id": "i", "output_index": 0, "content_index": 0}
    opening = [
        {"type": "response.created", "response": response},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.content_part.added", "part": part, **place},
    ]

    def text(events: Sequence[Any]) -> str:
        state: Any = ResponseStreamState(input_tools=omit, text_format=omit)
        for raw in opening:
            state.handle_event(event(raw))
        last = None
        for one in events:
            (last,) = state.handle_event(one)
        return last.snapshot if last is not None else ""

    def raw(piece: str) -> dict[str, Any]:
        return {"type": "response.output_text.delta", "delta": piece, "logprobs": [], **place}

    return Kit(raw, event, text)


def _langchain(text: Callable[[Sequence[Any]], str]) -> Kit:
    from langchain_core.messages import AIMessageChunk

    return Kit(lambda piece: {"content": piece}, lambda raw: AIMessageChunk(content=raw["content"]), text)


def langchain_plus() -> Kit:
    def text(chunks: Sequence[Any]) -> str:
        whole = chunks[0]
        for chunk in chunks[1:]:
            whole = whole + chunk
        return str(whole.content)

    return _langchain(text)


def langchain_batch() -> Kit:
    from langchain_core.messages.ai import add_ai_message_chunks

    return _langchain(lambda chunks: str(add_ai_message_chunks(*chunks).content))


def litellm() -> Kit:
    import os

    # It would look for a newer price list on the network.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    from litellm import stream_chunk_builder
    from litellm.types.utils import ModelResponseStream

    def text(chunks: Sequence[Any]) -> str:
        built: Any = stream_chunk_builder(list(chunks))
        return str(built.choices[0].message.content)

    return Kit(_chat_chunk, lambda raw: ModelResponseStream(**raw), text)


def acp() -> Kit:
    from acp.contrib.session_state import SessionAccumulator
    from acp.schema import SessionNotification

    def text(notifications: Sequence[Any]) -> str:
        accumulator = SessionAccumulator()
        snapshot: Any = None
        for notification in notifications:
            snapshot = accumulator.apply(notification)
        return "".join(message.content.text for message in snapshot.agent_messages)

    def raw(piece: str) -> dict[str, Any]:
        update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": piece}}
        return {"sessionId": "s", "update": update}

    return Kit(raw, SessionNotification.model_validate, text)


@dataclass(frozen=True, slots=True)
class Offer:
    """A kit that may be there."""

    module: str
    made: Callable[[], Kit]
    most: int
    """Chunks beyond which a run would take too long, in `make bench` and in a full run."""

    @property
    def missing(self) -> str | None:
        return installed(self.module)


KITS: Final[dict[str, Offer]] = {
    "pydantic-ai, parts manager": Offer("pydantic_ai", pydantic_ai, 1_000_000),
    "anthropic, accumulator": Offer("anthropic", anthropic, 100_000),
    "openai, chat state": Offer("openai", openai_chat, 100_000),
    "openai, responses state": Offer("openai", openai_responses, 100_000),
    "langchain, chunk + chunk": Offer("langchain_core", langchain_plus, 100_000),
    "langchain, one merge": Offer("langchain_core", langchain_batch, 100_000),
    "litellm, chunk builder": Offer("litellm", litellm, 100_000),
    "ACP, session accumulator": Offer("acp", acp, 2_000),
}
