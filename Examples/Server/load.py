#!/usr/bin/env python3
# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
"""Asks one or more to-do servers of one database at once, and checks that each answer stands, once.

usage: load.py [--seconds 5] [--clients 32] [--projects 1000] PORT ...

Each client has a connection to each server and goes round them. Of ten requests five list a project, three add a
to-do, one marks and one removes one of the client's own. At the end every to-do that was acknowledged has to be
there once, as it was left, on every server.
"""
import argparse
import asyncio
import collections
import json
import random
import statistics
import sys
import time


class Connection:
    """A kept-alive connection: HTTP/1.1 as far as this server speaks it."""

    def __init__(self, port):
        self.port = port
        self.reader = None

    async def ask(self, method, path, value=None):
        if self.reader is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        body = b"" if value is None else json.dumps(value).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: load\r\nContent-Type: application/json\r\n"
        self.writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        status = int((await self.reader.readline()).split()[1])
        length = 0
        while (line := await self.reader.readline()) != b"\r\n":
            name, _, text = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(text)
        answer = await self.reader.readexactly(length)
        return status, json.loads(answer) if answer else None

    def close(self):
        if self.reader is not None:
            self.writer.close()


class Load:
    def __init__(self, options):
        self.options = options
        self.times = collections.defaultdict(list)
        self.refused = collections.Counter()
        self.kept = {}

    async def ask(self, kind, connection, *request):
        start = time.perf_counter()
        status, answer = await connection.ask(*request)
        self.times[kind].append(time.perf_counter() - start)
        if status >= 400:
            self.refused[kind, status] += 1
            return None
        return answer if answer is not None else True

    async def client(self, number, end):
        chance = random.Random(number)
        connections = [Connection(port) for port in self.options.ports]
        own = []
        turn = number
        while time.perf_counter() < end:
            connection = connections[turn % len(connections)]
            turn += 1
            project = f"Project {chance.randrange(self.options.projects)}"
            draw = chance.randrange(10)
            if draw < 5 or (draw >= 8 and not own):
                await self.ask("list", connection, "GET", f"/todos?limit=20&project={project.replace(' ', '%20')}")
            elif draw < 8:
                new = {"project": project, "title": f"{number}-{turn}"}
                if todo := await self.ask("add", connection, "POST", "/todos", new):
                    self.kept[todo["id"]] = todo
                    own.append(todo["id"])
            elif draw == 8:
                name = chance.choice(own)
                if todo := await self.ask("mark", connection, "PATCH", f"/todos/{name}", {"isDone": True}):
                    self.kept[name] = todo
            else:
                name = own.pop(chance.randrange(len(own)))
                if await self.ask("remove", connection, "DELETE", f"/todos/{name}"):
                    del self.kept[name]
        for connection in connections:
            connection.close()

    async def check(self):
        """The sentences that say what is wrong."""
        wrong = []
        for port in self.options.ports:
            connection = Connection(port)
            seen = {}
            for number in range(self.options.projects):
                _, todos = await connection.ask("GET", f"/todos?limit=1000&project=Project%20{number}")
                if len(todos) == 1000:
                    sys.exit("load: a project has too many to-dos to be listed: give more --projects")
                for todo in todos:
                    if todo["id"] in seen:
                        wrong.append(f"{port}: {todo} is there twice")
                    seen[todo["id"]] = todo
            connection.close()
            # A to-do whose request was refused may have been there before this run, and is not looked at.
            wrong += [f"{port}: {todo}: {seen.get(name)}" for name, todo in self.kept.items() if seen.get(name) != todo]
        return wrong

    async def run(self):
        start = time.perf_counter()
        clients = (self.client(number, start + self.options.seconds) for number in range(self.options.clients))
        await asyncio.gather(*clients)
        seconds = time.perf_counter() - start
        total = sum(map(len, self.times.values()))
        print(f"load: {len(self.options.ports)} servers, {self.options.clients} clients, {total / seconds:.0f} requests a second")
        for kind, times in sorted(self.times.items()):
            cuts = statistics.quantiles(times, n=100) if len(times) > 1 else times * 99
            print(f"  {kind:7}{len(times):7}   p50 {cuts[49] * 1000:6.1f} ms   p99 {cuts[98] * 1000:6.1f} ms")
        for (kind, status), count in sorted(self.refused.items()):
            print(f"  {kind} refused with {status}: {count}")
        wrong = await self.check()
        for sentence in wrong[:10]:
            print(f"  WRONG {sentence}")
        if not wrong:
            print(f"  all {len(self.kept)} to-dos that were acknowledged and not removed are there, once")
        return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--projects", type=int, default=1000)
    parser.add_argument("ports", type=int, nargs="+")
    sys.exit(asyncio.run(Load(parser.parse_args()).run()))


main()
