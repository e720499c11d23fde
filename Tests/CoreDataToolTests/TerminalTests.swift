// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The tool on a terminal: questions before changes, colours, widths, the SQL prompt.

import Foundation
import Testing

@testable import CoreDataToolKit

/// A command that changes a store, with the question that it asks.
struct AskingCommand: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let question: String
    /// Makes the other files that the command needs.
    let prepare: @Sendable (Clinic) throws -> Void
    var testDescription: String { arguments[0] }

    static let all = [
        AskingCommand(
            arguments: ["doctor", "Clinic.sqlite", "--fix", "reference.dangling"],
            question: "Change Clinic.sqlite? [y/N] "
        ) { try $0.execute("UPDATE ZBED SET ZWARD = 99 WHERE Z_PK = 1") },
        AskingCommand(
            arguments: ["history", "purge", "Clinic.sqlite", "--before", "2200-01-01"],
            question: "Delete from Clinic.sqlite? [y/N] "
        ) { _ in },
        AskingCommand(
            arguments: ["import", "Bed.jsonl", "--into", "Clinic.sqlite", "--upsert", "Bed.code"],
            question: "Change Clinic.sqlite? [y/N] "
        ) { clinic in
            let exported = try ToolProgram.run(
                ["export", "Clinic.sqlite", "--entity", "Bed", "-o", "Bed.jsonl"], in: clinic.folder)
            #expect(exported.status == 0, "\(exported)")
        },
        AskingCommand(
            arguments: ["restore", "Copy.sqlite", "--to", "Clinic.sqlite"], question: "Replace Clinic.sqlite? [y/N] "
        ) { clinic in
            let copied = try ToolProgram.run(["snapshot", "Clinic.sqlite", "-o", "Copy.sqlite"], in: clinic.folder)
            #expect(copied.status == 0, "\(copied)")
        },
    ]
}

@Suite("The tool on a terminal", .needsPrograms) struct TerminalTests {
    private static let color = "\u{1B}[1;31m"

    private func damaged() throws -> Clinic {
        let clinic = try Clinic()
        try clinic.execute("UPDATE ZBED SET ZWARD = 99 WHERE Z_PK = 1")
        return clinic
    }

    @Test(
        "asks before a change, and changes nothing without a yes", arguments: AskingCommand.all, ["n\n", "\n", "x\n"])
    func refused(_ command: AskingCommand, _ answer: String) throws {
        let clinic = try Clinic()
        try command.prepare(clinic)
        let before = try Data(contentsOf: clinic.url)
        let outcome = try PseudoTerminal().run(
            command.arguments, in: clinic.folder, typing: [.init(after: command.question, answer)])
        #expect(outcome.status == 0 && outcome.output.contains("Nothing was changed."), "\(outcome)")
        #expect(try Data(contentsOf: clinic.url) == before)
    }

    @Test("goes on after a yes", arguments: AskingCommand.all) func agreed(_ command: AskingCommand) throws {
        let clinic = try Clinic()
        try command.prepare(clinic)
        let outcome = try PseudoTerminal().run(
            command.arguments, in: clinic.folder, typing: [.init(after: command.question, "y\n")])
        #expect(outcome.status == 0 && !outcome.output.contains("Nothing was changed."), "\(outcome)")
        let copies = try FileManager.default.contentsOfDirectory(atPath: clinic.folder.url.path)
        #expect(copies.contains { $0.hasPrefix("Clinic before ") }, "\(copies)")
    }

    @Test("asks nothing with --yes") func unasked() throws {
        let outcome = try PseudoTerminal().run(
            ["doctor", "Clinic.sqlite", "--fix", "reference.dangling", "--yes"], in: try damaged().folder)
        #expect(outcome.status == 0 && outcome.output.contains("Mended.") && !outcome.output.contains("[y/N]"))
    }

    @Test("colours the severities of findings") func colors() throws {
        let outcome = try PseudoTerminal().run(["doctor", "Clinic.sqlite"], in: try damaged().folder)
        #expect(outcome.status == 1 && outcome.output.contains("\(Self.color)error\u{1B}[0m"), "\(outcome)")
    }

    @Test(
        "has no colours where the user wants none",
        arguments: [["NO_COLOR": "1"], ["NO_COLOR": "yes", "TERM": "xterm-256color"], ["TERM": "dumb"]])
    func plain(_ environment: [String: String]) throws {
        let outcome = try PseudoTerminal().run(
            ["doctor", "Clinic.sqlite"], in: try damaged().folder, environment: environment)
        #expect(outcome.status == 1 && outcome.output.contains("error reference.dangling"), "\(outcome)")
        #expect(!outcome.output.contains("m\(Self.color)") && outcome.output.firstMatch(of: /\x1B\[[0-9;]*m/) == nil)
        // A terminal without escape sequences gets none at all.
        if environment["TERM"] == "dumb" { #expect(!outcome.output.contains("\u{1B}")) }
    }

    @Test("an empty NO_COLOR counts as unset") func emptyNoColor() throws {
        let outcome = try PseudoTerminal().run(
            ["doctor", "Clinic.sqlite"], in: try damaged().folder, environment: ["NO_COLOR": ""])
        #expect(outcome.output.contains(Self.color), "\(outcome)")
    }

    @Test("fits tables and findings into the width", arguments: [UInt16(40), 60, 100]) func widths(_ columns: UInt16)
        throws
    {
        let clinic = try damaged()
        for arguments in [
            ["query", "Clinic.sqlite", "Patient"], ["query", "Clinic.sqlite", "Ward", "--select", "name,beds"],
            ["stats", "Clinic.sqlite"],
        ] {
            let outcome = try PseudoTerminal(columns: columns).run(arguments, in: clinic.folder)
            // The lines of progress are erased.
            let shown = outcome.output.split(separator: "\r\u{1B}[K", omittingEmptySubsequences: false).last ?? ""
            let lines = shown.split(whereSeparator: \.isNewline)
            let wide = lines.filter { TableText.width(String($0)) > Int(columns) }
            #expect(outcome.status == 0 && lines.count > 3 && wide.isEmpty, "\(wide)")
        }
    }

    // Each key redraws the line. The prompt of a new line follows the end of the previous one.
    private static let prompt = "\n\r\u{1B}[Jsql> "

    @Test("the SQL prompt completes names, shows views and errors, and ends") func prompt() throws {
        let clinic = try Clinic()
        let outcome = try PseudoTerminal().run(
            ["sql", "Clinic.sqlite"], in: clinic.folder,
            typing: [
                .init(after: "sql> ", ".views\n"), .init(after: Self.prompt, "SELECT COUNT(*) AS n FROM Pati\t;\n"),
                .init(after: Self.prompt, "SELECT missing FROM Ward;\n"),
                .init(after: Self.prompt, "\u{1B}[A\u{15}SELECT name\n"),
                .init(after: "\n\r\u{1B}[J...> ", "FROM Ward;\n"), .init(after: Self.prompt, "abc\u{3}"),
                .init(after: Self.prompt, "\u{4}"),
            ])
        #expect(outcome.status == 0, "\(outcome)")
        for part in ["Ward(objectID, name, ", "FROM Patient;", "1 row", "no such column", "ward 2", "^C\r\n", "2 rows"]
        {
            #expect(outcome.output.contains(part), "\(part) \(outcome)")
        }
    }

    @Test("a line that is longer than the terminal is shown in rows") func longLine() throws {
        let clinic = try Clinic()
        let outcome = try PseudoTerminal(columns: 20).run(
            ["sql", "Clinic.sqlite"], in: clinic.folder,
            typing: [
                .init(after: "sql> ", "SELECT name FROM Ward WHERE objectID =1;"),
                // "sql> " and 40 characters end in the third row, and the cursor goes back to the first.
                .init(after: " =1;", "\u{1}"), .init(after: "\u{1B}[2A\r\u{1B}[5C", "\n"),
                .init(after: Self.prompt, "\u{4}"),
            ])
        #expect(outcome.status == 0 && outcome.output.contains("ward 1"), "\(outcome)")
    }
}
