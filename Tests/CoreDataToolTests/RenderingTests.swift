// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tables, CSV, JSON, and the text of single values.

import CoreData
import Foundation
import Testing

@testable import CoreDataToolKit

@Suite("Rendering") struct RenderingTests {
    @Test("CSV quotes as RFC 4180 asks")
    func csv() {
        let text = CSVText.text(columns: ["a", "b"], rows: [["1,5", "say \"x\""], ["two\nlines", "plain"]])
        #expect(text == "a,b\r\n\"1,5\",\"say \"\"x\"\"\"\r\n\"two\nlines\",plain\r\n")
    }

    @Test("tables count wide characters twice and keep cells on one line")
    func table() {
        let text = TableText(
            columns: ["name", "n"], alignments: [.left, .right], rows: [["漢字", "1"], ["a\nb", "12"]]
        ).text
        #expect(text == "name   n\n────  ──\n漢字   1\na⏎b   12\n")
    }

    @Test("long cells are cut")
    func cut() {
        let text = TableText(columns: ["x"], rows: [["abcdefgh"]], maximumCellWidth: 5).text
        #expect(text.hasSuffix("abcd…\n"))
    }

    @Test("JSON escapes where it must and keeps the order of keys")
    func json() throws {
        let value = JSONValue.members(["b": .string("\u{1}\"\\\n"), "a": .real(.nan), "c": .number("1.50"), "d": nil])
        #expect(value.text == #"{"b": "\u0001\"\\\n", "a": "NaN", "c": 1.50}"#)
        _ = try JSONSerialization.jsonObject(with: Data(value.prettyText.utf8))
    }

    @Test("dates are ISO 8601 in UTC, with fractions only where there are any")
    func dates() {
        #expect(Cell.text(of: Date(timeIntervalSinceReferenceDate: 0)) == "2001-01-01T00:00:00Z")
        #expect(Cell.text(of: Date(timeIntervalSinceReferenceDate: 0.25)) == "2001-01-01T00:00:00.250Z")
        #expect(Cell.text(of: Date(timeIntervalSinceReferenceDate: 1e300)).hasSuffix("s since 2001"))
        #expect(Cell.text(of: .distantPast) == "0001-01-01T00:00:00Z")
        #expect(Cell.text(of: .distantFuture) == "4001-01-01T00:00:00Z")
    }

    @Test("values are written for people")
    func values() throws {
        let id = try #require(UUID(uuidString: "0e984725-c51c-4bf4-9960-e1c80e27aba0"))
        #expect(Cell.uuid(id).tableText == "0E984725-C51C-4BF4-9960-E1C80E27ABA0")
        #expect(Cell.decimal(try #require(Decimal(string: "12.340"))).json.text == "12.34")
        #expect(Cell(data: Data([1, 2, 255])).tableText == "3 bytes 0102ff")
        #expect(Cell(data: Data([1, 2, 255])).json == .string("AQL/"))
        #expect(Cell(data: Data("[\"a\", 1]".utf8)).tableText == "[\"a\", 1]")
        #expect(Cell.list([.object("A/1"), .object("A/2")], isObjects: true).tableText == "2")
        #expect(Cell.list([.object("A/1")], isObjects: true).json.text == "[\"A/1\"]")
    }

    @Test("keyed archives are opened where their classes are Foundation's, and named where not")
    func archives() throws {
        let plain = try NSKeyedArchiver.archivedData(
            withRootObject: NSArray(array: ["a", NSNumber(value: 2)]), requiringSecureCoding: true)
        #expect(Cell(data: plain).tableText == "[\"a\", 2]")
        let other = try NSKeyedArchiver.archivedData(
            withRootObject: NSIndexSet(index: 3), requiringSecureCoding: true)
        #expect(Cell(data: other).tableText == "NSIndexSet archive, \(other.count) bytes")
    }

    @Test("the bar says how far the work is")
    func progress() {
        #expect(ProgressLine.text(label: "Reading", done: 5, total: 10, width: 4) == "Reading  [##..] 50 % (5 of 10)")
        #expect(ProgressLine.text(label: "Reading", done: 5, total: 0) == "Reading  5")
    }

    @Test("work that is done within a second shows no bar")
    func quickWork() {
        var written = ""
        func write(_ text: String) { written += text }
        let line = ProgressLine("Reading", total: 2, write: write)
        line.advance(to: 1)
        line.finish()
        #expect(written == "")
    }
}
