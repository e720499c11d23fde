// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Copies of a store: their large data, and the names of backups.

import CoreData
import Foundation
import Testing

@testable import CoreDataToolKit

@Suite("Copies of stores") struct StoreSnapshotTests {
    private func files(of store: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: StoreTables.largeDataFolder(of: store).path).sorted()
    }

    @Test("a copy has all files of large data, and lacks nothing that the store has") func largeData() throws {
        let clinic = try Clinic()
        let copy = clinic.folder.url.appendingPathComponent("Copy.sqlite")
        try StoreSnapshot.make(of: clinic.url, at: copy)
        #expect(try files(of: copy) == files(of: clinic.url) && !files(of: copy).isEmpty)
        var found: [DataDiff.Change] = []
        _ = try DataDiff(RowStore(clinic.url), RowStore(copy)).run { found.append($0) }
        #expect(found == [])
        #expect(try Doctor(copy).examine() == Doctor(clinic.url).examine())
    }

    @Test("backups of one moment are numbered, and keep the ending of the store") func numbers() throws {
        let garage = try Garage()
        let folder = garage.folder.url.appendingPathComponent("Backups")
        let now = Date(timeIntervalSinceReferenceDate: 0)
        let copies = try (1...3).map { _ in try StoreBackup.make(of: garage.url, in: folder, now: now) }
        let names = copies.map { $0.deletingPathExtension().lastPathComponent }
        #expect(names[0].hasPrefix("Garage before 2001-01-01 "))
        #expect(names == [names[0], names[0] + " 2", names[0] + " 3"])
        #expect(copies.allSatisfy { $0.pathExtension == "sqlite" })
        for copy in copies { #expect(try RowStore(copy).identifier == RowStore(garage.url).identifier) }
    }
}
