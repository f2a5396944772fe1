"""How long until the answer of a zstd log is there, a frame an append batch?"""

from __future__ import annotations

from collections.abc import Iterator

from contenders import PYTHON, RUST, engine, installed
from peers import logs
from questions import Question, Scale
from questions.log_file import REFERENCE_BYTES
from runner import Contender, Workload
from session import KINDS
from workloads import write_zstd

PEER = "zstandard + orjson loop"
FRAMES = "zstandard, decompressed only"


def decompress_only(path: object) -> None:
    """What the frames' decompression alone takes, into a buffer that is thrown away."""
    import zstandard

    with open(str(path), "rb") as file:
        reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        while reader.read(1 << 20):
            pass


def workloads(scale: Scale) -> Iterator[Workload]:
    if why := installed("zstandard"):
        yield Workload("normal", None, [], missing=dict.fromkeys((RUST, PYTHON, PEER), why))
        return
    size = scale.log_bytes
    for kind in KINDS:
        path = scale.folder / f"{kind}.jsonl.zst"
        expected = write_zstd(path, kind, size)
        peer = logs.zstd_reader()

        def engine_contender(name: str, path: object = path) -> Contender:
            read = engine(name).read
            return Contender(name, lambda _: read(path).output)

        missing = {}
        names = [RUST, PYTHON]
        if size > REFERENCE_BYTES:
            missing[PYTHON] = f"the reference reads logs of up to {REFERENCE_BYTES // 1_000_000} MB here"
            names.remove(PYTHON)
        elif installed("compression.zstd") and installed("backports.zstd"):
            missing[PYTHON] = "the reference needs backports.zstd before Python 3.14"
            names.remove(PYTHON)
        yield Workload(
            kind,
            expected,
            [
                *map(engine_contender, names),
                Contender(PEER, lambda _, path=path, peer=peer: peer(path)),
                Contender(FRAMES, lambda _, path=path: decompress_only(path), checked=False),
            ],
            missing=missing,
            about={"bytes": size, "stored_bytes": path.stat().st_size},
        )
        path.unlink()


QUESTION = Question(
    "log_zstd",
    "A zstd log with a frame an append batch",
    "`read(path)` of a compressed log; the frames' headers tell where the last ones start.",
    workloads,
)
