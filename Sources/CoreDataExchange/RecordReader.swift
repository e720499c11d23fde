// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the records of an export or a seed, one at a time, from JSON Lines or CSV.

package import Foundation

/// One object of an export or of a seed.
package struct ExchangeRecord {
    package let entity: String
    /// The part of the id after the entity: a key in an export, any text in a seed.
    package let name: String
    /// The key of a record of an export, which the reader has checked.
    package var key: Int64 { Int64(name) ?? 0 }
    /// By label: "title", or "address.city" for an element of a composite attribute. The values have the types that
    /// `JSONSerialization` returns.
    package let values: [String: Any]

    package init(_ id: String, _ values: [String: Any]) throws {
        (entity, name) = try Self.parts(id)
        self.values = values
    }

    /// The entity and the name of an id such as "Book/dune".
    package static func parts(_ id: String) throws -> (entity: String, name: String) {
        let parts = id.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            throw ExchangeError("'\(id)' is no object: ids are written as Book/3.")
        }
        return (String(parts[0]), String(parts[1]))
    }

    /// The entity and the key of an object of an export.
    package static func reference(_ text: String) throws -> (entity: String, key: Int64) {
        guard let (entity, name) = try? parts(text), let key = Int64(name) else {
            throw ExchangeError("'\(text)' is no object: ids are written as Book/3.")
        }
        return (entity, key)
    }
}

/// A file of records. Uses memory for one record, and for a piece of the file.
package final class RecordReader {
    private let lines: LineReader
    private let name: String
    private let columns: [String]?
    private let allowsNames: Bool

    /// The number of the last line that was read, from 1.
    package var line: Int { lines.number }

    /// - Throws: `ExchangeError` for a file that cannot be read, or a CSV file without a column `objectID`.
    ///
    /// - Parameter allowsNames: whether ids may have names in place of keys, as those of seeds do.
    package init(_ url: URL, allowsNames: Bool = false) throws {
        name = url.lastPathComponent
        self.allowsNames = allowsNames
        lines = try LineReader(url)
        guard url.pathExtension.lowercased() == "csv" else {
            columns = nil
            return
        }
        columns = try lines.nextCSV()?.map { $0 ?? "" }
        guard columns?.contains("objectID") == true else { throw ExchangeError("\(name) has no column 'objectID'.") }
    }

    /// nil at the end.
    ///
    /// - Throws: `ExchangeError` with file and line for a record that cannot be read.
    package func next() throws -> ExchangeRecord? {
        do {
            return try columns.map(nextCSV) ?? nextJSON()
        } catch let error as ExchangeError {
            throw ExchangeError("\(name):\(lines.number): \(error.description)")
        }
    }

    private func nextJSON() throws -> ExchangeRecord? {
        while let line = try lines.next() {
            if line.isEmpty { continue }
            let value = try ExactJSON.value(line)
            guard let object = value as? [String: Any], let id = object["objectID"] as? String else {
                throw ExchangeError("This line is no object with an 'objectID'.")
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
            return try record(id, values)
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
            throw ExchangeError("This line has \(fields.count) fields in place of \(columns.count).")
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
        guard let id else { throw ExchangeError("This line has no objectID.") }
        return try record(id, values)
    }

    private func record(_ id: String, _ values: [String: Any]) throws -> ExchangeRecord {
        if !allowsNames { _ = try ExchangeRecord.reference(id) }
        return try ExchangeRecord(id, values)
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
            throw ExchangeError("\(url.path) cannot be read: \((error as NSError).localizedDescription)")
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
        if isInside, !wasQuote { throw ExchangeError("A quote has no end.") }
        end()
        return fields
    }
}
