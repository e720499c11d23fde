// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The stores that Apple's framework wrote, as copies that a test may open.

import FixtureFiles
import Foundation
import Testing

@testable import CoreDataToolKit

extension Tag {
    /// The test states our decision, because no file of Apple's shows another one.
    @Tag static var assumed: Self
}

enum FixtureStores {
    static let root = FixtureFolder.url

    static let areMissing = FixtureFolder.isMissing

    /// Names of stores, without the files that SQLite keeps next to them.
    static let names = files("stores").filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }

    /// Those that keep a copy of their model.
    static let withModel = names.filter { name in
        (try? OpenedStore(root.appendingPathComponent("stores/\(name)")))?.origin == .cache
    }

    static let modelSources = files("models").filter { $0.hasSuffix(".xml") || $0.hasSuffix(".bplist") }

    static func model(_ name: String) -> URL { root.appendingPathComponent("models/\(name)") }

    private static func files(_ folder: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)
        return (names ?? []).sorted()
    }
}

extension Trait where Self == ConditionTrait {
    static var needsFixtures: Self { .disabled(if: FixtureStores.areMissing, FixtureFolder.reason) }
}

/// A separate folder for one test.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("toolkit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// A copy of a fixture with its WAL; SQLite makes the WAL index.
    func store(_ name: String) throws -> URL {
        let copy = url.appendingPathComponent(name)
        for suffix in ["", "-wal"] {
            let original = FixtureStores.root.appendingPathComponent("stores/\(name)\(suffix)")
            guard FileManager.default.fileExists(atPath: original.path) else { continue }
            try FileManager.default.copyItem(atPath: original.path, toPath: copy.path + suffix)
        }
        return copy
    }

    var contents: [String: Date] {
        get throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
            return try Dictionary(
                uniqueKeysWithValues: names.map { name in
                    let path = url.appendingPathComponent(name).path
                    let attributes = try FileManager.default.attributesOfItem(atPath: path)
                    return (name, attributes[.modificationDate] as? Date ?? .distantPast)
                })
        }
    }
}
