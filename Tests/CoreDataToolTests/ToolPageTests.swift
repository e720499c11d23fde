// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares the output printed in Documentation/Tool.md, and the rules in Doctor.md, with the tool.

import CoreData
import Foundation
import SQLiteDriver
import Testing

@testable import CoreDataToolKit

@Suite("The pages of the tool", .needsPrograms) struct ToolPageTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Documentation")

    /// Numbers that depend on the build of SQLite or on the time, and identifiers.
    private func normalized(_ text: String) -> [String] {
        text.replacing(/[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}/, with: "UUID")
            .replacing(/[0-9a-f]{64}/, with: "HASH").replacing(/[0-9]{4,}/, with: "#")
            .replacing(/[0-9]+(\.[0-9])? KB/, with: "# KB").replacing(/[─ ]+/, with: " ")
            .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// The words of a command line, with single quotes.
    private func words(_ line: String) -> [String] {
        var (words, word, isQuoted): ([String], String, Bool) = ([], "", false)
        for character in line {
            if character == "'" {
                isQuoted.toggle()
            } else if character == " ", !isQuoted {
                words.append(word)
                word = ""
            } else {
                word.append(character)
            }
        }
        return words + [word]
    }

    private func change(_ url: URL, _ sql: String) throws {
        let connection = try Connection(url: url, options: .init(access: .readWrite))
        try connection.execute(sql)
        _ = try connection.checkpoint(.truncate)
        try connection.close()
    }

    @Test("the output on the page is that of the tool") func page() throws {
        let garage = try Garage()
        let folder = garage.folder
        for name in ["Broken", "Changed"] {
            try StoreSnapshot.make(of: garage.url, at: folder.url.appendingPathComponent("\(name).sqlite"))
        }
        try change(folder.url.appendingPathComponent("Broken.sqlite"), "UPDATE ZCAR SET ZOWNER = 99 WHERE Z_PK < 3")
        try change(
            folder.url.appendingPathComponent("Changed.sqlite"),
            "UPDATE ZCAR SET ZPRICE = 2 WHERE Z_PK = 1; DELETE FROM ZCAR WHERE Z_PK = 5")
        let url = Self.folder.appendingPathComponent("Tool.md")
        let page = try String(contentsOf: url, encoding: .utf8)
        var (new, isRecorded) = ("", ProcessInfo.processInfo.environment["COREDATA_RECORD"] != nil)
        var rest = page[...]
        var blocks = 0
        while let match = rest.firstMatch(of: /```console\n\$ coredata-tool (.*)\n((?:.|\n)*?)```/) {
            let (line, block) = (String(match.output.1), String(match.output.2))
            let outcome = try ToolProgram.run(words(line), in: folder)
            let output = outcome.output.replacing(folder.url.path + "/", with: "")
            #expect(outcome.status < 2 && outcome.errors.isEmpty, "\(line): \(outcome)")
            if !isRecorded { #expect(normalized(output) == normalized(block), "\(line)\n\(output)") }
            let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
                .map { String($0.reversed().drop(while: \.isWhitespace).reversed()) }.joined(separator: "\n")
            new += rest[..<match.range.lowerBound] + "```console\n$ coredata-tool \(line)\n\(lines)```"
            rest = rest[match.range.upperBound...]
            blocks += 1
        }
        #expect(blocks >= 10)
        isRecorded = isRecorded && new + rest != page
        if isRecorded { try Data((new + rest).utf8).write(to: url) }
    }

    @Test("the page of the doctor lists the rules") func rules() throws {
        let page = try String(contentsOf: Self.folder.appendingPathComponent("Doctor.md"), encoding: .utf8)
        for rule in DoctorRule.all {
            let row = "| `\(rule.id)` | \(rule.severity.rawValue) | \(rule.consequence) | \(rule.repair ?? "–") |\n"
            #expect(page.contains(row), "\(row)")
        }
    }
}
