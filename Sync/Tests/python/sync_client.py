# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
"""A sync client of the standard library alone, written from Documentation/Protocol.md.

    client = SyncClient("http://127.0.0.1:8080", "TOKEN")
    note = client.insert("Note", {"title": string("Milk")})
    client.push()
    client.pull()
    print(client.records[note]["values"]["title"])

It keeps the server's records in memory as the server last sent them, and its own changes until they are answered.
"""
import base64
import gzip
import hashlib
import http.client
import json
import struct
import time
import urllib.parse
import uuid

VERSION = 1
LARGE = 256 << 10  # values from this size on travel as a hash
PART = 1 << 20


class SyncError(Exception):
    """An error that the server gave for a whole request."""

    def __init__(self, status, code, text, retry_after=None):
        super().__init__(f"{status}, code {code}: {text}")
        self.status, self.code, self.text, self.retry_after = status, code, text, retry_after


# Values

def null():
    return {"null": True}


def string(text):
    return {"string": text}


def integer(number):
    return {"integer": str(number)}


def double(number):
    return {"double": struct.pack(">d", number).hex()}


def large(kind, content):
    return {"large": {"kind": kind, "size": len(content), "hash": hashlib.sha256(content).hexdigest()}}


def link(name):
    return {"link": name} if name else null()


def new_name():
    return str(uuid.uuid4()).upper()


# Exchanges

class Connection:
    """Sends requests with a token; each has a connection of its own."""

    def __init__(self, server, token, compresses=True, seconds=30):
        self.address = urllib.parse.urlsplit(server)
        self.token, self.compresses, self.seconds = token, compresses, seconds

    def open(self):
        kind = http.client.HTTPSConnection if self.address.scheme == "https" else http.client.HTTPConnection
        return kind(self.address.hostname, self.address.port, timeout=self.seconds)

    def send(self, method, route, body=None, headers=None):
        """The status, the headers and the decompressed body of the answer."""
        fields = {"Authorization": "Bearer " + self.token, "Accept-Encoding": "gzip"}
        if body is not None:
            fields["Content-Type"] = "application/json"
            if self.compresses and len(body) >= 1024:
                body = gzip.compress(body)
                fields["Content-Encoding"] = "gzip"
        fields.update(headers or {})
        connection = self.open()
        try:
            connection.request(method, self.address.path + "/sync/v1/" + route, body, fields)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        if answer.getheader("Content-Encoding") == "gzip":
            content = gzip.decompress(content)
        return answer.status, answer.headers, content

    def exchange(self, method, route, body=None, headers=None):
        """The body of the answer, which is not JSON in both directions."""
        status, headers, content = self.send(method, route, body, headers)
        if status == 200:
            return content
        raise error_of(status, headers, content)

    def put(self, digest, size, offset, part=b""):
        """The number of bytes that the server has."""
        route = f"blobs/{digest}?size={size}&offset={offset}"
        answer = self.exchange("PUT", route, part, {"Content-Type": "application/octet-stream"})
        return json.loads(answer)["received"]

    def get(self, record, key, digest, offset):
        key = urllib.parse.quote(key, safe="")
        return self.exchange("GET", f"blobs/{digest}?record={record}&property={key}&offset={offset}")

    def ask(self, route, request):
        """The answer to a request.

        Raises SyncError for an error of the server, and OSError if it is not known whether the request arrived.
        """
        status, headers, content = self.send("POST", route, json.dumps(request).encode())
        if status == 200:
            return json.loads(content)
        raise error_of(status, headers, content)

    def news(self):
        """The revisions of the events, until the server ends the stream."""
        connection = self.open()
        try:
            path = self.address.path + "/sync/v1/news"
            connection.request("GET", path, headers={"Authorization": "Bearer " + self.token})
            answer = connection.getresponse()
            if answer.status != 200:
                raise error_of(answer.status, answer.headers, answer.read())
            while line := answer.readline():
                if line.startswith(b"data:"):
                    yield json.loads(line[5:])["revision"]
        finally:
            connection.close()


def error_of(status, headers, content):
    try:
        error = json.loads(content)
        return SyncError(status, error["code"], error["text"], headers.get("Retry-After"))
    except (ValueError, KeyError, TypeError):
        return SyncError(status, None, "The answer is not one of the protocol.", headers.get("Retry-After"))


# The client

class SyncClient:
    """One replica: its records, its changes that wait, and its batch that is under way."""

    def __init__(self, server, token, schema=None, page=1000, counters=()):
        """`counters` has the names of the attributes that merge by sums, which the model says."""
        self.connection = Connection(server, token)
        self.schema = {"entities": schema or {}}
        self.page, self.counters = page, set(counters)
        self.replica = new_name()
        self.number = 0  # of the last batch
        self.batch = None  # the batch without an answer; it never changes
        self.waiting = []  # changes of the next batch
        self.group = 0
        self.clock = 0
        self.place = None  # `next` of the last page
        self.revision = 0
        self.records = {}  # by name, as the server sent them
        self.refused = []  # (change, refusals) of refused groups
        self.contents = {}  # the bytes of large values by hash: those of changes, and those that have arrived

    # Changes

    def stamp(self):
        self.clock = max(self.clock + 1, int(time.time() * 1000) << 16)
        return f"{self.clock:016x}-{self.replica}"

    def observe(self, clock):
        self.clock = max(self.clock, clock)

    def insert(self, entity, values, members=None, counters=None, group=None, name=None):
        """The name of a new record. `values` has all properties."""
        return self.change("insert", name or new_name(), entity, values, members, counters, group)

    def update(self, name, entity, values, members=None, counters=None, group=None):
        return self.change("update", name, entity, values, members, counters, group)

    def delete(self, name, entity, group=None):
        return self.change("delete", name, entity, {}, None, None, group)

    def change(self, kind, name, entity, values, members, counters, group):
        stamp = self.stamp()
        if group is None:
            group = self.group
            self.group += 1
        change = {"kind": kind, "name": name, "entity": entity, "group": group, "stamp": stamp}
        if values:
            change["fields"] = {key: {"value": value, "stamp": stamp} for key, value in values.items()}
        if members:
            change["members"] = {
                key: {"added": list(added), "removed": list(removed)} for key, (added, removed) in members.items()}
        if counters:
            change["counters"] = counters
        self.waiting.append(change)
        return name

    # Large values

    def data(self, content, kind="data"):
        """A value of bytes: `kind` is data, or string for text in UTF-8."""
        if len(content) < LARGE:
            return {kind: content.decode() if kind == "string" else base64.b64encode(content).decode()}
        value = large(kind, content)
        self.contents[value["large"]["hash"]] = content
        return value

    def upload(self, changes):
        """Sends what the server does not have of the large values of changes."""
        for value in {field["value"]["large"]["hash"] for change in changes
                      for field in change.get("fields", {}).values() if "large" in field["value"]}:
            content = self.contents[value]
            received = self.connection.put(value, len(content), 0)
            while received < len(content):
                part = content[received:received + PART]
                received = self.connection.put(value, len(content), received, part)

    def download(self, records):
        """Gets the large values of records that are not there. A part that was got is kept after an error."""
        for record in records:
            for key, value in record.get("values", {}).items():
                if "large" not in value:
                    continue
                digest, size = value["large"]["hash"], value["large"]["size"]
                content = self.contents.get(digest, b"")
                while len(content) < size:
                    content += self.connection.get(record["name"], key, digest, len(content))
                    self.contents[digest] = content
                if hashlib.sha256(content).hexdigest() != digest:
                    del self.contents[digest]
                    raise ValueError("The bytes do not have their hash.")

    # Push

    def push(self):
        """Sends what waits, and takes the answer.

        After an OSError or a code that says "try again" the same batch goes out with the next call.
        """
        if self.batch is None:
            if not self.waiting:
                return None
            self.number += 1
            self.batch = {
                "version": VERSION, "replica": self.replica, "number": self.number, "id": new_name(),
                "schema": self.schema, "observed": self.revision, "changes": self.waiting}
            self.waiting, self.group = [], 0
        self.upload(self.batch["changes"])
        try:
            answer = self.connection.ask("push", self.batch)
        except SyncError as error:
            if error.code != 17:
                raise
            self.upload(self.batch["changes"])  # the server has removed them in between
            answer = self.connection.ask("push", self.batch)
        if answer["number"] != self.batch["number"]:
            raise ValueError("The answer is one to another batch.")
        self.take(answer)
        return answer

    def take(self, answer):
        changes, self.batch = self.batch["changes"], None
        self.observe(answer["clock"])
        for outcome in answer["outcomes"]:
            group = [change for change in changes if change["group"] == outcome["group"]]
            if outcome["result"] == "refused":
                self.refused += [(change, outcome["refusals"]) for change in group]
            elif outcome["result"] == "whole":
                self.resend(group, set(outcome["whole"]))

    def resend(self, group, whole):
        """Records of `whole` become insertions with all values: those of the last pull, and the changed ones."""
        number, self.group = self.group, self.group + 1
        for change in group:
            change = dict(change, group=number)
            if change["name"] in whole:
                known = self.records[change["name"]]
                fields, counters = {}, dict(change.get("counters", {}))
                for key, value in known["values"].items():
                    if key in known.get("outside", []):
                        continue
                    if key in self.counters:
                        counters[key] = counters.get(key, 0) + int(value["integer"])
                    else:
                        fields[key] = {"value": value, "stamp": change["stamp"]}
                fields.update(change.get("fields", {}))
                members = {key: {"added": names, "removed": []} for key, names in known["members"].items()}
                members.update(change.get("members", {}))
                change.update(kind="insert", fields=fields, members=members, counters=counters)
            self.waiting.append(change)

    def renew(self):
        """After `forked` and `gap`: a new replica, and the unanswered batch under its first number."""
        self.replica = new_name()
        self.number = 0
        if self.batch is not None:
            self.number = 1
            self.batch = dict(self.batch, replica=self.replica, number=1, id=new_name())

    # Pull

    def pull(self):
        """Takes the server's state. Only when nothing waits.

        Without `number`, because `records` has only what the server sent: this replica's changes have to come back.
        """
        if self.batch is not None or self.waiting:
            raise ValueError("Push first.")
        pages, place = [], self.place
        while not pages or not pages[-1]["isLast"]:
            try:
                page = self.connection.ask("pull", {
                    "version": VERSION, "replica": self.replica, "schema": self.schema, "after": place,
                    "applied": self.revision, "limit": self.page, "shapes": []})
            except SyncError as error:
                if error.code != 10 or place is None:
                    raise
                pages, place = [], None  # the server no longer has the place: everything anew
                continue
            pages.append(page)
            place = page["next"]
        latest = {record["name"]: record for page in pages for record in page["records"]}
        self.download([record for record in latest.values() if record["state"] == "present"])
        if pages[-1]["isWhole"]:
            self.records = {}
        for name, record in latest.items():
            if record["state"] == "present":
                self.records[name] = record
            else:
                self.records.pop(name, None)
        self.place, self.revision = place, pages[-1]["revision"]
        for page in pages:
            self.observe(page["clock"])
        return latest
