// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Stores that Apple's framework wrote, each with the model it was written with.

import FixtureFiles
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

/// A copy of a store in a separate folder, removed at the end.
final class StoreFixture {
    static let root = FixtureFolder.url
    static let areMissing = FixtureFolder.isMissing

    static let names: [String] = {
        let names = try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent("stores").path)
        return (names ?? []).filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
    }()

    /// The file lacks a column that its own version hashes demand.
    static let incomplete = "apptentive_apptentive-ios__ATDataModel~2.sqlite"

    /// They keep no model, and no source has their version hashes. The tool's tests read them by their tables.
    static let withoutModel: Set<String> = [
        "artsy_energy__ArtsyPartner_1.3.sqlite", "artsy_energy__ArtsyPartner_1.4.sqlite",
        "artsy_energy__ArtsyPartner_1.6.sqlite", "fruitsamples_iPhoneCoreDataRecipes__Recipes.sqlite",
    ]

    /// Stores of models that are among the fixtures.
    static let modeled = names.filter { !withoutModel.contains($0) }
    /// Stores of models that are among the fixtures, without the incomplete file.
    static let usable = modeled.filter { $0 != incomplete }

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

    /// The model in the store, or else the one among the fixtures with its version hashes.
    func model() throws -> NSManagedObjectModel? {
        let connection = try Connection(url: url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        if let model = try CachedModel.read(connection) { return model }
        let metadata = try StoreMetadata.read(connection, url: url)
        guard let hashes = NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) else { return nil }
        return Self.models[hashes].flatMap(NSManagedObjectModel.init(contentsOf:))
    }

    /// A new stack on the copy, which must stay as long.
    func stack() throws -> FixtureStack {
        let stack = try FixtureStack(url, try #require(try model()))
        stack.fixture = self
        return stack
    }

    /// The locations of the models with each set of version hashes.
    private static let models: [[String: Data]: URL] = {
        var result: [[String: Data]: URL] = [:]
        for url in modelURLs {
            guard let model = NSManagedObjectModel(contentsOf: url) else { continue }
            result[model.entityVersionHashesByName] = url
        }
        return result
    }()

    /// Every model source and compiled model of the fixtures.
    static let modelURLs: [URL] = {
        var result: [URL] = []
        for folder in ["models", "mom"] {
            let path = root.appendingPathComponent(folder)
            for name in ((try? FileManager.default.contentsOfDirectory(atPath: path.path)) ?? []).sorted()
            where [".contents.xml", ".elements.bplist", ".mom"].contains(where: name.hasSuffix) {
                result.append(path.appendingPathComponent(name))
            }
        }
        return result
    }()
}

extension Trait where Self == ConditionTrait {
    static var needsStoreFixtures: Self { .disabled(if: StoreFixture.areMissing, FixtureFolder.reason) }
}
