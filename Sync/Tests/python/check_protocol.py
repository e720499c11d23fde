#!/usr/bin/env python3
# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
"""Checks the server with a client that knows only Documentation/Protocol.md.

usage: check_protocol.py PROGRAM [DATABASE-URL]

PROGRAM is coredata-sync-server. Without a database the server has a SQLite file.
"""
import hashlib
import sys
import threading

from sync_client import PART, Connection, SyncClient, SyncError, integer, link, new_name, null, string
from sync_server import TOKENS, Server

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


def error(code, function):
    """The error of a call, which has a code."""
    try:
        function()
    except SyncError as found:
        expect(found.code == code, f"code {code} was expected, not {found}")
        return found
    raise AssertionError(f"code {code} was expected, and no error came")


def note(title, **values):
    fields = {"title": string(title), "body": null(), "edits": integer(0), "photo": null(), "list": null()}
    fields.update(values)
    return fields


def client(server, user="ann", **settings):
    return SyncClient(server.url, TOKENS[user], counters=["views"], **settings)


@check
def a_pushed_record_reaches_another_client(server):
    first, second = client(server), client(server, "bob")
    name = first.insert("Note", note("Milk \u00e9 e\u0301 \U0001f600", edits=integer(-2**63)))
    answer = first.push()
    expect([outcome["result"] for outcome in answer["outcomes"]] == ["taken"], answer)
    second.pull()
    record = second.records[name]
    expect(record["entity"] == "Note", record)
    expect(record["values"]["title"] == string("Milk \u00e9 e\u0301 \U0001f600"), record)
    expect(record["values"]["edits"] == integer(-2**63), record)
    expect(record["values"]["body"] == null(), record)


@check
def a_repeated_push_has_the_same_answer_and_no_effect(server):
    first = client(server)
    name = first.insert("Note", note("Once"), counters={"views": 1})
    first.push()
    first.update(name, "Note", {}, counters={"views": 5})
    batch = None
    send = first.connection.ask

    def lose(route, request):
        nonlocal batch
        batch = request
        send(route, request)
        raise OSError("The answer was lost.")

    first.connection.ask = lose
    try:
        first.push()
        raise AssertionError("An error was expected.")
    except OSError:
        pass
    first.connection.ask = send
    second = first.push()
    third = send("push", batch)
    expect(second == third, "The answers differ.")
    first.pull()
    expect(first.records[name]["values"]["views"] == integer(6), first.records[name])


def photo(size):
    """Bytes that no compression makes fewer."""
    return b"".join(hashlib.sha256(f"{size} {number}".encode()).digest() for number in range(size // 32 + 1))[:size]


@check
def a_large_value_travels_as_its_hash_in_parts(server):
    first, second = client(server), client(server, "bob")
    for size in (PART // 4 - 1, PART // 4, PART, PART + 1, 3 * PART + 5):
        content = photo(size)
        name = first.insert("Note", note(f"Photo of {size}", photo=first.data(content)))
        first.push()
        second.pull()
        value = second.records[name]["values"]["photo"]
        expect(("large" in value) == (size >= PART // 4), value.keys())
        if "large" in value:
            expect(value["large"]["size"] == size and second.contents[value["large"]["hash"]] == content, "other bytes")


@check
def large_text_is_large_from_its_bytes_on(server):
    first, second = client(server), client(server)
    text = "\u00e9" * (PART // 8)
    name = first.insert("Note", note("Long", body=first.data(text.encode(), "string")))
    first.push()
    second.pull()
    value = second.records[name]["values"]["body"]["large"]
    expect(value["kind"] == "string" and second.contents[value["hash"]].decode() == text, value)


@check
def an_interrupted_transfer_goes_on_after_a_kill(server):
    first, second = client(server), client(server)
    content = photo(4 * PART)
    digest = hashlib.sha256(content).hexdigest()
    name = first.insert("Note", note("Film", photo=first.data(content)))
    for number in range(2):
        received = first.connection.put(digest, len(content), number * PART, content[number * PART:][:PART])
        expect(received == (number + 1) * PART, received)
    server.kill()
    server.start()
    expect(first.connection.put(digest, len(content), 0) == 2 * PART, "The parts are gone.")
    first.push()
    second.contents[digest] = content[:PART]
    second.pull()
    expect(second.contents[digest] == content and name in second.records, "other bytes")


@check
def a_batch_without_its_bytes_changes_nothing(server):
    first, second = client(server), client(server, "bob")
    content = photo(PART + 7)
    first.insert("Note", note("Mine", photo=first.data(content)))
    first.push()
    other = client(server, "bob")
    other.insert("Note", note("Stolen", photo=first.data(content)))
    other.contents = dict(first.contents)
    other.upload = lambda changes: None
    error(17, other.push)  # the hash of another user's value alone
    second.pull()
    expect("Stolen" not in str(second.records), "The batch was applied.")


@check
def bytes_of_another_hash_are_not_kept(server):
    first = client(server)
    content = photo(PART // 2)
    digest = hashlib.sha256(b"other").hexdigest()
    expect(first.connection.put(digest, len(content), 0, content) == 0, "The bytes were kept.")
    error(1, lambda: first.connection.put(digest, len(content), 0, content[1:]))
    error(1, lambda: first.connection.put("xyz", len(content), 0, content))
    error(4, lambda: first.connection.put(digest, (1 << 30) + 1, 0, content))
    error(17, lambda: first.connection.get(new_name(), "photo", digest, 0))
    error(1, lambda: first.connection.get("x", "photo", digest, 0))


@check
def an_update_changes_only_what_it_has(server):
    first, second = client(server), client(server)
    name = first.insert("Note", note("Title", body=string("Body")))
    first.push()
    second.pull()
    first.update(name, "Note", {"title": string("Title 2")})
    second.update(name, "Note", {"body": string("Body 2")})
    first.push()
    second.push()
    first.pull()
    values = first.records[name]["values"]
    expect((values["title"], values["body"]) == (string("Title 2"), string("Body 2")), values)


@check
def the_greater_stamp_wins_and_the_other_change_is_named(server):
    first, second = client(server), client(server)
    name = first.insert("Note", note("Old"))
    first.push()
    second.pull()
    first.update(name, "Note", {"title": string("Earlier")})
    second.observe(first.clock)  # both may fall into one millisecond
    second.update(name, "Note", {"title": string("Later")})
    second.push()
    answer = first.push()
    lost = answer["outcomes"][0]["superseded"]
    expect([(entry["name"], entry.get("property")) for entry in lost] == [(name, "title")], answer)
    first.pull()
    expect(first.records[name]["values"]["title"] == string("Later"), first.records[name])


@check
def a_group_that_breaks_a_rule_is_refused_whole(server):
    first = client(server)
    group, other = 0, 1
    good = first.insert("Note", note("Good"), group=group)
    bad = first.insert("Note", note(""), group=group)
    free = first.insert("Note", note("Free"), group=other)
    answer = first.push()
    results = {outcome["group"]: outcome for outcome in answer["outcomes"]}
    expect(results[0]["result"] == "refused" and results[1]["result"] == "taken", answer)
    refusal = results[0]["refusals"][0]
    expect(refusal["domain"] == "NSCocoaErrorDomain", refusal)
    expect((refusal["name"], refusal["key"], refusal["code"]) == (bad, "title", 1670), refusal)
    expect(len(first.refused) == 2, first.refused)
    first.pull()
    expect(free in first.records and good not in first.records and bad not in first.records, "wrong records")


@check
def equal_unique_values_are_merged_into_the_older_name(server):
    first, second = client(server), client(server)
    unique = new_name()
    older = first.insert("List", {"name": string(unique)})
    first.push()
    newer = second.insert("List", {"name": string(unique)})
    answer = second.push()
    expect(answer["outcomes"][0]["merged"] == {newer: older}, answer)
    states = second.pull()
    expect(older in second.records and newer not in second.records, states)


@check
def links_and_members_travel_on_their_sides(server):
    first, second = client(server), client(server)
    group = first.insert("List", {"name": string(new_name())}, group=0)
    tags = [first.insert("Tag", {"name": string(text)}, group=0) for text in ("red", "blue")]
    name = first.insert("Note", note("Linked", list=link(group)), members={"tags": (tags, [])}, group=0)
    first.push()
    second.pull()
    expect(second.records[name]["values"]["list"] == link(group), second.records[name])
    expect(sorted(second.records[name]["members"]["tags"]) == sorted(tags), second.records[name])
    second.update(name, "Note", {"list": null()}, members={"tags": ([], [tags[0]])})
    second.push()
    first.pull()
    expect(first.records[name]["values"]["list"] == null(), first.records[name])
    expect(first.records[name]["members"]["tags"] == [tags[1]], first.records[name])


@check
def a_deleted_record_goes_and_a_refused_deletion_stays(server):
    first, second = client(server), client(server)
    group = first.insert("List", {"name": string(new_name())}, group=0)
    name = first.insert("Note", note("Held", list=link(group)), group=0)
    first.push()
    second.pull()
    second.delete(group, "List")
    answer = second.push()
    expect(answer["outcomes"][0]["result"] == "refused", answer)
    expect(answer["outcomes"][0]["refusals"][0]["code"] == 1600, answer)
    second.delete(name, "Note")
    second.push()
    first.pull()
    expect(name not in first.records and group in first.records, "wrong records")


@check
def a_record_that_was_deleted_and_changed_later_is_asked_for_whole(server):
    first, second = client(server), client(server)
    name = first.insert("Note", note("Back", body=string("again")))
    first.push()
    second.pull()
    first.delete(name, "Note")
    first.push()
    second.observe(first.clock)
    second.update(name, "Note", {"title": string("Back!")})
    answer = second.push()
    expect(answer["outcomes"][0]["whole"] == [name], answer)
    second.push()
    first.pull()
    values = first.records[name]["values"]
    expect((values["title"], values["body"]) == (string("Back!"), string("again")), values)


@check
def a_pull_in_small_pages_is_the_same(server):
    first = client(server)
    for number in range(57):
        first.insert("Note", note(f"Note {number}"))
    first.push()
    large, small = client(server), client(server, page=7)
    large.pull()
    small.pull()
    expect(large.records == small.records and len(small.records) >= 57, "The records differ.")
    before = small.place
    small.pull()
    expect(small.revision == large.revision and before.split("_")[0] == small.place.split("_")[0], "moved")


@check
def two_replicas_with_one_id_are_noticed(server):
    first = client(server)
    first.insert("Note", note("One"))
    first.push()
    clone = client(server)
    clone.replica = first.replica
    name = clone.insert("Note", note("Two"))
    error(8, clone.push)
    clone.renew()
    clone.push()
    first.pull()
    expect(name in first.records, "The clone's record is missing.")
    skipping = client(server)
    skipping.number = 3
    skipping.insert("Note", note("Three"))
    error(9, skipping.push)


@check
def a_replica_belongs_to_its_user(server):
    first = client(server)
    first.insert("Note", note("Mine"))
    first.push()
    thief = client(server, "bob")
    thief.replica, thief.number = first.replica, first.number
    thief.insert("Note", note("Yours"))
    error(7, thief.push)


@check
def an_unknown_place_starts_anew(server):
    first = client(server)
    name = first.insert("Note", note("Whole"))
    first.push()
    first.pull()
    first.place = "0_" + first.place.split("_", 1)[1]
    first.records = {}
    first.pull()
    expect(name in first.records, "The pull was not whole.")


@check
def wrong_credentials_and_versions_have_their_codes(server):
    stranger = SyncClient(server.url, "token-of-nobody-0123456789")
    expect(error(6, stranger.pull).status == 401, "The status is wrong.")
    old = {"version": 0, "replica": new_name(), "schema": {"entities": {}}, "after": None, "applied": 0,
           "limit": 10, "shapes": []}
    connection = Connection(server.url, TOKENS["ann"])
    error(2, lambda: connection.ask("pull", old))
    error(1, lambda: connection.ask("pull", {"version": 1}))
    expect(connection.send("GET", "health")[0] == 200, "The server is not healthy.")


@check
def news_begin_at_once_and_follow_a_push(server):
    revisions, arrived = [], threading.Semaphore(0)
    stream = Connection(server.url, TOKENS["bob"]).news()

    def read():
        for revision in stream:
            revisions.append(revision)
            arrived.release()
            if len(revisions) == 2:
                return

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    expect(arrived.acquire(timeout=10), "The first event did not come.")
    before = client(server)
    before.pull()
    expect(revisions[0] <= before.revision, (revisions, before.revision))
    first = client(server)
    first.insert("Note", note("News"))
    first.push()
    expect(arrived.acquire(timeout=10), "No event followed the push.")
    first.pull()
    expect(before.revision < revisions[1] <= first.revision, (revisions, first.revision))


@check
def the_server_goes_on_after_a_kill(server):
    first = client(server)
    name = first.insert("Note", note("Kept"))
    answer = first.push()
    batch = {"version": 1, "replica": first.replica, "number": 2, "id": new_name(), "schema": first.schema,
             "observed": 0, "changes": []}
    second = first.connection.ask("push", batch)
    server.kill()
    server.start()
    expect(first.connection.ask("push", batch) == second, "The stored answer is gone.")
    first.pull()
    expect(answer["number"] == 1 and name in first.records, "The record is gone.")


def main():
    server = Server(sys.argv[1], *sys.argv[2:3])
    failed = 0
    try:
        for function in CHECKS:
            name = function.__name__.replace("_", " ")
            try:
                function(server)
                print("passed:", name)
            except (AssertionError, SyncError, OSError, KeyError, ValueError) as found:
                failed += 1
                print("FAILED:", name, "\n   ", type(found).__name__, found)
        status = server.stop()
        log = server.log.read_text()
        secrets = [user for user, token in TOKENS.items() if token in log]
        if status or secrets:
            failed += 1
            print(f"FAILED: the server ended with {status}, and its log has the tokens of {secrets}")
    finally:
        server.process.kill()
    if failed:
        print(server.log.read_text()[-3000:])
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
