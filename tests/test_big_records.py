"""Records of 10 MB, which no corpus holds: before, in and after the answer, in several encodings (spec S7)."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from dsh_events import header, jsonl, message, turn_end
from lastsaid import MalformedEventError, SelectionWarning
from recoded import SOUGHT, STREAMED, Encoding, Rewritten, as_array
from ways import Dribble

SIZE = 10_000_000
TEXT = "0123456789" * (SIZE // 10)
NOISE = {"type": "user/message", "data": {"content": TEXT}}
LIMIT = 1 << 20


def array(log: bytes) -> bytes:
    rewritten = as_array(log)
    assert isinstance(rewritten, Rewritten)
    return rewritten.log


ENCODINGS: dict[str, Encoding] = {
    "plain": bytes,
    "an array": array,
    "gzip": STREAMED["gzip"],
    "zstd, unsized": STREAMED["zstd, unsized"],
    "zstd, a frame a line": SOUGHT["zstd, a frame a line"],
}


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS.keys())
def test_an_answer_of_10_mb_amid_noise_of_10_mb(engine: ModuleType, encode: Encoding, log_path: Path) -> None:
    data = encode(jsonl(header(), NOISE, message(TEXT, seq=1), NOISE, turn_end()))
    log_path.write_bytes(data)
    for source in (log_path, Dribble(data, 1 << 20)):
        said = engine.read(source)
        assert (len(said.text), said.seq, said.completeness, said.warnings) == (SIZE, 1, "complete", ())


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS.keys())
def test_a_limit_below_them(engine: ModuleType, encode: Encoding) -> None:
    """Noise is passed over in lines, and of an array examined; before the winner neither counts."""
    data = encode(jsonl(header(), NOISE, message("a", seq=1), turn_end()))
    assert engine.read_bytes(data, max_record_bytes=LIMIT).text == "a"
    data = encode(jsonl(header(), message("a", seq=1), NOISE, turn_end()))
    if encode is not array:
        assert engine.read_bytes(data, max_record_bytes=LIMIT).text == "a"
    else:
        with pytest.raises(MalformedEventError, match=r"^line 4, byte .* bytes long, expected at most 1048576"):
            engine.read_bytes(data, max_record_bytes=LIMIT)
    data = encode(jsonl(header(), message("a", seq=1), message(TEXT, seq=2), turn_end()))
    with pytest.raises(MalformedEventError, match=r"bytes long, expected at most 1048576 \(see max_record_bytes\)$"):
        engine.read_bytes(data, max_record_bytes=LIMIT)
    said = engine.read_bytes(data, max_record_bytes=LIMIT, on_malformed="skip")
    assert (said.text, said.warnings) == ("a", (SelectionWarning.MALFORMED_SKIPPED,))
