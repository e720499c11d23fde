// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The programs themselves: what they print, where, and how they end.

import Foundation
import Testing

@Suite("The programs") struct CommandTests {
    private struct Outcome {
        var status: Int32
        var output: String
        var errors: String
    }

    /// SwiftPM puts programs beside the one that runs the tests.
    private static let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()

    private static func path(_ program: String) -> String { folder.appendingPathComponent(program).path }

    private static let areMissing = !FileManager.default.isExecutableFile(atPath: path("coredata-tool"))

    private func run(_ program: String, _ arguments: [String], in folder: TemporaryFolder) throws -> Outcome {
        let (output, errors) = (folder.url.appendingPathComponent("out"), folder.url.appendingPathComponent("err"))
        for url in [output, errors] { _ = FileManager.default.createFile(atPath: url.path, contents: nil) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.path(program))
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8))
    }

    @Test("a failure is one line on standard error and exit code 1", .disabled(if: areMissing, "needs the programs"))
    func failure() throws {
        let folder = try TemporaryFolder()
        let outcome = try run("coredata-tool", ["describe", "missing.sqlite"], in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("coredata-tool: There is no file "))
        #expect(outcome.errors.split(separator: "\n").count == 1)
    }

    @Test("describe, query and diagram print", .needsFixtures, .disabled(if: areMissing, "needs the programs"))
    func commands() throws {
        let folder = try TemporaryFolder()
        _ = try folder.store("objcio_core-data__Moody.moody")
        let store = "objcio_core-data__Moody.moody"
        let described = try run("coredata-tool", ["describe", store, "--format", "json"], in: folder)
        let object = try JSONSerialization.jsonObject(with: Data(described.output.utf8)) as? [String: Any]
        #expect(described.status == 0 && (object?["entities"] as? [Any])?.count == 4)
        let queried = try run(
            "coredata-tool",
            ["query", store, "Mood", "--sort", "-date", "--select", "date,country", "--format", "csv"],
            in: folder)
        #expect(queried.output.hasPrefix("objectID,date,country\r\n"))
        let wrong = try run("coredata-tool", ["query", store, "Mood", "--where", "dte > 1"], in: folder)
        #expect(wrong.status == 1 && wrong.errors.contains("\n    dte > 1\n    ^\nIts keys: "))
        let drawn = try run("coredata-tool", ["diagram", store, "-o", "moody.svg"], in: folder)
        #expect(drawn.status == 0 && drawn.output.isEmpty)
        let svg = try String(contentsOf: folder.url.appendingPathComponent("moody.svg"), encoding: .utf8)
        #expect(svg.hasSuffix("</svg>\n"))
    }

    @Test("the demonstration runs to its end", .disabled(if: areMissing, "needs the programs"))
    func demonstration() throws {
        let folder = try TemporaryFolder()
        let outcome = try run("coredata-demo", [], in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("\nDone in "))
        let written = try FileManager.default.contentsOfDirectory(
            atPath: folder.url.appendingPathComponent("demo-output").path)
        #expect(Set(written).isSuperset(of: ["Packages.sqlite", "Packages.json", "Packages.svg", "Packages.mmd"]))
    }
}
