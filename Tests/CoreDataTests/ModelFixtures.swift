// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the models that Apple's tools wrote, for the tests of the model room.

import CSQLite
import FixtureFiles
import Foundation
import Testing

@testable import CoreData
@testable import CoreDataModelFiles

extension Tag {
    /// Apple's documentation supports the expectation; the framework was not observed.
    @Tag static var assumed: Self
}

enum ModelFixtures {
    static var areHere: Bool { !FixtureFolder.isMissing }

    static func names(in folder: String, ending suffix: String) -> [String] {
        let path = FixtureFolder.url.appendingPathComponent(folder).path
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { $0.hasSuffix(suffix) }
            .sorted()
    }

    static func data(_ folder: String, _ name: String) throws -> Data {
        try Data(contentsOf: FixtureFolder.url.appendingPathComponent("\(folder)/\(name)"))
    }

    static func source(_ name: String) throws -> NSManagedObjectModel {
        NSManagedObjectModel(document: try ModelXMLReader.read(try data("models", name)))
    }

    static func compiled(_ name: String) throws -> NSManagedObjectModel {
        NSManagedObjectModel(document: try KeyedModelReader.read(try data("mom", name)))
    }
}

extension Data {
    var hex: String { map { String(format: "%02x", $0) }.joined() }
}

/// The models that stores keep, with the metadata of the same stores.
enum StoreFixtures {
    static func all() throws -> [(name: String, metadata: Data, modelCache: Data)] {
        ModelFixtures.names(in: "stores", ending: "").compactMap { name in
            guard let metadata = blob("SELECT Z_PLIST FROM Z_METADATA", in: name),
                let cache = blob("SELECT Z_CONTENT FROM Z_MODELCACHE", in: name)
            else { return nil }
            return (name, metadata, cache)
        }
    }

    private static func blob(_ sql: String, in store: String) -> Data? {
        let path = FixtureFolder.url.appendingPathComponent("stores/\(store)").path
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        // Immutable, so that no file is written next to the fixtures.
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        guard sqlite3_open_v2("file:\(path)?immutable=1", &database, flags, nil) == SQLITE_OK else { return nil }
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW,
            let bytes = sqlite3_column_blob(statement, 0)
        else { return nil }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, 0)))
    }
}
