// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Describes the format of a store's file in lines, for comparisons between versions of the library.

import CoreData
import Foundation
import GoldenStores
import SQLiteDriver

/// The format of a file: tables, indexes and triggers with their SQL, or elements; keys of the metadata.
enum FormatFingerprint {
    static func lines(_ url: URL, _ variant: GoldenVariant) throws -> [String] {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: variant.type, at: url, options: nil)
        let keys = metadata.keys.sorted().map { "metadata \($0)" }
        switch variant.type {
        case NSSQLiteStoreType: return try keys + tables(url)
        case NSXMLStoreType: return try keys + elements(url)
        default: return try keys + [head(url)]
        }
    }

    private static func tables(_ url: URL) throws -> [String] {
        let connection = try Connection(url: url, options: .init(access: .readWrite))
        defer { try? connection.close() }
        let rows = try connection.rows("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name")
        let pragmas = try ["user_version", "application_id", "journal_mode", "auto_vacuum"].map { name in
            "\(name) \(try connection.pragma(name).map { "\($0)" } ?? "-")"
        }
        return pragmas + rows.map { row in row.map { $0.textValue ?? "-" }.joined(separator: " | ") }
    }

    /// The names of elements, each with those of its attributes.
    private static func elements(_ url: URL) throws -> [String] {
        let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        var found: Set<String> = []
        for match in text.matches(of: /<([A-Za-z]\w*)((?:\s+\w+="[^"]*")*)\s*\/?>/) {
            let attributes = match.output.2.matches(of: /(\w+)="/).map { String($0.output.1) }.sorted()
            found.insert("element \(match.output.1): \(attributes.joined(separator: " "))")
        }
        return found.sorted()
    }

    /// The mark and the version of a binary file.
    private static func head(_ url: URL) throws -> String {
        "head \(try Data(contentsOf: url).prefix(12).map { String($0, radix: 16) }.joined(separator: " "))"
    }
}

extension GoldenFormatTests {
    /// Adds an index to a database, as a change of the format would.
    static func addIndex(_ url: URL) throws {
        let connection = try Connection(url: url, options: .init(access: .readWrite))
        try connection.execute("CREATE INDEX NewIndex ON ZBOOK (ZTITLE)")
        try connection.close()
    }
}
