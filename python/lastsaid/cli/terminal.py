"""What may reach a terminal (S11): an agent's words, and file names, never drive it."""

from __future__ import annotations

import os
import re
import sys
from typing import IO, Any, Final, Literal

ColorChoice = Literal["auto", "always", "never"]
Word = Literal["error", "hint", "warning", "note"]

# C0, DEL and C1; the characters that reorder what follows them; halves of a surrogate pair.
_UNSAFE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_UNDECODED: Final = re.compile("[\udc80-\udcff]")
_NAMED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_COLORS: Final = {"error": "1;31", "hint": "1;36", "warning": "1;33", "note": "1;36", "header": "1"}


def escaped(text: str, keep: str = "") -> str:
    """The text with everything that could drive a terminal spelt out, but for the characters in `keep`."""

    def spelt(match: re.Match[str]) -> str:
        character = match[0]
        if character in keep:
            return character
        code = ord(character)
        if 0xD800 <= code <= 0xDFFF:
            return "\ufffd"
        return _NAMED.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")

    return _UNSAFE.sub(spelt, text)


def replaced(text: str) -> str:
    """The text as UTF-8 can hold it: an unpaired half of a surrogate pair becomes U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def file_name(path: str) -> str:
    """A path for people: bytes that aren't text are spelt out."""
    return escaped(_UNDECODED.sub(lambda match: f"\\x{ord(match[0]) - 0xDC00:02x}", path))


def fitted(text: str, room: int) -> str:
    """The start of the text, escaped, in at most `room` characters; no escape is cut in two."""
    shown = ""
    for i, character in enumerate(text):
        piece = escaped(character)
        is_last = i + 1 == len(text)
        if len(shown) + len(piece) > (room if is_last else room - 1):
            return shown + "…"
        shown += piece
    return shown


def is_terminal(stream: IO[Any] | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except (OSError, ValueError):
        return False


def colored(text: str, kind: str, *, on: bool) -> str:
    return f"\x1b[{_COLORS[kind]}m{text}\x1b[0m" if on else text


def wants_color(choice: ColorChoice, stream: IO[Any] | None) -> bool:
    """Colour on a terminal that has some, unless NO_COLOR is set (no-color.org) or the choice is clear."""
    if choice != "auto":
        return choice == "always"
    return is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"


def muzzle(stream: IO[Any]) -> None:
    """Point a stream that can't be written to at nothing, so that the interpreter's last flush stays quiet."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, stream.fileno())
        finally:
            os.close(nowhere)
    except (OSError, ValueError):
        pass


class Talk:
    """Everything that isn't a result: lines on stderr, escaped, with the first word in colour on a terminal."""

    def __init__(self, choice: ColorChoice) -> None:
        self._color = wants_color(choice, sys.stderr)
        self._has_status = False

    def error(self, what: str, hint: str) -> None:
        """What went wrong and what to type next."""
        self.say("error", what)
        self.say("hint", hint)

    def say(self, word: Word, sentence: str) -> None:
        self.plain(f"{colored(word, word, on=self._color)}: {escaped(sentence)}\n")

    def status(self, sentence: str) -> None:
        """How far it is, on a terminal only: a line that what is said next replaces. An empty one goes."""
        if (sentence or self._has_status) and is_terminal(sys.stderr) and os.environ.get("TERM", "dumb") != "dumb":
            self.plain(escaped(sentence))
            self._has_status = bool(sentence)

    def plain(self, text: str) -> None:
        """Text of our own. Where nobody listens there is nobody to tell."""
        if sys.stderr is None:
            return
        if self._has_status:
            text = f"\r\x1b[K{text}"
            self._has_status = False
        try:
            sys.stderr.buffer.write(replaced(text).encode())
            sys.stderr.buffer.flush()
        except OSError:
            muzzle(sys.stderr)
