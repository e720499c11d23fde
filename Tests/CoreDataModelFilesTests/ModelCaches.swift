// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Extracts the model caches from the stores that Apple's framework wrote.

import CSQLite
import Foundation
import ModelFilesTestSupport
import Testing

@testable import CoreDataModelFiles

enum ModelCaches {
    /// The compressed caches by store name; stores from before 2015 have none.
    static func all() throws -> [(name: String, content: Data)] {
        try FileManager.default.contentsOfDirectory(atPath: Fixtures.root.appendingPathComponent("stores").path)
            .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
            .compactMap { name in content(of: name).map { (name, $0) } }
    }

    static func document(_ store: String) throws -> ModelDocument {
        let cache = try #require(Self.content(of: store))
        return try KeyedModelReader.read(try RawDeflate.inflate(cache))
    }

    private static func content(of store: String) -> Data? {
        let file = Fixtures.root.appendingPathComponent("stores/\(store)")
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        // Immutable, so that no file is written next to the fixtures; their logs never contain the cache.
        let uri = "file:\(file.path)?immutable=1"
        guard sqlite3_open_v2(uri, &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil) == SQLITE_OK else {
            return nil
        }
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(database, "SELECT Z_CONTENT FROM Z_MODELCACHE", -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW, let bytes = sqlite3_column_blob(statement, 0)
        else { return nil }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, 0)))
    }
}
