#!/usr/bin/env python3
# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
"""Attacks a running server: wrong content, huge, deep, broken and slow requests, and too many streams.

usage: check_hostile.py PROGRAM [DATABASE-URL]

After each attack the records of the server are what they were, and it answers. At the end its memory is bounded.
"""
import gzip
import json
import socket
import sys
import time
import zlib

from check_protocol import client, error, expect, note
from sync_client import Connection, SyncClient, SyncError, error_of, integer, link, new_name, null, string
from sync_server import TOKENS, Server

MOST_MEGABYTES = 1_000
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def refused(server, code, changes, domain="CoreDataSync"):
    """The first refusal of a batch that is one group."""
    attacker = client(server)
    for change in changes:
        change.setdefault("group", 0)
        change.setdefault("stamp", attacker.stamp())
        change.setdefault("name", new_name())
        for field in change.get("fields", {}).values():
            field.setdefault("stamp", attacker.stamp())
    attacker.waiting = changes
    answer = attacker.push()
    outcome = answer["outcomes"][0]
    expect(outcome["result"] == "refused", answer)
    expect((outcome["refusals"][0]["domain"], outcome["refusals"][0]["code"]) == (domain, code), answer)


def fields(**values):
    return {key: {"value": value} for key, value in (note("x") | values).items()}


def status_of(connection):
    """The status of the answer on a socket, and its body."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            break
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            while len(body) < int(line.split(b":")[1]):
                body += connection.recv(65536)
    return int(head.split()[1]) if head else 0, body


def raw(server, head, seconds=30):
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=seconds)
    head = head.replace("TOKEN", TOKENS["ann"]).replace("\n", "\r\n") + "\r\n\r\n"
    connection.sendall(head.encode())
    return connection


# Content

@check
def unknown_entities_and_properties(server):
    refused(server, 12, [{"kind": "insert", "entity": "Nothing", "fields": {}}])
    refused(server, 12, [{"kind": "insert", "entity": "CoreDataSyncRecord", "fields": {}}])
    refused(server, 12, [{"kind": "delete", "entity": "CoreDataSyncState"}])
    for key in ("nothing", "objectID", "notes", "self", "class", "title.length", "@count", ""):
        value = {key: {"value": string("x")}}
        refused(server, 13, [{"kind": "insert", "entity": "Note", "fields": fields() | value}])
    refused(server, 13, [{"kind": "insert", "entity": "Note", "fields": fields(), "counters": {"edits": 1}}])
    refused(server, 13, [{"kind": "insert", "entity": "Note", "fields": fields(),
                          "members": {"list": {"added": [], "removed": []}}}])
    refused(server, 13, [{"kind": "insert", "entity": "Note", "fields": fields(), "places": {"tags": {}}}])


@check
def values_of_the_wrong_type(server):
    for key, value in [
            ("title", integer(1)), ("title", {"data": "AAAA"}), ("title", {"composite": {"a": string("b")}}),
            ("edits", string("1")), ("edits", {"double": "3ff0000000000000"}), ("edits", {"bool": True}),
            ("photo", string("x")), ("photo", {"transformed": "AAAA"}), ("body", link(new_name())),
            ("list", string("x")), ("list", {"uuid": new_name()})]:
        refused(server, 14, [{"kind": "insert", "entity": "Note", "fields": fields(**{key: value})}])
    attacker = Connection(server.url, TOKENS["ann"])
    batch = {"version": 1, "replica": new_name(), "number": 1, "id": new_name(), "schema": {"entities": {}},
             "observed": 0, "changes": []}
    for value in ({}, {"string": 1}, {"integer": "1e3"}, {"integer": 1}, {"integer": "9223372036854775808"},
                  {"string": "a", "bool": True}, {"what": 1}, [], None, {"data": "***"}, {"link": "x"},
                  {"decimal": "1" * 300}, {"double": "xyz"}, {"string": "\ud800"}):
        stamp = "0000000000000001-" + batch["replica"]
        change = {"kind": "insert", "name": new_name(), "entity": "Note", "group": 0, "stamp": stamp,
                  "fields": {"title": {"value": value, "stamp": stamp}}}
        error(1, lambda: attacker.ask("push", dict(batch, changes=[change])))


@check
def names_of_others(server):
    victim = client(server)
    name = victim.insert("Note", note("Mine"))
    tag = victim.insert("Tag", {"name": string("t")})
    victim.push()
    refused(server, 15, [{"kind": "update", "entity": "Note", "fields": {"title": {"value": string("x")}}}])
    refused(server, 15, [{"kind": "insert", "entity": "Note", "fields": fields(list=link(new_name()))}])
    refused(server, 16, [{"kind": "insert", "entity": "Note", "fields": fields(list=link(tag))}])
    refused(server, 16, [{"kind": "update", "name": name, "entity": "Tag", "fields": {"name": {"value": string("x")}}}])
    refused(server, 16, [{"kind": "delete", "name": name, "entity": "Tag"}])
    victim.pull()
    expect(victim.records[name]["values"]["title"] == string("Mine"), "The record was changed.")
    victim.delete(name, "Note")
    victim.delete(tag, "Tag")
    victim.push()


@check
def stamps_of_the_far_future(server):
    attacker, victim = client(server), client(server)
    stamp = "ffffffffffffffff-" + attacker.replica
    name = attacker.insert("Note", note("Now"))
    for field in attacker.waiting[0]["fields"].values():
        field["stamp"] = stamp
    attacker.waiting[0]["stamp"] = stamp
    answer = attacker.push()
    expect(answer["clock"] < (int(time.time() + 3 * 86400) * 1000) << 16, "The server's clock follows the attacker's.")
    victim.pull()
    victim.update(name, "Note", {"title": string("Later")})
    victim.push()
    victim.pull()
    expect(victim.records[name]["values"]["title"] == string("Later"), "A stamp of the far future stays for ever.")
    victim.delete(name, "Note")
    victim.push()
    victim.pull()
    expect(name not in victim.records, "The record stays.")


@check
def batches_that_no_client_makes(server):
    attacker = Connection(server.url, TOKENS["ann"])
    batch = {"version": 1, "replica": new_name(), "number": 1, "id": new_name(), "schema": {"entities": {}},
             "observed": 0, "changes": []}
    stamp = "0000000000000001-" + batch["replica"]
    change = {"kind": "insert", "name": new_name(), "entity": "Note", "group": 0, "stamp": stamp, "fields": {}}
    for wrong in (
            {"number": 0}, {"number": -(2**63)}, {"number": 2**63}, {"observed": -1}, {"replica": "x"},
            {"replica": "00000000-0000-0000-0000-000000000000"}, {"changes": [change, change]}, {"changes": {}},
            {"changes": [dict(change, group=-1)]}, {"changes": [dict(change, kind="drop")]},
            {"changes": [dict(change, stamp="1")]}, {"changes": [dict(change, name=None)]}):
        error(1, lambda: attacker.ask("push", batch | wrong))
    pull = {"version": 1, "replica": new_name(), "schema": {"entities": {}}, "after": None, "applied": 0, "limit": 1,
            "shapes": []}
    for wrong in ({"after": "x"}, {"after": "_" * 1000}, {"limit": "x"}, {"limit": 2**70}):
        error(1, lambda: attacker.ask("pull", pull | wrong))
    for limit in (0, -5, 2**62):
        page = attacker.ask("pull", pull | {"limit": limit})
        expect(len(page["records"]) <= 2000, "The page has no bound.")


# Size and form

@check
def bodies_of_a_gigabyte(server):
    connection = raw(server, "POST /sync/v1/push HTTP/1.1\nHost: x\nAuthorization: Bearer TOKEN\n"
                     f"Content-Length: {1 << 30}")
    expect(status_of(connection)[0] == 413, "A length of a gigabyte is taken.")
    connection.close()
    # Without a length: the server stops at its limit, long before the end.
    connection = raw(server, "POST /sync/v1/push HTTP/1.1\nHost: x\nAuthorization: Bearer TOKEN\n"
                     "Transfer-Encoding: chunked")
    piece = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    sent = 0
    try:
        while sent < 1 << 30:
            connection.sendall(piece)
            sent += len(piece)
    except OSError:
        pass  # the server has closed the connection; its answer came before
    status = status_of(connection)[0]
    connection.close()
    expect(status == 413 and sent < 200 << 20, f"status {status} after {sent >> 20} MB")
    # Compressed: a thousandth of it travels.
    compressor = zlib.compressobj(9, zlib.DEFLATED, 31)
    body = b"".join(compressor.compress(bytes(1 << 20)) for _ in range(1024)) + compressor.flush()
    answer = Connection(server.url, TOKENS["ann"], compresses=False).send(
        "POST", "push", body, {"Content-Encoding": "gzip"})
    expect(answer[0] == 413 and error_of(*answer).code == 4, answer)


@check
def many_changes(server):
    attacker = client(server)
    for _ in range(20_001):
        attacker.waiting.append({"kind": "delete", "name": new_name(), "entity": "Note", "group": 0,
                                 "stamp": "0000000000000001-" + attacker.replica})
    error(4, attacker.push)


@check
def deep_nesting(server):
    connection = Connection(server.url, TOKENS["ann"])
    bodies = [b"[" * 1_000_000, b"{\"a\":" * 1_000_000, b"{\"version\":" + b"[" * 40 + b"]" * 40 + b"}"]
    value = string("x")
    for _ in range(150):
        value = {"composite": {"a": value}}
    stamp = "0000000000000001-" + new_name()
    change = {"kind": "insert", "name": new_name(), "entity": "Note", "group": 0, "stamp": stamp,
              "fields": {"title": {"value": value, "stamp": stamp}}}
    bodies.append(json.dumps({"version": 1, "replica": new_name(), "number": 1, "id": new_name(), "observed": 0,
                              "schema": {"entities": {}}, "changes": [change]}).encode())
    for body in bodies:
        answer = connection.send("POST", "push", body)
        expect(answer[0] == 400 and error_of(*answer).code == 1, answer)


@check
def broken_compression(server):
    connection = Connection(server.url, TOKENS["ann"], compresses=False)
    whole = gzip.compress(b"{" * 5000)
    cut, changed = whole[:-5], bytearray(whole)
    changed[-6] ^= 255
    for name, body in (("gzip", b"no gzip"), ("gzip", cut), ("gzip", bytes(changed)), ("gzip", whole + b"x"),
                       ("deflate", whole), ("gzip", zlib.compress(b"{}")), ("br", b"{}"), ("gzip, gzip", whole),
                       ("gzip", b"")):
        answer = connection.send("POST", "push", body, {"Content-Encoding": name})
        expect(answer[0] == 400 and error_of(*answer).code == 1, (name, answer))


@check
def no_json_and_no_http(server):
    connection = Connection(server.url, TOKENS["ann"], compresses=False)
    for body in (b"", b"{", b"null", b"\xff\xfe", b"\x00" * 100, b"[1,2", b"{\"version\":1e999}", b"\"" + b"a" * 10000):
        answer = connection.send("POST", "push", body)
        expect(answer[0] == 400 and error_of(*answer).code == 1, answer)
    for head in ("GARBAGE", "GET / HTTP/9.9", "POST /sync/v1/push HTTP/1.1\nContent-Length: -1",
                 "POST /sync/v1/push HTTP/1.1\nContent-Length: 5\nTransfer-Encoding: chunked",
                 "GET /sync/v1/news HTTP/1.1\nAuthorization: " + "x" * 200_000,
                 "GET /sync/v1/news HTTP/1.1\n" + "\n".join(f"a{n}: b" for n in range(5000))):
        attack = raw(server, head)
        try:
            status = status_of(attack)[0]
        except OSError:
            status = 0
        expect(status in (0, 400, 401, 404, 431), (head[:40], status))
        attack.close()
    for path in ("push", "push/..%2f..%2fetc", "%00", "../../etc/passwd", "news/x"):
        expect(connection.send("GET", path)[0] in (400, 404, 405), path)


# Time and number

@check
def slow_senders(server):
    """Five hundred clients that send a byte now and then hold back nobody."""
    slow = [raw(server, "POST /sync/v1/push HTTP/1.1\nHost: x\nAuthorization: Bearer TOKEN\nContent-Length: 100000")
            for _ in range(400)]
    slow += [socket.create_connection(("127.0.0.1", server.port)) for _ in range(100)]
    for round_ in range(3):
        for connection in slow:
            try:
                connection.send(b"{" if round_ == 0 else b" ")
            except OSError:
                pass
        started = time.monotonic()
        client(server).pull()
        expect(time.monotonic() - started < 10, "A pull waits for slow senders.")
    for connection in slow:
        connection.close()


@check
def requests_without_end(server):
    """Bodies that end early: the client goes before it has sent what it announced."""
    for _ in range(200):
        connection = raw(server, "POST /sync/v1/push HTTP/1.1\nHost: x\nAuthorization: Bearer TOKEN\n"
                         "Content-Length: 50000")
        connection.sendall(b"{" * 20_000)
        connection.close()


@check
def too_many_streams(server):
    streams, statuses = [], []
    for _ in range(40):
        connection = raw(server, "GET /sync/v1/news HTTP/1.1\nHost: x\nAuthorization: Bearer TOKEN")
        streams.append(connection)
        statuses.append(status_of(connection)[0])
    expect(statuses.count(200) == 16 and statuses.count(429) == 24, statuses)
    other = raw(server, f"GET /sync/v1/news HTTP/1.1\nHost: x\nAuthorization: Bearer {TOKENS['bob']}")
    expect(status_of(other)[0] == 200, "Another user has no stream.")
    for connection in streams + [other]:
        connection.close()


@check
def too_many_requests(server):
    attacker = Connection(server.url, TOKENS["bob"])
    pull = {"version": 1, "replica": new_name(), "schema": {"entities": {}}, "after": "x", "applied": 0, "limit": 1,
            "shapes": []}
    for number in range(2_000):
        try:
            attacker.ask("pull", pull)
        except SyncError as found:
            if found.code == 5:
                expect(found.status == 429 and int(found.retry_after) >= 1, found)
                break
            expect(found.code == 1, found)
    else:
        raise AssertionError("2,000 requests at once were taken.")
    client(server).pull()


def main():
    server = Server(sys.argv[1], *sys.argv[2:3], level="info")
    owner = client(server)
    for number in range(20):
        owner.insert("Note", note(f"Note {number}"))
    owner.push()
    owner.pull()
    before, process = owner.records, server.process
    failed = 0
    try:
        for function in CHECKS:
            name = function.__name__.replace("_", " ")
            started = time.monotonic()
            try:
                function(server)
                expect(process.poll() is None, "The server ended.")
                witness = client(server)
                witness.pull()
                expect(witness.records == before, "The records changed.")
                print(f"passed: {name} ({time.monotonic() - started:.1f} s, {server.megabytes()} MB)", flush=True)
            except (AssertionError, SyncError, OSError, KeyError, ValueError) as found:
                failed += 1
                print("FAILED:", name, "\n   ", type(found).__name__, str(found)[:2000], flush=True)
                if process.poll() is not None:
                    break
        peak = server.megabytes(peak=True) if process.poll() is None else 0
        print(f"The server had {peak} MB at most.")
        log = server.log.read_text(errors="replace")
        if any(token in log for token in TOKENS.values()) or "nobody" in log:
            failed += 1
            print("FAILED: a token is in the log")
        if peak > MOST_MEGABYTES or process.poll() is not None or server.stop() != 0:
            failed += 1
            print("FAILED: the server has too much memory, or does not end well")
    finally:
        process.kill()
    if failed:
        print(server.log.read_text(errors="replace")[-2000:])
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
