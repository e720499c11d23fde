// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the golden stores, and copies them for tests.

import CoreData
import Foundation
import GoldenStores
import Testing

/// One golden store: a variant as a commit wrote it.
struct GoldenStore: Sendable, CustomTestStringConvertible {
    let folder: URL
    let variant: GoldenVariant
    /// "002-2026-11-27-d06f8447".
    var set: String { folder.lastPathComponent }
    var testDescription: String { "\(set)/\(variant.rawValue)" }

    /// Tests/Data/golden of this checkout.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Data/golden")

    /// The folders of all commits, the earliest first.
    static let sets: [URL] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
        return names.filter { !$0.hasPrefix(".") }.sorted().map { root.appendingPathComponent($0) }
    }()

    static let all: [GoldenStore] = sets.flatMap(stores)

    /// The stores that the newest commit wrote.
    static let newest: [GoldenStore] = sets.last.map(stores) ?? []

    private static func stores(_ folder: URL) -> [GoldenStore] {
        GoldenVariant.allCases
            .filter { FileManager.default.fileExists(atPath: folder.appendingPathComponent($0.fileName).path) }
            .map { GoldenStore(folder: folder, variant: $0) }
    }

    static func of(_ variants: Set<GoldenVariant>) -> [GoldenStore] { all.filter { variants.contains($0.variant) } }

    /// The contents that the commit wrote down.
    func recorded() throws -> String {
        let file = folder.appendingPathComponent(variant.rawValue + ".txt")
        return String(decoding: try Data(contentsOf: file), as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    /// The files of the store and their names.
    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasPrefix(variant.fileName) || $0 == ".\(variant.rawValue)_SUPPORT"
        }
    }

    /// Calls the body with a copy, which is removed afterwards.
    func withCopy<T>(_ body: (URL) throws -> T) throws -> T {
        try TemporaryPlace.with { place in
            for name in try files() {
                try FileManager.default.copyItem(
                    at: folder.appendingPathComponent(name), to: place.appendingPathComponent(name))
            }
            return try body(place.appendingPathComponent(variant.fileName))
        }
    }

    /// Opens a store with the options of the variant, and with further ones.
    func open<T>(
        _ url: URL, model: NSManagedObjectModel? = nil, migrates: Bool = false,
        _ body: (NSManagedObjectContext) throws -> T
    ) throws -> T {
        var options = migrates ? GoldenVariant.migrating(variant.options) : variant.options
        // XML and binary stores keep no model.
        if migrates { options[MigrationOption.versions] = [GoldenModel.first()] }
        return try GoldenVariant.open(url, variant.type, options, model ?? variant.model, body)
    }
}

enum TemporaryPlace {
    static func with<T>(_ body: (URL) throws -> T) throws -> T {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("golden-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        return try body(place)
    }
}
