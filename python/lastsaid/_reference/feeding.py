"""A stream of bytes as it comes, cut into records: lines, or server-sent events (S5 `feed`).

What is kept between two calls is plain, so that a pickle can carry it.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from lastsaid._protocol import DEFAULT_MAX_RECORD_BYTES
from lastsaid._reference import json
from lastsaid._reference.formats import dsh
from lastsaid._reference.log.lines import BOM
from lastsaid._reference.node import string
from lastsaid.errors import MalformedEventError

LINES: Final = "lines"
SSE: Final = "sse"

_BLANK: Final = b" \t\r\n"
_LINE_END: Final = re.compile(rb"[\r\n]")
# So many bytes of a line say whether it is a `data` line, and where its value begins.
_HEAD: Final = len(b"data: ")


@dataclass(slots=True)
class Unfinished:
    """A record as its bytes come: the first of them, up to the limit, and what must be known of the rest."""

    offset: int
    line: int
    data: bytearray = field(default_factory=bytearray)
    size: int = 0
    # Without the zero bytes at its end, which are padding if nothing follows.
    used: int = 0
    needle: bool = False
    # Without a needle: its last bytes, in which one may have begun.
    edge: bytes = b""
    blank: bool = True

    def add(self, piece: bytes, limit: int) -> None:
        self.data += piece[: max(0, limit - self.size)]
        unpadded = piece.rstrip(b"\0")
        if unpadded:
            # Zero bytes that something follows are no padding, and not blank.
            self.blank = self.blank and self.used == self.size and not unpadded.strip(_BLANK)
            self.used = self.size + len(unpadded)
        self.size += len(piece)
        if not self.needle:
            window = self.edge + piece
            self.needle = dsh.NEEDLES.search(window) is not None
            self.edge = b"" if self.needle else window[-dsh.LONGEST_NEEDLE :]

    def is_blank(self) -> bool:
        return self.blank and self.used == self.size

    def cut_padding(self) -> None:
        """At the end of a stream: zero bytes are padding there."""
        del self.data[self.used :]
        self.size = self.used

    def is_torn(self) -> bool:
        """Whether a record at the end of a stream is cut off; over the limit nobody looks."""
        try:
            self.parse()
        except MalformedEventError as error:
            return error.kind != "too_large"
        return False

    def parse(self) -> json.Record:
        """The record, or what makes it unreadable."""
        if self.size > len(self.data):
            limit = f"at most {len(self.data)} (see max_record_bytes)"
            raise MalformedEventError("too_large", "", f"{self.size} bytes long", limit)
        return json.parse(bytes(self.data))


@dataclass(slots=True)
class Feeding:
    """Where a stream stands. `offset` and `line` are those of the next byte, which is the first of `pending`."""

    framing: str = LINES
    # Bytes nobody has looked at: what follows a bad record, or the beginning of a byte order mark.
    pending: bytearray = field(default_factory=bytearray)
    offset: int = 0
    line: int = 1
    # Those that are whole and not blank.
    records: int = 0
    # Of the stream before: how it ended.
    torn: bool = False
    record: Unfinished | None = None
    # The beginning of the line that is being read, where it began, and whether the byte before was a CR (sse).
    head: bytes = b""
    head_offset: int = 0
    after_cr: bool = False
    limit: int = DEFAULT_MAX_RECORD_BYTES

    def is_pending(self) -> bool:
        return bool(self.pending or self.head) or self.record is not None

    def copy(self) -> Feeding:
        return copy.deepcopy(self)

    def receive(self, chunk: bytes, framing: str) -> None:
        """Take bytes in; `whole` gives the records that are complete with them."""
        if framing != self.framing and self.is_pending():
            raise ValueError(
                f"framing is {framing!r}, but bytes framed as {self.framing!r} are pending; call end() first"
            )
        self.framing = framing
        self.torn = False
        self.pending += chunk

    def whole(self, *, at_end: bool = False) -> Iterator[Unfinished]:
        """The records that are complete and not blank. Each is out of the stream before it is handed on."""
        if self._may_be_bom() and not at_end:
            return
        if self.offset == 0 and self.pending.startswith(BOM):
            self._advance(len(BOM))
        while self.pending:
            if self.after_cr:
                self.after_cr = False
                self._advance(self.pending.startswith(b"\n"))
            elif (self._end_of_line() if self.framing == LINES else self._end_of_event()) and self.record is not None:
                record, self.record = self.record, None
                if not record.is_blank():
                    self.records += 1
                    yield record

    def tail(self) -> Unfinished | None:
        """At the end of the stream, after `whole`: the record that has no end, if it has anything."""
        if self.head:
            self._end_of_field()
        record, self.record = self.record, None
        if record is not None:
            record.cut_padding()
        return None if record is None or record.is_blank() else record

    def _may_be_bom(self) -> bool:
        return self.offset == 0 and len(self.pending) < len(BOM) and BOM.startswith(self.pending)

    def _advance(self, count: int) -> None:
        del self.pending[:count]
        self.offset += count

    def _end_of_line(self) -> bool:
        """Go to the end of the line, or of what is there; whether it was the line's."""
        at = self.pending.find(b"\n")
        is_end = at >= 0
        self.record = self.record or Unfinished(self.offset, self.line)
        self.record.add(bytes(self.pending[:at] if is_end else self.pending), self.limit)
        self._advance(at + 1 if is_end else len(self.pending))
        self.line += is_end
        return is_end

    def _end_of_event(self) -> bool:
        """Go to the end of the line, or of what is there; whether it was an empty one, which ends an event."""
        end = _LINE_END.search(self.pending)
        at = end.start() if end else len(self.pending)
        self._add_to_field(bytes(self.pending[:at]))
        self._advance(at)
        if end is None:
            return False
        is_empty = not self.head
        self._end_of_field()
        self.after_cr = self.pending.startswith(b"\r")
        self._advance(1)
        self.line += 1
        return is_empty

    def _add_to_field(self, piece: bytes) -> None:
        if not self.head:
            self.head_offset = self.offset
        missing = _HEAD - len(self.head)
        self.head += piece[:missing]
        if len(self.head) < _HEAD or not self.head.startswith(b"data:"):
            return
        if missing:
            self._begin_data().add(self.head[len(b"data:") :].removeprefix(b" "), self.limit)
        if self.record is not None:
            self.record.add(piece[missing:], self.limit)

    def _end_of_field(self) -> None:
        if self.head in (b"data", b"data:"):
            self._begin_data()
        self.head, self.head_offset = b"", 0

    def _begin_data(self) -> Unfinished:
        """The value of a `data` line begins: the first of its event, or another after an LF."""
        if self.record is None:
            self.record = Unfinished(self.head_offset, self.line)
        else:
            self.record.add(b"\n", self.limit)
        return self.record


def framing_named(framing: Any) -> str:
    plain = string(framing)
    if plain not in (LINES, SSE):
        raise ValueError(f"framing is {framing!r}, expected 'lines' or 'sse'")
    return plain
