"""The lines of a log read once, from its start to its end: pipes, and counts from the start."""

from __future__ import annotations

from collections.abc import Iterator

from lastsaid._reference.fold import Place
from lastsaid._reference.formats import dsh
from lastsaid._reference.log import document, lines
from lastsaid._reference.log.records import damaged, found, is_torn
from lastsaid._reference.log.source import Input
from lastsaid._reference.records import Found


def read(log: Input, blocks: Iterator[bytes], offset: int, sink: document.Sink, start: int, limit: int) -> document.End:
    """Read all lines into a sink."""
    records = 0
    # Unknown after damage.
    number: int | None = 0
    end = offset

    def take(record: Found) -> None:
        nonlocal records
        records += 1
        (sink.pass_over if records <= start else sink.feed)(record)

    for line in lines.forward(blocks, offset, limit, dsh.NEEDLES, dsh.LONGEST_NEEDLE):
        end = line.end
        gap = log.gaps.get(line.offset - 1)
        if gap is not None:
            number = None
            take(damaged(gap))
            continue
        number = None if number is None else number + 1
        if not line.has_lf and log.is_torn:
            sink.torn(line.offset, number, document.CUT_FRAME)
            return document.End(True, records)
        if line.is_blank:
            continue
        if not line.has_lf and is_torn(line):
            sink.torn(line.offset, number, torn_sentence(line.length))
            return document.End(True, records)
        if line.needle or records == 0 or not line.has_lf or sink.examines_all:
            take(found(line, limit, Place(offset=line.offset, line=number)))
        else:
            records += 1
    if log.is_torn:
        sink.torn(end, None if number is None else number + 1, document.CUT_FRAME)
    return document.End(log.is_torn, records)


def torn_sentence(length: int) -> str:
    """What is said of bytes after the last LF that aren't JSON."""
    count, are = ("1 byte", "is") if length == 1 else (f"{length} bytes", "are")
    return f"{count} after the last line feed {are} not JSON"
