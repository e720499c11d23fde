// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the records of an export, one at a time, from JSON Lines or CSV.

import CoreData
import Foundation

/// One object of an export.
struct ExchangeRecord {
    let entity: String
    let key: Int64
    /// By label: "title", or "address.city" for an element of a composite attribute. The values have the types that
    /// `JSONSerialization` returns.
    let values: [String: Any]

    static func reference(_ text: String) throws -> (entity: String, key: Int64) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let key = Int64(parts[1]) else {
            throw ToolError("'\(text)' is no object: ids are written as Book/3.")
        }
        return (String(parts[0]), key)
    }
}

/// A file of records. Uses memory for one record, and for a piece of the file.
final class RecordReader {
    private let lines: LineReader
    private let name: String
    private let columns: [String]?

    /// - Throws: `ToolError` for a file that cannot be read, or a CSV file without a column `objectID`.
    init(_ url: URL) throws {
        name = url.lastPathComponent
        lines = try LineReader(url)
        guard url.pathExtension.lowercased() == "csv" else {
            columns = nil
            return
        }
        columns = try lines.nextCSV()?.map { $0 ?? "" }
        guard columns?.contains("objectID") == true else { throw ToolError("\(name) has no column 'objectID'.") }
    }

    /// nil at the end.
    ///
    /// - Throws: `ToolError` with file and line for a record that cannot be read.
    func next() throws -> ExchangeRecord? {
        do {
            return try columns.map(nextCSV) ?? nextJSON()
        } catch let error as ToolError {
            throw ToolError("\(name):\(lines.number): \(error.description)")
        }
    }

    private func nextJSON() throws -> ExchangeRecord? {
        while let line = try lines.next() {
            if line.isEmpty { continue }
            let value = try ExactJSON.value(line)
            guard let object = value as? [String: Any], let id = object["objectID"] as? String else {
                throw ToolError("This line is no object with an 'objectID'.")
            }
            var values: [String: Any] = [:]
            for (key, value) in object where key != "objectID" {
                // The elements of a composite; any other object represents a single value.
                if let elements = value as? [String: Any], !Self.isValue(elements) {
                    for (element, inner) in elements { values["\(key).\(element)"] = inner }
                } else {
                    values[key] = value
                }
            }
            let (entity, key) = try ExchangeRecord.reference(id)
            return ExchangeRecord(entity: entity, key: key, values: values)
        }
        return nil
    }

    private static func isValue(_ object: [String: Any]) -> Bool {
        object.count == 1
            && ["file", "base64", "missingFile", "text", "real", "seconds"].contains(object.keys.first ?? "")
    }

    private func nextCSV(_ columns: [String]) throws -> ExchangeRecord? {
        guard let fields = try lines.nextCSV() else { return nil }
        if fields.count == 1, fields[0] == nil { return try nextCSV(columns) }
        guard fields.count == columns.count else {
            throw ToolError("This line has \(fields.count) fields in place of \(columns.count).")
        }
        var (id, values): (String?, [String: Any]) = (nil, [:])
        for (column, field) in zip(columns, fields) {
            guard column != "objectID" else {
                id = field
                continue
            }
            guard let field else { continue }
            if field.hasPrefix("{") || field.hasPrefix("["),
                let json = try? ExactJSON.value(Array(field.utf8)),
                (json as? [String: Any]).map(Self.isValue) ?? (json is [String])
            {
                values[column] = json
            } else {
                values[column] = field
            }
        }
        guard let id else { throw ToolError("This line has no objectID.") }
        let (entity, key) = try ExchangeRecord.reference(id)
        return ExchangeRecord(entity: entity, key: key, values: values)
    }
}

/// Reads a file by lines, or by lines of CSV, which may contain line breaks in quotes.
final class LineReader {
    private static let pieceSize = 1 << 18
    private let handle: FileHandle
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    /// The number of the last line, from 1.
    private(set) var number = 0

    init(_ url: URL) throws {
        do {
            handle = try FileHandle(forReadingFrom: url)
        } catch {
            throw ToolError("\(url.path) cannot be read: \(ToolError.text(of: error))")
        }
    }

    deinit { try? handle.close() }

    private func fill() throws -> Bool {
        if position < buffer.count { return true }
        if isAtEnd { return false }
        let piece = try handle.read(upToCount: Self.pieceSize) ?? Data()
        buffer = [UInt8](piece)
        position = 0
        isAtEnd = piece.isEmpty
        return !piece.isEmpty
    }

    /// The next line without its end; nil at the end of the file.
    func next() throws -> [UInt8]? {
        var line: [UInt8] = []
        guard try fill() else { return nil }
        number += 1
        while try fill() {
            if let end = buffer[position...].firstIndex(of: 10) {
                line += buffer[position..<end]
                position = end + 1
                if line.last == 13 { line.removeLast() }
                return line
            }
            line += buffer[position...]
            position = buffer.count
        }
        return line
    }

    /// The fields of the next line of CSV; nil for an empty field without quotes.
    func nextCSV() throws -> [String?]? {
        guard try fill() else { return nil }
        number += 1
        var fields: [String?] = []
        var (field, isQuoted, isInside, wasQuote): ([UInt8], Bool, Bool, Bool) = ([], false, false, false)
        func end() {
            fields.append(field.isEmpty && !isQuoted ? nil : String(decoding: field, as: UTF8.self))
            (field, isQuoted, isInside, wasQuote) = ([], false, false, false)
        }
        while try fill() {
            let byte = buffer[position]
            position += 1
            if isInside {
                if wasQuote {
                    wasQuote = false
                    if byte == UInt8(ascii: "\"") {
                        field.append(byte)
                        continue
                    }
                    isInside = false
                } else if byte == UInt8(ascii: "\"") {
                    wasQuote = true
                    continue
                } else {
                    field.append(byte)
                    continue
                }
            }
            switch byte {
            case UInt8(ascii: ","): end()
            case 10:
                end()
                return fields
            case 13: continue
            case UInt8(ascii: "\"") where field.isEmpty: (isQuoted, isInside) = (true, true)
            default: field.append(byte)
            }
        }
        if isInside, !wasQuote { throw ToolError("A quote has no end.") }
        end()
        return fields
    }
}
