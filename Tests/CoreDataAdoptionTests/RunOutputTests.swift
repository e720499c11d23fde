// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The output of the compiler and of tests.

import Foundation
import Testing

@testable import CoreDataAdoption

@Suite("Output of builds and tests") struct RunOutputTests {
    @Test("errors have their places, those of macros the place of the macro") func compilerErrors() {
        let output = """
            [1/2] Compiling Shop Item.swift
            /p/Sources/Shop/Item.swift:5:19: error: cannot find 'foo' in scope
              |                   `- error: cannot find 'foo' in scope
            /p/Sources/Shop/Item.swift:5:19: error: cannot find 'foo' in scope
            macro expansion @Model:3:4: error: type 'Color' is missing
            `- /p/Sources/Shop/Tag.swift:9:1: note: expanded code originates here
            Shop/State.swift:9:25: error: cannot find 'path' in scope
            `- Sources/Shop/State.swift:11:6: note: a note without the whole path
            `- /p/Sources/Shop/State.swift:11:6: note: expanded code originates here
            /p/Sources/Shop/Item.swift:7:1: warning: unused
            /p/Sources/Shop/Item+CoreDataProperties.swift:8: error: 'Item.names': an attribute of type String
            error: emit-module command failed with exit code 1
            """
        #expect(
            CompilerError.all(in: output) == [
                CompilerError(
                    path: "/p/Sources/Shop/Item.swift", line: 5, column: 19, message: "cannot find 'foo' in scope"),
                CompilerError(path: "/p/Sources/Shop/Tag.swift", line: 9, message: "type 'Color' is missing"),
                CompilerError(path: "/p/Sources/Shop/State.swift", line: 9, message: "cannot find 'path' in scope"),
                CompilerError(
                    path: "/p/Sources/Shop/Item+CoreDataProperties.swift", line: 8,
                    message: "'Item.names': an attribute of type String"),
                CompilerError(path: "", line: 0, message: "emit-module command failed with exit code 1"),
            ])
    }

    @Test("a process that ends before its first test has the line of the trap as its reason") func earlyEnd() {
        let output = "error: Process ended\nA.swift:3: Fatal error: no file\n*** Signal 4\n"
        #expect(TestRun.reason(in: output) == "A.swift:3: Fatal error: no file")
        #expect(TestRun.reason(in: "error: Process ended\n") == "error: Process ended")
        #expect(TestRun.reason(in: "") == "It failed.")
    }

    @Test("tests of XCTest pass, fail with their first line, and crash") func xctest() {
        let output = """
            Test Case 'ItemTests.testA' started at 2026-01-01 00:00:00.000
            Test Case 'ItemTests.testA' passed (0.01 seconds)
            Test Case 'ItemTests.testB' started at 2026-01-01 00:00:00.000
            /p/ItemTests.swift:4: error: ItemTests.testB : XCTAssertEqual failed
            /p/ItemTests.swift:5: error: second
            Test Case 'ItemTests.testB' failed (0.01 seconds)
            Test Case 'ItemTests.testC' started at 2026-01-01 00:00:00.000
            Shop/Stack.swift:4: Fatal error: no store
            """
        let outcomes = TestOutcome.ofXCTest(output)
        #expect(outcomes.map(\.result) == [.passed, .failed, .crashed])
        #expect(outcomes[1].message == "/p/ItemTests.swift:4: error: ItemTests.testB : XCTAssertEqual failed")
        #expect(outcomes[2].message == "Shop/Stack.swift:4: Fatal error: no store")
    }

    @Test("tests of Swift Testing pass, fail, are skipped, and crash") func swiftTesting() {
        let output = """
            ◇ Test run started.
            ◇ Test a() started.
            ✔ Test a() passed after 0.001 seconds.
            ◇ Test "the name" started.
            ✘ Test "the name" recorded an issue at X.swift:3:5: Expectation failed: 1 == 2
            ✘ Test "the name" failed after 0.001 seconds with 1 issue.
            ➜ Test c() skipped.
            ◇ Test d() started.
            X.swift:3: Fatal error: no
            """
        let outcomes = TestOutcome.ofSwiftTesting(output)
        #expect(outcomes.map(\.result) == [.passed, .failed, .skipped, .crashed])
        #expect(outcomes[1].message?.contains("1 == 2") == true)
        #expect(outcomes[3].message == "X.swift:3: Fatal error: no")
        let complete = TestOutcome.ofSwiftTesting(output + "\n✘ Test run with 4 tests failed.")
        #expect(complete.map(\.result) == [.passed, .failed, .skipped])
    }

    /// A program with a child of another thread, which outlives it unless it is ended as well.
    private static let threads = """
        import subprocess, threading
        thread = threading.Thread(target=lambda: subprocess.run(["sleep", "200"]))
        thread.start()
        print("begun")
        thread.join()
        """

    @Test("a program that does not end is stopped with its children") func limit() throws {
        let folder = try SampleFolder()
        let run = try CommandRun.run(
            ["python3", "-uc", Self.threads], in: folder.url, limit: 3, log: folder.file("log"))
        #expect(run.wasStopped)
        #expect(run.output == "begun\n")
    }
}
