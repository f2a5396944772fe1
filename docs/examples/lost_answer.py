"""The lost answer: an agent is cut off at its token limit in the middle of a tool call. What did it say?

The events are those of a real run, as the official Python SDK of DeepSeek Harness returned them
(`RunResult.events`). Run it: `make demo`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import lastsaid

LOG = Path(__file__).with_name("lost-answer.jsonl")


def sdk_final_response(events: list[dict[str, Any]]) -> str:
    """What that SDK calls the final response: the text of the last assistant message, empty or not."""
    answer = ""
    for event in events:
        if event["type"] == "assistant/message":
            content = event["data"]["message"]["content"]
            answer = "".join(block["text"] for block in content if block["type"] == "text")
    return answer


def main() -> None:
    events = [json.loads(line) for line in LOG.read_text(encoding="utf-8").splitlines()]
    empty = [event["seq"] for event in events if event["type"] == "assistant/message"][-1]
    said = lastsaid.select(events)
    place = f"seq {said.seq}, {said.stop_reason}: {said.completeness}"
    print(f"a run of {len(events)} events; its last message (seq {empty}) was cut off in a tool call and is empty")
    print(f"  the official SDK    {sdk_final_response(events)!r}")
    print(f"  lastsaid.select     {said.text!r}  ({place})")

    fold = lastsaid.AssistantOutputFold()
    for event in events:
        fold.push(event)
    assert fold.collect() == said.output

    read = lastsaid.read(LOG)
    print(f"  lastsaid.read       {read.text!r}  (byte {read.offset} of {LOG.name}, {read.engine} engine)")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
