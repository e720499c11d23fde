# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
"""Asks `coredata-tool mcp` the questions of questions.json, with the SDK of the Model Context Protocol for Python.

Usage: questions.py TOOL STORES        TOOL is coredata-tool, or coredata-mcp for HTTP

Each question is answered by a fixed sequence of calls; the last one has the answer. Every call must take at most 300 ms
and have at most 5,000 tokens. Both figures are printed.
"""

import asyncio
import contextlib
import json
import re
import subprocess
import sys
import time
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client import streamable_http
from mcp.client.stdio import stdio_client

LARGEST_TIME = 0.3
LARGEST_ANSWER = 5000


def tokens(text):
    """A high estimate: a token for each four letters or digits of a word, and for each other character."""
    return len(re.findall(r"[A-Za-z]{1,4}|[0-9]{1,3}|[^A-Za-z0-9\s]", text))


def plain(result):
    """The JSON of an answer: the SDK's versions have different names for its parts."""
    return result.model_dump(mode="json", by_alias=True)


def part(value, path):
    for step in path:
        value = value[step]
    return value


@contextlib.asynccontextmanager
async def connection(tool, stores):
    """The two streams of a client of a server that is started for it."""
    if Path(tool).name != "coredata-mcp":
        async with stdio_client(StdioServerParameters(command=tool, args=["mcp", "--root", stores])) as streams:
            yield streams
        return
    # The SDK's versions have different names for this client.
    names = ("streamable_http_client", "streamablehttp_client")
    client = next(getattr(streamable_http, name) for name in names if hasattr(streamable_http, name))
    server = subprocess.Popen([tool, "--root", stores], stdout=subprocess.PIPE, text=True)
    try:
        async with client(server.stdout.readline().strip()) as streams:
            yield streams[0], streams[1]
    finally:
        server.terminate()


async def ask(tool, stores):
    questions = json.loads((Path(__file__).parent / "questions.json").read_text())
    times, sizes, wrong = [], [], 0
    async with connection(tool, stores) as (reader, writer), ClientSession(reader, writer) as session:
        begun = plain(await session.initialize())
        print(f"{begun['serverInfo']['name']}, protocol {begun['protocolVersion']}")
        tools = plain(await session.list_tools())["tools"]
        print(f"{len(tools)} tools, {tokens(json.dumps(tools))} tokens in their list")
        resources = await session.list_resources()
        for resource in resources.resources:
            await session.read_resource(resource.uri)
        for question in questions:
            result = None
            for call in question["calls"]:
                start = time.monotonic()
                result = plain(await session.call_tool(call["tool"], call.get("arguments", {})))
                times.append((time.monotonic() - start, call["tool"]))
                text = result["content"][0]["text"]
                sizes.append(tokens(text))
                if result["isError"]:
                    print(f"  {call['tool']}: {text}")
            try:
                answer = part(json.loads(text), question["at"])
            except (KeyError, IndexError, ValueError) as error:
                answer = repr(error)
            if answer != question["answer"]:
                wrong += 1
                print(f"WRONG {question['question']}\n  {answer!r} in place of {question['answer']!r}\n  {text[:300]}")
    slow = [f"{name} {seconds * 1000:.0f} ms" for seconds, name in times if seconds > LARGEST_TIME]
    large = [size for size in sizes if size > LARGEST_ANSWER]
    median = sorted(seconds for seconds, _ in times)[len(times) // 2]
    print(
        f"{len(questions) - wrong} of {len(questions)} questions answered; {len(times)} calls, median {median * 1000:.0f} ms, "
        f"longest {max(times)[0] * 1000:.0f} ms ({max(times)[1]}), at most {max(sizes)} tokens"
    )
    for problem in slow:
        print(f"over {LARGEST_TIME * 1000:.0f} ms: {problem}")
    return 1 if wrong or slow or large else 0


sys.exit(asyncio.run(ask(sys.argv[1], sys.argv[2])))
