# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
"""Builds and runs the suites of packages that a folder holds, and compares the results with the folder's table.

usage: Scripts/test-peers FOLDER [--only NAME] [--keep]
       Scripts/test-peers --self-test

FOLDER has checkouts of packages and peers.json (Documentation/Internals/Scripts.md). They are copied and never changed.
A package that does not build, or of which no test passes or fails, counts as failed. A test during which the process
ends, or that writes nothing for two minutes, has failed; the other tests run again without it. Exit status 1 if a
package is not as its table says. --only takes one package, --keep leaves the copies and logs, and names their folder.
"""
import argparse
import json
import os
import pty
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import peer_packages
from peer_packages import Mistake

ROOT = Path(__file__).resolve().parent.parent.parent
SILENCE = float(os.environ.get("OCD_PEER_SILENCE", 120))
CHECKED = ["--scratch-path", ".build/checked", "--explicit-target-dependency-import-check", "error",
           "-Xswiftc", "-warnings-as-errors"]
XCTEST = re.compile(r"^Test Case '([\w.]+)' (started|passed|failed|skipped)")
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|.*\r(?=[^\r\n])")
XCTEST_END = re.compile(r"^Test Suite '(All|Selected) tests' (passed|failed)")
XCTEST_ERROR = re.compile(r"error: ([\w.]+) : (.*)")


class Results:
    """Outcomes by test, and the message of the first failure of each."""

    def __init__(self):
        self.outcomes, self.reasons = {}, {}
        self.running, self.ended = None, False

    def set(self, test, outcome, reason=None):
        # A test that once failed has failed, also if a later run passes.
        if self.outcomes.get(test) != "failed":
            self.outcomes[test] = outcome
        if reason and outcome == "failed":
            self.reasons.setdefault(test, reason)

    def count(self, outcome):
        return sum(1 for value in self.outcomes.values() if value == outcome)

    def failed(self):
        return [test for test, outcome in self.outcomes.items() if outcome == "failed"]

    def read_xctest(self, line):
        if match := XCTEST_ERROR.search(line):
            self.reasons.setdefault(match[1], match[2].strip())
        self.ended = self.ended or XCTEST_END.match(line) is not None
        if match := XCTEST.match(line):
            self.running = match[1] if match[2] == "started" else None
            if match[2] != "started":
                self.set(match[1], match[2])

    def read_events(self, path):
        """The events of swift-testing. An identifier ends with the place, which changes with each edit."""
        kinds, running = {}, []
        lines = path.read_text(errors="replace").splitlines() if path.exists() else []
        for line in lines:
            try:
                record = json.loads(line)
            except ValueError:
                continue  # A process that crashes leaves half a line.
            payload = record["payload"]
            self.ended = self.ended or payload.get("kind") == "runEnded"
            if record["kind"] == "test":
                kinds[payload["id"]] = payload["kind"]
                continue
            test = payload.get("testID")
            if kinds.get(test) != "function":
                continue
            name, messages = re.sub(r"/[^/]*:\d+:\d+$", "", test), payload.get("messages", [])
            symbol = messages[0]["symbol"] if messages else ""
            if payload["kind"] == "testStarted":
                running.append(name)
            elif payload["kind"] == "testSkipped":
                self.set(name, "skipped")
            elif payload["kind"] == "issueRecorded" and symbol == "fail":
                self.reasons.setdefault(name, messages[0]["text"])
            elif payload["kind"] == "testEnded":
                running.remove(name)
                self.set(name, "failed" if symbol == "fail" else "passed")
        self.running = running[-1] if running else None


def run(command, log, seconds, silence=None, each=None, env=None):
    """The exit status and the last lines; None for a process that took too long or was silent for too long."""
    # A terminal, since the output into a pipe is kept back until the process ends, or is lost.
    reading, writing = pty.openpty()
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=writing, stderr=writing,
                               start_new_session=True, env=dict(env or os.environ, TERM="dumb", NO_COLOR="1"))
    os.close(writing)
    lines, last, end = queue.Queue(), [], time.monotonic() + seconds

    def read():
        try:
            with os.fdopen(reading, "rb") as output:
                for raw in output:
                    lines.put(ESCAPES.sub("", raw.decode(errors="replace")).strip("\r\n"))
        except OSError:
            pass  # The end of a terminal.
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    try:
        while True:
            line = lines.get(timeout=max(0.01, min(silence or seconds, end - time.monotonic())))
            if line is None:
                return process.wait(timeout=60), last
            log.write(line + "\n")
            last = (last + [line])[-500:]
            if each:
                each(line)
    except (queue.Empty, subprocess.TimeoutExpired):
        return None, last
    finally:
        log.flush()
        # Also processes that it has left running; the group is this script's own.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def last_words(lines):
    """The line that says why a process ended."""
    for pattern in (r"Fatal error|Precondition failed|Assertion failed", r"error: |signal|Signal"):
        for line in reversed(lines):
            if re.search(pattern, line):
                return line.strip()[-200:]
    return next((line.strip()[-200:] for line in reversed(lines) if line.strip()), "no output")


def run_suites(package, copy, scratch, end, log, results, tests_xctest):
    """Runs the tests of one library, again without each test during which the process ended."""
    events = copy.parent / f"{package['folder']}.events"
    skips = list(package.get("skip", []))
    home = copy.parent / "home"
    home.mkdir(exist_ok=True)
    env = dict(os.environ, XDG_DATA_HOME=str(home), XDG_CONFIG_HOME=str(home), TMPDIR=str(home))
    for _ in range(30):
        events.unlink(missing_ok=True)
        results.running, results.ended = None, False
        command = ["swift", "test", "--skip-build", "--package-path", str(copy), "--scratch-path", str(scratch)]
        for skip in skips:
            command += ["--skip", skip]
        if tests_xctest:
            command += ["--disable-swift-testing"]
        else:
            command += ["--disable-xctest", "--no-parallel", "--event-stream-version", "0",
                        "--event-stream-output-path", str(events)]
        left = end - time.monotonic()
        status, last = run(command, log, max(1, left), SILENCE, results.read_xctest if tests_xctest else None, env)
        if not tests_xctest:
            results.read_events(events)
        test = results.running
        if status == 0 or status is not None and results.ended:
            return "" if status == 0 or results.failed() else f"swift test ended with {status}: {last_words(last)}"
        if test is None:
            return f"the run ended outside of a test: {last_words(last)}"
        reason = "the test did not end" if status is None else f"the process ended: {last_words(last)}"
        results.set(test, "failed", reason)
        skips.append(re.escape(test).replace(r"\.", "[./]", 1) + "$" if tests_xctest else "^" + re.escape(test))
        if time.monotonic() > end:
            return "the time is over"
    return "too many tests ended the process"


def test(package, copy, scratch, log):
    """The results of a package, and the reason why it counts as failed regardless of its tests."""
    results, end = Results(), time.monotonic() + 60 * package.get("minutes", 20)
    command = ["swift", "build", "--build-tests", "--package-path", str(copy), "--scratch-path", str(scratch)]
    errors = []

    def note(line):
        if re.search(r"(^|\s)error: ", line):
            errors.append(line.strip())

    status, last = run(command, log, end - time.monotonic(), each=note)
    if status != 0:
        # The place in the sources says more than the command that failed.
        errors.sort(key=lambda line: ".swift:" not in line)
        return results, f"does not build: {errors[0][-200:] if errors else last_words(last)}"
    for tests_xctest in (True, False):
        if reason := run_suites(package, copy, scratch, end, log, results, tests_xctest):
            return results, reason
    return results, "" if results.count("passed") + results.count("failed") else "no test ran"


def differences(package, results, reason):
    """How the results differ from those that the table expects."""
    expect = package["expect"]
    known, failed = set(expect.get("failed", {})), set(results.failed())
    found = [reason] if reason else []
    found += [f"{test}: {results.reasons.get(test, 'failed')}" for test in results.failed() if test not in known]
    found += [f"{test} was to fail" for test in sorted(known - failed)]
    for key in ("passed", "skipped"):
        if key in expect and results.count(key) != expect[key]:
            found.append(f"{results.count(key)} {key} in place of {expect[key]}")
    return found


def first_failure(results, reason):
    failed = results.failed()
    return reason or (f"{failed[0]}: {results.reasons.get(failed[0], 'failed')}" if failed else "")


def table(rows):
    head = ("package", "passed", "failed", "skipped", "as expected", "first failure")
    rows = [head] + [tuple(str(cell) for cell in row) for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head) - 1)]
    return "\n".join("  ".join([cell.ljust(width) for cell, width in zip(row, widths)] + [row[-1][:160]]).rstrip()
                     for row in rows)


def main(folder, only, keep):
    packages = peer_packages.read(folder)
    if only and only not in {package["folder"] for package in packages}:
        raise Mistake(f"{folder}: peers.json has no package '{only}'")
    work = Path(tempfile.mkdtemp(prefix="peers-"))
    scratch, rows, unexpected = ROOT / ".build/peers", [], []
    try:
        with open(work / "log", "w") as log:
            if any(package.get("port") for package in packages):
                status, last = run(["swift", "build", "--product", "coredata-tool"] + CHECKED, log, 1800)
                if status != 0:
                    raise Mistake(f"coredata-tool does not build: {last_words(last)}")
            tool, copies = ROOT / ".build/checked/debug/coredata-tool", {}
            for package in packages:  # All before the first build: they can depend on each other.
                try:
                    copies[package["folder"]] = peer_packages.prepare(package, folder, work, ROOT, tool, log)
                except Mistake as mistake:
                    copies[package["folder"]] = mistake
            for package in packages:
                name = package["folder"]
                if only and name != only:
                    continue
                print(f"== {name}", flush=True)
                copy = copies[name]
                results, reason = Results(), str(copy)
                if not isinstance(copy, Mistake):
                    results, reason = test(package, copy, scratch, log)
                found = differences(package, results, reason)
                unexpected += [f"{name}: {line}" for line in found]
                rows.append((name, results.count("passed"), results.count("failed"), results.count("skipped"),
                             "no" if found else "yes", first_failure(results, reason)))
    finally:
        if keep:
            print(f"copies and log: {work}")
        else:
            shutil.rmtree(work, ignore_errors=True)
    print("\n" + table(rows))
    for line in unexpected:
        print(f"not as expected: {line}")
    return 1 if unexpected else 0


SELF_TEST = {
    "Good": ('@Test func a() {}\n@Test("b", arguments: [1, 2]) func b(x: Int) {}\n@Test(.disabled()) func c() {}',
             'func testA() {}\nfunc testB() throws { throw XCTSkip() }', (3, 0, 2), ""),
    "Failing": ('@Test func a() { #expect(1 == 2) }\n@Test func b() {}', 'func testA() { XCTAssertEqual(1, 2) }',
                (1, 2, 0), "XCTAssertEqual failed"),
    "Crashing": ('@Test func a() { fatalError("now") }\n@Test func b() {}',
                 'func testA() { fatalError("now") }\nfunc testB() {}', (2, 2, 0), "now"),
    "Endless": ("@Test func b() {}", "func testA() { while true { sleep(1) } }\nfunc testB() {}", (2, 1, 0),
                "did not end"),
    "Broken": ("@Test func a() { missing() }", "", (0, 0, 0), "does not build"),
    "Empty": ("", "", (0, 0, 0), "no test ran"),
}


def self_test():
    """Packages with known results, which use nothing of this one."""
    global SILENCE
    SILENCE = 10
    folder = Path(tempfile.mkdtemp(prefix="peers-self-test-"))
    try:
        packages = []
        for name, (testing, xctest, (passed, failed, skipped), _) in SELF_TEST.items():
            tests = folder / name / "Tests/PeerTests"
            tests.mkdir(parents=True)
            (folder / name / "Package.swift").write_text(
                "// swift-tools-version: 6.0\nimport PackageDescription\n"
                f'let package = Package(name: "{name}", targets: [.testTarget(name: "PeerTests")])\n')
            (tests / "Tests.swift").write_text(
                "import Foundation\nimport Testing\nimport XCTest\n"
                f"final class CaseTests: XCTestCase {{\n{xctest}\n}}\nstruct SuiteTests {{\n{testing}\n}}\n")
            packages.append({"folder": name, "products": {}, "expect": {"passed": passed, "skipped": skipped}})
        (folder / "peers.json").write_text(json.dumps({"packages": packages}))
        done = subprocess.run([sys.executable, __file__, str(folder)], capture_output=True, text=True, check=False,
                              env=dict(os.environ, OCD_PEER_SILENCE="10"))
        wrong = [] if done.returncode == 1 else [f"exit status {done.returncode}: {done.stderr}"]
        for name, (_, _, counts, part) in SELF_TEST.items():
            row = next((line for line in done.stdout.splitlines() if line.startswith(name + " ")), "")
            if tuple(row.split()[1:4]) != tuple(map(str, counts)) or part not in row:
                wrong.append(f"{name} gave '{row}'")
            if (name == "Good") != (row.split()[4:5] == ["yes"]):
                wrong.append(f"{name} is not judged well: '{row}'")
        if not list(folder.glob("*/Package.swift")) or list(folder.glob("*/.build")):
            wrong.append("the originals have changed")
        print("\n".join(["self-test failed"] + wrong + [done.stdout]) if wrong else "self-test passed")
        return 1 if wrong else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--only")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        sys.exit(self_test())
    if not options.folder:
        parser.error("a folder with peers.json is needed")
    try:
        sys.exit(main(options.folder.resolve(), options.only, options.keep))
    except Mistake as mistake:
        sys.exit(f"test-peers: {mistake}")
