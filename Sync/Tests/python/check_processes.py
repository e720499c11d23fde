#!/usr/bin/env python3
# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
"""A server and four devices, each a process, which are killed and started again at random; then nothing may be lost.

usage: check_processes.py [--seconds 60] [--seed N] SERVER CLIENT [DATABASE-URL]

SERVER is coredata-sync-server, CLIENT is sync-process-client. At the end all devices and the server have equal notes,
each note that a device saved is there unless its device began to delete it, and each counter has all its increments.
"""
import argparse
import base64
import collections
import hashlib
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from sync_client import SyncClient
from sync_server import MODEL, TOKENS, Server

DEVICES = ["d1", "d2", "d3", "d4"]


class Device:
    def __init__(self, program, server, folder, name):
        self.program, self.server, self.name = program, server, name
        self.folder = folder / name
        self.folder.mkdir()
        self.process = None

    def command(self, *options):
        seed = ["--seed", str(random.randrange(1 << 31))]
        return [self.program, str(MODEL), str(self.folder), self.server.url, TOKENS["ann"], self.name, *seed, *options]

    def start(self):
        with open(self.folder / "errors", "ab") as errors:
            self.process = subprocess.Popen(self.command(), stdout=errors, stderr=errors)

    def kill(self):
        self.process.kill()
        return self.process.wait()

    def notes(self):
        """Syncs to the end. The lines of the notes, and the number of refused changes."""
        run = subprocess.run(self.command("--finish"), capture_output=True, text=True, timeout=600)
        if run.returncode:
            raise SystemExit(f"{self.name} does not finish: {run.stderr}")
        lines = run.stdout.splitlines()
        return lines[:-1], int(lines[-1].split()[1])

    def log(self):
        return [line.split(" ", 2) for line in (self.folder / "log").read_text().splitlines()]


def run(server, devices, seconds):
    """Kills until the time is over. The kills of the server and of devices."""
    kills = collections.Counter()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(random.uniform(0.3, 2.5))
        for device in devices:
            status = device.process.poll()
            if status is not None:
                raise SystemExit(f"{device.name} ended with {status}: {(device.folder / 'errors').read_text()}")
        if random.random() < 0.3:
            server.kill()
            time.sleep(random.uniform(0, 1))
            server.start()
            kills["server"] += 1
        else:
            device = random.choice(devices)
            device.kill()
            time.sleep(random.uniform(0, 0.5))
            device.start()
            kills["devices"] += 1
    for device in devices:
        device.kill()
    return kills


def compare(server, devices):
    """The notes that all have, by title, and the number of refused changes."""
    for device in devices:
        device.notes()
    found = [device.notes() for device in devices]
    for device, (notes, _) in zip(devices, found):
        if notes != found[0][0]:
            differing = sorted(set(notes) ^ set(found[0][0]))[:10]
            raise SystemExit(f"{device.name} and {devices[0].name} differ: {differing}")
    notes = {note["title"]: note for note in map(json.loads, found[0][0])}
    witness = SyncClient(server.url, TOKENS["ann"])
    witness.pull()
    names = {name: record["values"]["name"].get("string") for name, record in witness.records.items()
             if record["entity"] in ("List", "Tag")}
    seen = {}
    for record in witness.records.values():
        if record["entity"] == "Note":
            values = record["values"]
            seen[values["title"]["string"]] = {
                "title": values["title"]["string"], "body": values["body"].get("string", ""),
                "photo": digest(values["photo"]), "views": int(values["views"]["integer"]), "list": names.get(values["list"].get("link"), ""),
                "tags": sorted(names[tag] for tag in record["members"]["tags"])}
    if seen != notes:
        differing = [title for title in set(seen) | set(notes) if seen.get(title) != notes.get(title)][:10]
        raise SystemExit(f"The server and the devices differ in {differing}")
    return notes, sum(refused for _, refused in found)


def digest(value):
    """The hash of a photo, whose bytes the witness has got and compared; empty without one."""
    if "large" in value:
        return value["large"]["hash"]
    return hashlib.sha256(base64.b64decode(value["data"])).hexdigest() if "data" in value else ""


def check(devices, notes, refused):
    did, begun, ended = collections.Counter(), collections.Counter(), collections.Counter()
    for device in devices:
        for word, kind, title in device.log():
            if word == "did":
                did[kind, title] += 1
            elif word == "try":
                begun[kind, title] += 1
            else:
                ended[kind, title] += 1
    lost = [title for kind, title in did if kind == "insert" and not begun["delete", title] and title not in notes]
    strange = [title for title in notes if not begun["insert", title]]
    wrong = []
    for title, note in notes.items():
        least, most = did["count", title], begun["count", title] - ended["count", title]
        if not begun["delete", title] and not least <= note["views"] <= most:
            wrong.append((title, note["views"], least, most))
    if (lost and not refused) or strange or (wrong and not refused):
        raise SystemExit(f"lost {lost[:10]}, strange {strange[:10]}, wrong counters {wrong[:10]}")
    return sum(did.values())


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    options.add_argument("server")
    options.add_argument("client")
    options.add_argument("database", nargs="?")
    options = options.parse_args()
    random.seed(options.seed)
    print(f"seed {options.seed}", flush=True)
    server = Server(options.server, options.database, level="error")
    with tempfile.TemporaryDirectory() as folder:
        devices = [Device(options.client, server, pathlib.Path(folder), name) for name in DEVICES]
        try:
            for device in devices:
                device.start()
            kills = run(server, devices, options.seconds)
            started = time.monotonic()
            notes, refused = compare(server, devices)
            saves = check(devices, notes, refused)
            status = server.stop()
            if status or refused:
                raise SystemExit(f"The server ended with {status}; {refused} changes were refused.")
        finally:
            for process in [server.process] + [device.process for device in devices]:
                if process and process.poll() is None:
                    process.kill()
                    process.wait()
    photos = sum(bool(note["photo"]) for note in notes.values())
    print(f"{options.seconds:.0f} s, {kills['server']} kills of the server, {kills['devices']} of devices, "
          f"{saves} saves, {len(notes)} notes ({photos} with photos) equal on four devices and the server "
          f"after {time.monotonic() - started:.1f} s, nothing lost")


if __name__ == "__main__":
    sys.exit(main())
