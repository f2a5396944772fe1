"""The same log in other clothes: gzip members, zstd frames, one JSON array, server-sent events.

Frames are written byte by byte (RFC 8878), so that every field of theirs can be what an encoder never writes.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from importlib import import_module
from typing import Any

from differential.choice import Choice, split

MAGIC = b"\x28\xb5\x2f\xfd"
LARGEST_BLOCK = 128 * 1024
_MASK = (1 << 64) - 1
_P1, _P2, _P3, _P4, _P5 = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)


def _compressor() -> Callable[[bytes], bytes] | None:
    """Whatever of the known modules is installed; None where there is none, then blocks are raw."""
    for name in ("compression.zstd", "backports.zstd", "zstandard"):
        try:
            return import_module(name).compress
        except ImportError:
            continue
    return None


_COMPRESS = _compressor()


def _rotated(value: int, by: int) -> int:
    value &= _MASK
    return (value << by | value >> (64 - by)) & _MASK


def xxh64(data: bytes) -> int:
    """XXH64 with seed 0: of its low half a frame's checksum is made."""
    at, size = 0, len(data)

    def word(at: int, width: int = 8) -> int:
        return int.from_bytes(data[at : at + width], "little")

    def mixed(lane: int, value: int) -> int:
        return _rotated(lane + value * _P2, 31) * _P1 & _MASK

    if size >= 32:
        lanes = [_P1 + _P2 & _MASK, _P2, 0, -_P1 & _MASK]
        while at + 32 <= size:
            lanes = [mixed(lane, word(at + 8 * i)) for i, lane in enumerate(lanes)]
            at += 32
        found = sum(_rotated(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18), strict=True))
        for lane in lanes:
            found = ((found ^ mixed(0, lane)) * _P1 + _P4) & _MASK
    else:
        found = _P5
    found += size
    while at + 8 <= size:
        found = _rotated(found ^ mixed(0, word(at)), 27) * _P1 + _P4
        at += 8
    if at + 4 <= size:
        found = _rotated(found ^ word(at, 4) * _P1, 23) * _P2 + _P3
        at += 4
    for byte in data[at:]:
        found = _rotated(found ^ byte * _P5, 11) * _P1
    found &= _MASK
    found = (found ^ found >> 33) * _P2 & _MASK
    found = (found ^ found >> 29) * _P3 & _MASK
    return found ^ found >> 32


def zstd_frame(data: bytes, how: dict[str, Any]) -> bytes:
    """One frame. `how` says what is in its header and blocks; what it doesn't say is as an encoder would write it."""
    sized, single = how.get("sized", True), how.get("single", True)
    stated = how.get("stated", len(data))
    width = how.get("width", 0 if sized and single and stated < 256 else 2 if 256 <= stated < 65792 else 4)
    if not sized:
        single, width = False, 0
    flag = {0: 0, 1: 0, 2: 1, 4: 2, 8: 3}[width]
    descriptor = flag << 6 | single << 5 | how.get("reserved", 0) << 3 | how.get("checksum", False) << 2
    dictionary = how.get("dictionary", b"")
    descriptor |= {0: 0, 1: 1, 2: 2, 4: 3}[len(dictionary)]
    header = MAGIC + bytes((descriptor,))
    if not single:
        header += bytes((how.get("window", 0x38),))
    header += dictionary
    if sized and (single or flag):
        size = stated - 256 if width == 2 else stated
        header += (size % (1 << 8 * (width or 1))).to_bytes(width or 1, "little")
    frame = header + _blocks(data, how)
    if how.get("checksum"):
        frame += (xxh64(data) & 0xFFFFFFFF ^ how.get("wrong", 0)).to_bytes(4, "little")
    return frame


def _blocks(data: bytes, how: dict[str, Any]) -> bytes:
    kind = how.get("blocks", "raw")
    if kind == "compressed" and _COMPRESS is not None and data:
        return _compressed_block(data)
    pieces = split(data, range(0, len(data), how.get("block", LARGEST_BLOCK)))[1:] or [b""]
    shown = []
    for number, piece in enumerate(pieces):
        is_last = number == len(pieces) - 1 and not how.get("endless")
        if kind == "rle" and piece and piece == piece[:1] * len(piece):
            shown.append((len(piece) << 3 | 1 << 1 | is_last).to_bytes(3, "little") + piece[:1])
        else:
            type_ = how.get("type", 0) if is_last else 0
            shown.append((len(piece) << 3 | type_ << 1 | is_last).to_bytes(3, "little") + piece)
    return b"".join(shown)


def _compressed_block(data: bytes) -> bytes:
    """The blocks of a real encoder's frame, whose header is cut off."""
    assert _COMPRESS is not None
    frame = _COMPRESS(data)
    descriptor = frame[4]
    single = descriptor >> 5 & 1
    sizes = (1 if single else 0, 2, 4, 8)
    at = 5 + (not single) + (0, 1, 2, 4)[descriptor & 3] + sizes[descriptor >> 6]
    return frame[at : len(frame) - 4 * (descriptor >> 2 & 1)]


def skippable(data: bytes, nibble: int = 0) -> bytes:
    return bytes((0x50 + nibble, 0x2A, 0x4D, 0x18)) + len(data).to_bytes(4, "little") + data


def gzip_member(data: bytes, how: dict[str, Any]) -> bytes:
    made = zlib.compressobj(how.get("level", 6), zlib.DEFLATED, 31)
    return made.compress(data) + made.flush()


def encoded(log: bytes, plan: dict[str, Any]) -> bytes:
    """The log as the plan has it: `format`, where it is `split`, `how` each frame is made, what is done to the file."""
    pieces = split(log, plan.get("split", ()))
    if plan["format"] == "gzip":
        frames = [gzip_member(piece, plan.get("how", {})) for piece in pieces]
    else:
        frames = [zstd_frame(piece, plan.get("how", {})) for piece in pieces]
    for at, odd in plan.get("odd", ()):
        if at < len(pieces) and plan["format"] == "zstd":
            frames[at] = zstd_frame(pieces[at], {**plan.get("how", {}), **odd})
    for at, data in plan.get("skippable", ()):
        if plan["format"] == "zstd":
            frames.insert(min(at, len(frames)), skippable(data, at % 16))
    file = b"".join(frames) + plan.get("tail", b"")
    for at, byte in plan.get("flips", ()):
        if file:
            at %= len(file)
            file = file[:at] + bytes((file[at] ^ byte,)) + file[at + 1 :]
    cut = plan.get("cut")
    return file if cut is None else file[: cut % (len(file) + 1)]


ODD_FRAMES: tuple[dict[str, Any], ...] = (
    {"sized": False},
    {"sized": False, "checksum": True},
    {"checksum": True},
    {"checksum": True, "wrong": 1},
    {"single": False},
    {"single": False, "width": 8},
    {"width": 4},
    {"width": 8},
    {"reserved": 1},
    {"reserved": 2},
    {"dictionary": b"\x00"},
    {"dictionary": b"\x07"},
    {"dictionary": b"\x01\x02\x03\x04"},
    {"window": 0x00, "single": False},
    {"window": 0xFF, "single": False},
    {"window": 0x88, "single": False, "sized": False},
    {"window": 0x89, "single": False, "sized": False},
    {"type": 3},
    {"type": 2},
    {"endless": True},
    {"blocks": "rle"},
    {"blocks": "compressed"},
    {"blocks": "compressed", "checksum": True},
    {"block": 5},
    {"block": 1, "checksum": True},
    {"stated": 0},
    {"stated": 3},
    {"stated": 200},
    {"stated": 2**60, "width": 8},
    {"stated": 2**64 - 1, "width": 8},
)
# Sizes for which a gap of as many bytes stands, or just doesn't: rare, for they are slow.
LARGE_FRAMES: tuple[dict[str, Any], ...] = (
    {"stated": 16 * 1024 * 1024, "width": 4},
    {"stated": 16 * 1024 * 1024 + 1, "width": 4},
    {"stated": 200 * 1024 * 1024, "width": 4},
)
ODD_TAILS = (b"x", b"\n", MAGIC, MAGIC[:2], b"\x1f\x8b", b"\x1f", b"{}\n", b"\x00x", b"P*M\x18",
             b"P*M\x18\xff\xff\xff\xff", skippable(b"abc")[:-1])  # fmt: skip


def odd_frame(choice: Choice) -> dict[str, Any]:
    return choice.of(LARGE_FRAMES if choice.chance(0.03) else ODD_FRAMES)


def plan_of(log: bytes, choice: Choice, *, damage: float) -> dict[str, Any]:
    """How the log is to be encoded: one frame, a frame a line, a frame every three lines, or cut anywhere."""
    plan: dict[str, Any] = {"format": choice.of(("gzip", "zstd", "zstd", "zstd"))}
    ends = [at + 1 for at, byte in enumerate(log) if byte == 0x0A]
    plan["split"] = choice.of(([], ends, ends[2::3], choice.cuts(len(log), 4), [*ends, *choice.cuts(len(log), 2)]))
    how = choice.of(({}, {}, {}, {"checksum": True}, {"blocks": "compressed"}, {"sized": False}, {"block": 7}))
    if how:
        plan["how"] = how
    if choice.chance(0.3):
        plan["skippable"] = [
            (choice.below(4), choice.of((b"", b"{}\n", b"x" * 300))) for _ in range(choice.between(1, 2))
        ]
    if choice.chance(0.1):
        plan["tail"] = b"\x00" * choice.of((1, 3, 600))
    if choice.chance(damage):
        roll = choice.random()
        frames = len(plan["split"]) + 1
        if roll < 0.35:
            plan["odd"] = [(choice.below(frames), odd_frame(choice)) for _ in range(choice.between(1, 2))]
        elif roll < 0.6:
            plan["flips"] = [(choice.below(1 << 20), 1 << choice.below(8)) for _ in range(choice.between(1, 2))]
        elif roll < 0.85:
            plan["cut"] = choice.below(1 << 20)
        else:
            plan["tail"] = choice.of(ODD_TAILS)
    return plan


# --- one JSON array


def array(records: list[bytes], choice: Choice, *, damage: float) -> bytes:
    """The records as the elements of one document, on one line or several."""
    space = (b"", b"", b" ", b"\n", b"\r\n\t", b"\n ")
    parts = [choice.of((b"", b"", b"", b"\xef\xbb\xbf")), choice.of((b"[", b"[", b"[\n", b"[ "))]
    parts.append(choice.of((b",", b", ", b",\n", b"\n,", b" ,\r\n\t")).join(records))
    parts += [choice.of(space), b"]", choice.of((b"", b"\n", b" \n", b"\x00\x00"))]
    if choice.chance(damage):
        at = choice.below(len(parts))
        parts[at] = choice.of((b"", b",", b"]", b"[", b'"', b",,", b"]]", b"[1", b"}", b"{", b"] x", b"]\n3", b"\\"))
    document = b"".join(parts)
    if choice.chance(damage / 2):
        document = document[: choice.below(len(document) + 1)]
    return document


# --- server-sent events


OTHER_FIELDS = (b": comment", b"event: x", b"id: 1", b"retry: 5", b"data-x: no", b"dat", b"data")


def server_sent(records: list[bytes], choice: Choice) -> bytes:
    """The records as events: data lines among other fields and comments, three kinds of line ends."""
    end = choice.of((b"\n", b"\n", b"\r\n", b"\r"))
    parts = [choice.of((b"", b"", b"\xef\xbb\xbf", end))]
    for record in records:
        if choice.chance(0.2):
            parts.append(choice.of(OTHER_FIELDS) + end)
        pieces = split(record, choice.cuts(len(record), 2) if choice.chance(0.3) else ())
        parts += [choice.of((b"data: ", b"data: ", b"data:", b"data:  ")) + piece + end for piece in pieces]
        if choice.chance(0.1):
            parts.append(choice.of((b": x", b"data", b"data:", b"id")) + end)
        parts.append(choice.of((end, end, end, end + end, b"\n", b"")))
    return b"".join(parts)
