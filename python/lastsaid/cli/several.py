"""Several logs of a command line: read on all cores, given out in their order."""

from __future__ import annotations

from typing import Any

from lastsaid._protocol import Engine
from lastsaid.cli.log import Log
from lastsaid.cli.terminal import Talk
from lastsaid.selection import Selection


class Several:
    """Answers of logs that are asked for one by one, in the order in which they were given."""

    def __init__(self, logs: list[Log], engine: Engine, options: dict[str, Any], talk: Talk | None) -> None:
        """With a `talk` it is said how many are done."""
        self._engine = engine
        self._options = options
        self._talk = talk
        self._total = len(logs)
        self._asked = 0
        # What can be opened only once is read when it is its turn.
        ahead = (log.path for log in logs if log.is_lasting)
        self._answers = engine.read_many(ahead, progress=self._tell if talk else None, **options)

    def read(self, log: Log) -> Selection:
        """The answer of the next log; errors are the engine's and the operating system's."""
        self._asked += 1
        if not log.is_lasting:
            return log.read(self._engine, **self._options)
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def close(self) -> None:
        self._answers.close()
        if self._talk is not None:
            self._talk.status("")

    def _tell(self, _done: int, _total: int | None) -> None:
        if self._talk is not None:
            self._talk.status(f"{self._asked} of {self._total} logs")
