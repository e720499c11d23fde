// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States what this version does with stores that SwiftData wrote in earlier ones.

import CoreData
import CoreDataTesting
import Foundation
import GoldenStores
import GoldenSwiftData
import SwiftData
import Testing

/// Proves: GoldenStores-G1, G3, G7, G8
@Suite("Golden stores of SwiftData") struct GoldenSwiftDataTests {
    static let sets = GoldenStore.sets.filter {
        FileManager.default.fileExists(atPath: $0.appendingPathComponent(GoldenHousehold.fileName).path)
    }

    private static func withCopy<T>(_ set: URL, _ body: (URL) throws -> T) throws -> T {
        try TemporaryPlace.with { folder in
            let copy = folder.appendingPathComponent(GoldenHousehold.fileName)
            try FileManager.default.copyItem(at: set.appendingPathComponent(GoldenHousehold.fileName), to: copy)
            return try body(copy)
        }
    }

    private static func contents(_ url: URL, changes: Bool) throws -> StoreContents {
        let container = try GoldenHousehold.container(at: url)
        if changes { try GoldenHousehold.change(container) }
        let contents = try StoreContents(of: container.persistentStoreCoordinator)
        try GoldenHousehold.close(container)
        return contents
    }

    @Test("the newest set has one")
    func isComplete() throws {
        #expect(try #require(GoldenStore.sets.last).path == Self.sets.last?.path)
    }

    @Test("open with the contents that their commit wrote down", arguments: sets)
    func opening(set: URL) throws {
        let recorded = try String(contentsOf: set.appendingPathComponent("swiftData.txt"), encoding: .utf8)
        let contents = try Self.withCopy(set) { try Self.contents($0, changes: false) }
        try contents.verify(StoreContents(text: recorded.trimmingCharacters(in: .newlines)))
        #expect(contents.text.contains("GoldenPerson \"Zoë\""))
    }

    @Test("take changes as a new store does", arguments: sets)
    func changes(set: URL) throws {
        let contents = try Self.withCopy(set) { try Self.contents($0, changes: true) }
        let expected = try TemporaryPlace.with { folder in
            try GoldenHousehold.write(in: folder)
            return try Self.contents(folder.appendingPathComponent(GoldenHousehold.fileName), changes: true)
        }
        try contents.verify(expected)
        #expect(contents.text.contains("GoldenPerson \"New\"") && !contents.text.contains("Zoë"))
    }

    @Test("the format is that of the newest one")
    func format() throws {
        let golden = try Self.withCopy(try #require(Self.sets.last)) { try FormatFingerprint.lines($0, .plain) }
        let current = try TemporaryPlace.with { folder in
            try GoldenHousehold.write(in: folder)
            return try FormatFingerprint.lines(folder.appendingPathComponent(GoldenHousehold.fileName), .plain)
        }
        #expect(golden.count > 3)
        #expect(current == golden, GoldenFormatTests.remedy)
    }
}
