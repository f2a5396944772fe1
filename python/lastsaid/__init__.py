"""What did the agent finally say? One rule, two engines (docs/spec/selection.md)."""

from lastsaid.engine import (
    ENGINE,
    RULE_VERSION,
    AssistantOutputFold,
    final_assistant_output,
    read,
    read_bytes,
    select,
    suffix_start,
)
from lastsaid.errors import FoldBusyError, LastsaidError, MalformedEventError, TurnNotFoundError
from lastsaid.selection import EarlierText, Selection, SelectionWarning

__all__ = [
    "ENGINE",
    "RULE_VERSION",
    "AssistantOutputFold",
    "EarlierText",
    "FoldBusyError",
    "LastsaidError",
    "MalformedEventError",
    "Selection",
    "SelectionWarning",
    "TurnNotFoundError",
    "final_assistant_output",
    "read",
    "read_bytes",
    "select",
    "suffix_start",
]
