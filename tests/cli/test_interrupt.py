"""Ctrl-C ends the reading of a log that never ends."""

import os
import signal
import subprocess
import threading

from cli.child import COMMAND


def test_an_endless_log_is_left_at_once(cli_engine):
    reading, writing = os.pipe()
    child = subprocess.Popen(
        [*COMMAND, "-"],
        stdin=reading,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    os.close(reading)
    has_begun = threading.Event()

    def fill():
        line = b'{"type":"x/y"}\n' * 4096
        try:
            for count in range(100_000):
                os.write(writing, line)
                if count == 20:
                    has_begun.set()
        except BrokenPipeError:
            pass
        finally:
            has_begun.set()

    thread = threading.Thread(target=fill)
    thread.start()
    try:
        assert has_begun.wait(timeout=30)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=20)
    finally:
        child.kill()
        thread.join(timeout=30)
        os.close(writing)
    assert (child.returncode, out, err) == (130, b"", b"")
