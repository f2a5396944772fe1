"""The pure engine: the selection rule in the standard library alone, dull on purpose.

What it answers is right by definition; the Rust engine is held against it. Same file names as rust/core/src.
"""

from lastsaid._reference.events import final_assistant_output, select, suffix_start
from lastsaid._reference.fold import ENGINE
from lastsaid._reference.logs import check, read, read_bytes, read_sessions
from lastsaid._reference.many import read_many
from lastsaid._reference.output_fold import AssistantOutputFold

__all__ = [
    "ENGINE",
    "RULE_VERSION",
    "AssistantOutputFold",
    "check",
    "final_assistant_output",
    "read",
    "read_bytes",
    "read_many",
    "read_sessions",
    "select",
    "suffix_start",
]

RULE_VERSION = 1
