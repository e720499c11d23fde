// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Recovery of stores with overwritten, missing or swapped pages.

import CoreData
import Foundation
import SQLiteDriver
import Testing

@testable import CoreDataToolKit

@Suite("Recovery") struct RecoveryTests {
    /// A garage with enough cars for a tree of pages, in one file without a log.
    private func largeGarage() throws -> Garage {
        let garage = try Garage(cars: 1500)
        let connection = try Connection(url: garage.url, options: .init(access: .readWrite))
        _ = try connection.checkpoint(.truncate)
        try connection.close()
        return garage
    }

    private func recover(_ garage: Garage, model: Bool = false) throws -> (StoreRecovery.Report, URL) {
        let new = garage.folder.url.appendingPathComponent("New-\(UUID().uuidString).sqlite")
        let report = try StoreRecovery.run(garage.url, to: new, model: model ? garage.model : nil)
        return (report, new)
    }

    private func pages(of table: String, _ garage: Garage) throws -> [Int] {
        let connection = try Connection(url: garage.url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        return try connection.rows(
            "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno", [.text(table)]
        ).compactMap { $0[0].integerValue.map(Int.init) }
    }

    private func change(_ garage: Garage, _ body: (inout Data) -> Void) throws {
        var bytes = try Data(contentsOf: garage.url)
        body(&bytes)
        try bytes.write(to: garage.url)
    }

    private func range(_ page: Int) -> Range<Int> { (page - 1) * 4096..<page * 4096 }

    private func rows(_ report: StoreRecovery.Report, _ table: String) -> Int {
        report.tables.first { $0.name == table }?.rows ?? 0
    }

    @Test("a sound store comes back whole") func sound() throws {
        let clinic = try Clinic()
        let new = clinic.folder.url.appendingPathComponent("New.sqlite")
        let report = try StoreRecovery.run(clinic.url, to: new)
        #expect(!report.hasLosses, "\(report)")
        var found: [DataDiff.Change] = []
        _ = try DataDiff(RowStore(clinic.url), RowStore(new)).run { found.append($0) }
        #expect(found == [])
        #expect(try Doctor(new).examine().filter { $0.severity != .note } == [])
        #expect(try RowStore(new).identifier == RowStore(clinic.url).identifier)
    }

    @Test("stores of Apple's framework come back whole", .needsFixtures, arguments: FixtureStores.withModel)
    func fixtures(_ name: String) throws {
        let folder = try TemporaryFolder()
        let url = try folder.store(name)
        let new = folder.url.appendingPathComponent("New.sqlite")
        let report = try StoreRecovery.run(url, to: new)
        #expect(report.unreadablePages.isEmpty && report.damagedCells == 0 && report.conflicts == 0, "\(report)")
        let counts = try DataDiff(RowStore(url), RowStore(new)).run { _ in }
        #expect(counts.removed == 0 && counts.added == 0 && counts.changed == 0, "\(counts)")
    }

    @Test("an overwritten page costs only its rows") func overwritten() throws {
        let garage = try largeGarage()
        let leaf = try #require(try pages(of: "ZCAR", garage).dropFirst(3).first)
        try change(garage) { $0.replaceSubrange(range(leaf), with: Data(repeating: 0xAB, count: 4096)) }
        let (report, new) = try recover(garage)
        #expect(report.unreadablePages == [leaf])
        #expect(rows(report, "ZCAR") > 1400 && rows(report, "ZCAR") < 1500 && rows(report, "ZPERSON") == 2)
        #expect(try Doctor(new).examine().filter { $0.severity != .note } == [])
    }

    @Test("pages that lie beyond the end of a cut file are missing") func cut() throws {
        let garage = try largeGarage()
        let size = ReadLocation.size(garage.url.path)
        #expect(truncate(garage.url.path, off_t(size / 4096 * 3 / 4 * 4096)) == 0)
        let (report, new) = try recover(garage)
        #expect(rows(report, "ZCAR") > 300 && report.hasLosses)
        #expect(try Doctor(new).examine().filter { $0.severity == .error } == [])
    }

    @Test("pages that changed places give their rows to the right tables") func swapped() throws {
        let garage = try largeGarage()
        let car = try #require(try pages(of: "ZCAR", garage).dropFirst(2).first)
        let person = try #require(try pages(of: "ZPERSON", garage).first)
        try change(garage) { bytes in
            let (one, other) = (bytes.subdata(in: range(car)), bytes.subdata(in: range(person)))
            bytes.replaceSubrange(range(car), with: other)
            bytes.replaceSubrange(range(person), with: one)
        }
        let (report, new) = try recover(garage)
        #expect(rows(report, "ZCAR") == 1500 && rows(report, "ZPERSON") == 2, "\(report)")
        #expect(try Doctor(new).examine().filter { $0.severity != .note } == [])
    }

    @Test("without the first page, the given model assigns rows to entities") func header() throws {
        let garage = try largeGarage()
        try change(garage) { $0.replaceSubrange(range(1), with: Data(repeating: 0, count: 4096)) }
        let (report, new) = try recover(garage, model: true)
        #expect(rows(report, "ZCAR") == 1500 && rows(report, "ZPERSON") == 2, "\(report)")
        #expect(try Doctor(new).examine().filter { $0.severity == .error } == [])
    }

    @Test("objects that others refer to and that are lost are named, and references to them are empty") func lost()
        throws
    {
        let garage = try largeGarage()
        let person = try #require(try pages(of: "ZPERSON", garage).first)
        try change(garage) { $0.replaceSubrange(range(person), with: Data(repeating: 0xFF, count: 4096)) }
        let (report, new) = try recover(garage)
        #expect(report.lostObjects == ["Person/1", "Person/2"])
        let connection = try Connection(url: new, options: .init(access: .readOnly))
        #expect(try connection.value("SELECT COUNT(*) FROM ZCAR WHERE ZOWNER IS NOT NULL") == 0)
        try connection.close()
    }

    @Test("a derived number of members counts those that are left") func derivedCount() throws {
        let clinic = try Clinic()
        try clinic.execute(
            """
            WITH RECURSIVE N(I) AS (SELECT 100 UNION ALL SELECT I + 1 FROM N WHERE I < 500)
            INSERT INTO ZBEING (Z_PK, Z_ENT, Z_OPT, ZNAME, ZAGE, ZPHYSICIAN, Z_FOK_PHYSICIAN)
            SELECT I, (SELECT Z_ENT FROM ZBEING WHERE Z_PK = 1), 1, 'patient ' || hex(zeroblob(50)), 4, 7, I * 1024 FROM N
            """, "UPDATE Z_PRIMARYKEY SET Z_MAX = 500 WHERE Z_NAME = 'Being'",
            "UPDATE ZBEING SET ZLOAD = 407 WHERE Z_PK = 7")
        let connection = try Connection(url: clinic.url, options: .init(access: .readOnly))
        let leaf = try connection.rows(
            "SELECT pageno FROM dbstat WHERE name = 'ZBEING' AND pagetype = 'leaf' ORDER BY path"
        ).compactMap { $0[0].integerValue.map(Int.init) }.dropFirst(2).first
        try connection.close()
        var bytes = try Data(contentsOf: clinic.url)
        bytes.replaceSubrange(range(try #require(leaf)), with: Data(repeating: 0xAB, count: 4096))
        try bytes.write(to: clinic.url)
        let new = clinic.folder.url.appendingPathComponent("New.sqlite")
        let report = try StoreRecovery.run(clinic.url, to: new)
        #expect(report.unreadablePages == [try #require(leaf)])
        let store = try Connection(url: new, options: .init(access: .readOnly))
        let load = try store.value("SELECT ZLOAD FROM ZBEING WHERE Z_PK = 7")?.integerValue ?? 0
        #expect(load > 300 && load < 407)
        #expect(try store.value("SELECT COUNT(*) FROM ZBEING WHERE ZPHYSICIAN = 7")?.integerValue == load)
        try store.close()
        #expect(try Doctor(new).examine().filter { $0.rule == "derived.value" } == [])
    }

    @Test("rows that a tree reaches are counted apart from rows of stray pages") func stray() throws {
        let garage = try largeGarage()
        let (whole, _) = try recover(garage)
        #expect(rows(whole, "ZCAR") == 1500 && whole.tables.allSatisfy { $0.unreachedRows == 0 }, "\(whole)")
        let connection = try Connection(url: garage.url, options: .init(access: .readOnly))
        let root = try connection.value("SELECT rootpage FROM sqlite_master WHERE name = 'ZCAR'")?.integerValue
        try connection.close()
        let page = try #require(root.map(Int.init))
        try change(garage) { $0.replaceSubrange(range(page), with: Data(repeating: 0xAB, count: 4096)) }
        let (report, _) = try recover(garage)
        #expect(report.unreadablePages == [page] && rows(report, "ZCAR") == 1500)
        #expect(report.tables.map(\.unreachedRows) == report.tables.map { $0.name == "ZCAR" ? 1500 : 0 })
    }

    @Test("objects that were deleted do not come back") func deleted() throws {
        let garage = try largeGarage()
        try garage.execute("PRAGMA secure_delete = OFF", "DELETE FROM ZCAR WHERE Z_PK > 100")
        let connection = try Connection(url: garage.url, options: .init(access: .readOnly))
        #expect(try connection.value("PRAGMA freelist_count")?.integerValue ?? 0 > 50)
        try connection.close()
        let (report, new) = try recover(garage)
        #expect(rows(report, "ZCAR") == 100)
        let store = try Connection(url: new, options: .init(access: .readOnly))
        #expect(try store.value("SELECT MAX(Z_PK) FROM ZCAR") == 100)
        try store.close()
    }

    @Test("a row with an unreadable end is counted, and keeps the values before it") func cutRow() throws {
        let garage = try Garage(cars: 2, photo: Data(repeating: 7, count: 50_000))
        let connection = try Connection(url: garage.url, options: .init(access: .readOnly))
        let overflow = try connection.rows(
            "SELECT pageno FROM dbstat WHERE name = 'ZCAR' AND pagetype = 'overflow' ORDER BY path"
        ).compactMap { $0[0].integerValue.map(Int.init) }.first
        try connection.close()
        // No page follows this one.
        let page = try #require(overflow)
        try change(garage) { $0.replaceSubrange(range(page), with: Data(repeating: 0, count: 4096)) }
        let (report, new) = try recover(garage)
        #expect(report.cutRows == 1 && rows(report, "ZCAR") == 2, "\(report)")
        let store = try Connection(url: new, options: .init(access: .readOnly))
        #expect(try store.value("SELECT COUNT(*) FROM ZCAR WHERE ZNAME LIKE 'car _'") == 2)
        #expect(try store.value("SELECT COUNT(*) FROM ZCAR WHERE ZPHOTO IS NOT NULL") == 1)
        try store.close()
    }

    @Test("rows get the numbers that their entities have in the new store") func entityNumbers() throws {
        let garage = try Garage()
        for (table, name, number) in [("ZCAR", "Car", 71), ("ZPERSON", "Person", 72)] {
            try garage.execute(
                "UPDATE Z_PRIMARYKEY SET Z_ENT = \(number) WHERE Z_NAME = '\(name)'",
                "UPDATE \(table) SET Z_ENT = \(number)")
        }
        let (report, new) = try recover(garage)
        #expect(rows(report, "ZCAR") == 5 && rows(report, "ZPERSON") == 2, "\(report)")
        #expect(try Doctor(new).examine().filter { $0.severity != .note } == [])
        let store = try Connection(url: new, options: .init(access: .readOnly))
        let numbers = "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Car'"
        #expect(try store.value("SELECT COUNT(*) FROM ZCAR WHERE Z_ENT = (\(numbers))") == 5)
        try store.close()
    }

    @Test(
        "a log counts up to the first frame that SQLite would not read: salt, checksum or content are damaged",
        arguments: [8, 16, 24])
    func damagedLog(offset: Int) throws {
        let garage = try Garage()
        let writer = try Connection(url: garage.url, options: .init(access: .readWrite))
        try writer.execute("PRAGMA wal_autocheckpoint = 0")
        for name in ["first", "second"] { try writer.execute("UPDATE ZCAR SET ZNAME = '\(name)' WHERE Z_PK = 1") }
        let copy = garage.folder.url.appendingPathComponent("Copy.sqlite")
        for ending in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: garage.url.path + ending, toPath: copy.path + ending)
        }
        try writer.close()
        func name() throws -> SQLiteValue? {
            let new = garage.folder.url.appendingPathComponent("New-\(UUID().uuidString).sqlite")
            _ = try StoreRecovery.run(copy, to: new)
            let connection = try Connection(url: new, options: .init(access: .readOnly))
            defer { try? connection.close() }
            return try connection.value("SELECT ZNAME FROM ZCAR WHERE Z_PK = 1")
        }
        #expect(try name() == "second")
        var log = try Data(contentsOf: URL(fileURLWithPath: copy.path + "-wal"))
        log[log.count - (24 + 4096) + offset] ^= 1
        try log.write(to: URL(fileURLWithPath: copy.path + "-wal"))
        #expect(try name() == "first")
    }

    @Test("the pages that an open transaction has written to the log do not count") func openTransaction() throws {
        let garage = try largeGarage()
        let writer = try Connection(url: garage.url, options: .init(access: .readWrite))
        try writer.execute("PRAGMA wal_autocheckpoint = 0")
        try writer.execute("PRAGMA cache_size = 10")
        try writer.begin(.immediate)
        try writer.execute("UPDATE ZCAR SET ZNAME = 'open'")
        #expect(ReadLocation.size(garage.url.path + "-wal") > 20 * 4096)
        let (report, new) = try recover(garage)
        try writer.rollback()
        try writer.close()
        #expect(rows(report, "ZCAR") == 1500)
        let connection = try Connection(url: new, options: .init(access: .readOnly))
        #expect(try connection.value("SELECT COUNT(*) FROM ZCAR WHERE ZNAME = 'open'") == 0)
        try connection.close()
    }

    @Test("the committed part of a log counts, and the damaged file is only read") func log() throws {
        let garage = try Garage()
        let writer = try Connection(url: garage.url, options: .init(access: .readWrite))
        try writer.execute("PRAGMA wal_autocheckpoint = 0")
        try writer.execute("UPDATE ZCAR SET ZNAME = 'in the log' WHERE Z_PK = 1")
        let before = try Data(contentsOf: garage.url)
        let (report, new) = try recover(garage)
        #expect(rows(report, "ZCAR") == 5)
        #expect(try Data(contentsOf: garage.url) == before)
        let connection = try Connection(url: new, options: .init(access: .readOnly))
        #expect(try connection.value("SELECT ZNAME FROM ZCAR WHERE Z_PK = 1") == "in the log")
        try connection.close()
        try writer.close()
    }
}
