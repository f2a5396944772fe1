"""The decompressor of zstd frames, fed so that what it gives before a defect is the same however a file is read."""

from __future__ import annotations

import importlib
from functools import cache
from types import ModuleType
from typing import Any

from lastsaid._reference.log.frames.layout import BLOCK_HEAD, FrameHead, Walk
from lastsaid.errors import MissingExtraError


@cache
def _library() -> ModuleType:
    """The standard library's from Python 3.14 on, before that the same one as a package."""
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            continue
    raise MissingExtraError("reading zstd in the pure Python engine takes Python 3.14", "zstd")


class Decoder:
    """One frame, block by block. A bad block gives nothing, and the frame is over."""

    def __init__(self) -> None:
        self.zstd = _library()
        self.frame: Any = None

    def begin(self, header: bytes) -> bool:
        """Begin a frame by its header; whether it can be."""
        self.frame = self.zstd.ZstdDecompressor(options={self.zstd.DecompressionParameter.window_log_max: 27})
        return self._feed(header) is not None

    def block(self, block: bytes, left: int | None) -> bytes | None:
        """What a block holds, which may be no more than `left`; None for a bad one."""
        given = self._feed(block)
        return None if given is None or (left is not None and len(given) > left) else given

    def is_checksum(self, checksum: bytes) -> bool:
        return self._feed(checksum) is not None

    def _feed(self, data: bytes) -> bytes | None:
        if not data:
            return b""
        if self.frame.eof:
            return None
        try:
            given: bytes = self.frame.decompress(data)
        except self.zstd.ZstdError:
            return None
        return None if self.frame.unused_data else given

    def whole(self, frame: bytes, size: int) -> bytes | None:
        """A frame that is there from its first byte to its last and states its size; None for a bad one."""
        decompressor = self.zstd.ZstdDecompressor(options={self.zstd.DecompressionParameter.window_log_max: 27})
        try:
            given: bytes = decompressor.decompress(frame)
        except self.zstd.ZstdError:
            return None
        return given if decompressor.eof and not decompressor.unused_data and len(given) == size else None

    def torn(self, head: FrameHead, data: bytes) -> bytes:
        """What can be decompressed of a frame that states its size and isn't all there."""
        if len(data) < head.length or not self.begin(data[: head.length]):
            return b""
        out = b""
        at = head.length
        walk = Walk(head)
        while at + BLOCK_HEAD <= len(data):
            block = walk.block(data[at : at + BLOCK_HEAD])
            if block is None:
                break
            end = at + BLOCK_HEAD + block.packed
            given = self.block(data[at:end], (head.stated or 0) - len(out))
            if given is None:
                break
            out += given
            if block.checksum is not None:
                # What follows the last one is a part of the checksum.
                break
            at = end
        return out
