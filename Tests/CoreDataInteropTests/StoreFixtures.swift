// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Stores that Apple's framework wrote, each with the model it was written with.

import CoreDataModelFiles
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

/// A copy of a store in a folder of its own, removed at the end.
final class StoreFixture {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("shared/fixtures")
    static let areMissing = !FileManager.default.fileExists(atPath: root.path)

    static let names: [String] = {
        let names = try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent("stores").path)
        return (names ?? []).filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
    }()

    /// The file lacks a column that its own version hashes demand.
    static let incomplete = "apptentive_apptentive-ios__ATDataModel~2.sqlite"

    let name: String
    let url: URL
    private let folder: URL

    init(_ name: String) throws {
        self.name = name
        let manager = FileManager.default
        folder = manager.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appendingPathComponent(name)
        for suffix in ["", "-wal"] {
            let source = Self.root.appendingPathComponent("stores/\(name)\(suffix)")
            if manager.fileExists(atPath: source.path) {
                try manager.copyItem(at: source, to: folder.appendingPathComponent(name + suffix))
            }
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The model in the store, or the one among the fixtures that has its version hashes; nil when there is none.
    func model() throws -> NSManagedObjectModel? {
        let connection = try Connection(url: url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        if let model = try CachedModel.read(connection) { return model }
        let metadata = try StoreMetadata.read(connection, url: url)
        guard let hashes = NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) else { return nil }
        return Self.models.first { $0.entityVersionHashesByName == hashes }
    }

    private static let models: [NSManagedObjectModel] = {
        var result: [NSManagedObjectModel] = []
        let manager = FileManager.default
        for folder in ["models", "mom"] {
            let path = root.appendingPathComponent(folder)
            for name in ((try? manager.contentsOfDirectory(atPath: path.path)) ?? []).sorted() {
                guard let data = try? Data(contentsOf: path.appendingPathComponent(name)) else { continue }
                let document =
                    name.hasSuffix(".xml")
                    ? try? ModelXMLReader.read(data)
                    : name.hasSuffix(".mom") ? try? KeyedModelReader.read(data) : nil
                if let document { result.append(NSManagedObjectModel(document: document)) }
            }
        }
        return result
    }()
}

extension Trait where Self == ConditionTrait {
    static var needsStoreFixtures: Self { .disabled(if: StoreFixture.areMissing, "needs ../shared/fixtures") }
}
