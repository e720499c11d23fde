# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
"""Runs `coredata-sync-server` for a check: starts it, watches its memory, stops and kills it."""
import pathlib
import signal
import subprocess
import tempfile

MODEL = pathlib.Path(__file__).resolve().parent.parent / "Models" / "Notes.xcdatamodeld"
TOKENS = {"ann": "token-of-ann-0123456789", "bob": "token-of-bob-0123456789"}


class Server:
    """A server process with a place for its files. Stop it in the end."""

    def __init__(self, program, database=None, model=MODEL, level="debug"):
        self.folder = tempfile.TemporaryDirectory()
        place = pathlib.Path(self.folder.name)
        self.program, self.model, self.level = program, str(model), level
        self.database = database or str(place / "Server.sqlite")
        self.tokens = place / "tokens"
        self.tokens.write_text("".join(f"{token} {user}\n" for user, token in TOKENS.items()))
        self.log = place / "log"
        self.port = 0
        self.process = None
        self.start()

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [self.program, self.model, self.database, "--tokens", str(self.tokens), "--port", str(self.port),
                 "--log-level", self.level], stdout=subprocess.PIPE, stderr=log, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("http://"):
            raise SystemExit("The server does not start:\n" + self.log.read_text())
        self.url = line.strip()
        self.port = int(self.url.rsplit(":", 1)[1])

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        """Ends the server as an operator does. Returns its exit status."""
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=40)
        self.process.stdout.close()
        return status

    def megabytes(self, peak=False):
        """The memory of the process: now, or the most that it ever had."""
        key = "VmHWM:" if peak else "VmRSS:"
        for line in open(f"/proc/{self.process.pid}/status", encoding="ascii"):
            if line.startswith(key):
                return int(line.split()[1]) // 1024
        raise ValueError("The system does not say.")
