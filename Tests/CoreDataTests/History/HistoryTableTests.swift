// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The history on disk: tables, key rows, values, number of statements, and the answers to damaged tables.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Synchronization
import Testing

@testable import CoreData

extension HistoryCheck {
    /// The failed checks.
    static func failures(_ url: URL) throws -> [String] {
        let connection = try Connection(url: url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        return try (ofChanges + ofTransactions).filter { try connection.value($0)?.integerValue ?? 0 != 0 }
    }
}

@Suite("History tables") struct HistoryTableTests {
    private static func model() -> NSManagedObjectModel {
        let model = BookshopModel.make()
        model.entitiesByName["Book"]?.attributesByName["title"]?.preservesValueInHistoryOnDeletion = true
        return model
    }

    private func stack() throws -> Stack {
        try Stack(.sqlite, Self.model(), options: [NSPersistentHistoryTrackingKey: true])
    }

    private func rows(_ stack: Stack, _ sql: String) throws -> [[SQLiteValue]] {
        let connection = try Connection(url: stack.url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        return try connection.rows(sql)
    }

    private func write(_ stack: Stack, _ sql: String) throws {
        let connection = try Connection(url: stack.url, options: .init(access: .readWrite))
        defer { try? connection.close() }
        try connection.execute(sql)
    }

    private func add(_ count: Int, to stack: Stack) throws {
        for number in 0..<count { Book(context: stack.context).title = "Book \(number)" }
        try stack.context.save()
    }

    /// Proves: H31
    @Test("tables and indexes come after the others, as Apple's framework makes them")
    func schema() throws {
        let stack = try stack()
        let texts = try rows(stack, "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid").map {
            $0[0].textValue
        }
        #expect(
            texts.suffix(11) == [
                "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB )",
                "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )",
                "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )",
                "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
                "CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
                "CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
                "CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
                "CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
                "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
                "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)",
                "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
            ])
        let keys = try rows(
            stack, "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY Z_ENT")
        #expect(
            keys == [
                [16_001, "CHANGE", 0, 0], [16_002, "TRANSACTION", 0, 0], [16_003, "TRANSACTIONSTRING", 0, 0],
            ])
    }

    /// Proves: H5, H31
    @Test("rows have the values of Apple's rows")
    func values() throws {
        let stack = try stack()
        stack.context.transactionAuthor = "me"
        let (one, other) = (Book(context: stack.context), Book(context: stack.context))
        (one.title, other.title) = ("Dune", "Emma")
        try stack.context.save()
        one.pages = 412
        stack.context.delete(other)
        try stack.context.save()
        #expect(try HistoryCheck.failures(stack.url) == [])
        let book = try rows(stack, "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'")[0][0]
        let changes = try rows(
            stack,
            "SELECT Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZTOMBSTONE0 FROM ACHANGE")
        #expect(
            changes == [
                [1, 16_001, .null, 0, book, 1, 1, .null], [2, 16_001, .null, 0, book, 2, 1, .null],
                [3, 16_001, .null, 1, book, 1, 2, .null], [4, 16_001, .null, 2, book, 2, 2, "Emma"],
            ])
        // author, chapters, cover, identifier, inPrint, keywords, page, pages, price, published, rating, tags, title.
        #expect(try rows(stack, "SELECT ZCOLUMNS FROM ACHANGE WHERE Z_PK = 3") == [[.blob(Data([0x01, 0x00]))]])
        let transactions = try rows(
            stack,
            "SELECT Z_PK, Z_ENT, Z_OPT, ZAUTHOR, ZBUNDLEID, ZCONTEXTNAME, ZPROCESSID, ZQUERYGEN, ZCONTEXTNAMETS, "
                + "(SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = ZAUTHORTS), "
                + "(SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = ZPROCESSIDTS) FROM ATRANSACTION")
        let process = SQLiteValue.text(ProcessInfo.processInfo.processName)
        #expect(
            transactions == [
                [1, 16_002, .null, .null, .null, .null, .null, .null, .null, "me", process],
                [2, 16_002, .null, .null, .null, .null, .null, .null, .null, "me", process],
            ])
        #expect(try rows(stack, "SELECT DISTINCT Z_ENT, Z_OPT FROM ATRANSACTIONSTRING") == [[16_003, .null]])
    }

    /// Proves: H31
    @Test("a to-one relationship with an entity column has two bits")
    func twoBits() throws {
        let (owner, base, sub) = (
            NSEntityDescription("Owner"), NSEntityDescription("Base"), NSEntityDescription("Sub")
        )
        owner.attribute("first", .stringAttributeType)
        owner.attribute("zero", .stringAttributeType)
        owner.relate("thing", .one, to: base, inverse: "owners", .many)
        base.subentities = [sub]
        let stack = try Stack(
            .sqlite, NSManagedObjectModel(owner, base, sub), options: [NSPersistentHistoryTrackingKey: true])
        let (one, thing) = (
            NSManagedObject(entity: owner, insertInto: stack.context),
            NSManagedObject(entity: sub, insertInto: stack.context)
        )
        try stack.context.save()
        one.setValue(thing, forKey: "thing")
        try stack.context.save()
        let number = try #require(try rows(stack, "SELECT Z_ENT FROM ZOWNER").first?[0].integerValue)
        // first, thing and its entity, zero.
        let blobs = try rows(stack, "SELECT ZCOLUMNS FROM ACHANGE WHERE ZCHANGETYPE = 1 AND ZENTITY = \(number)")
        #expect(blobs == [[.blob(Data([0x60]))]])
        let schema = try #require(try (stack.store as? SQLiteStore)?.opened().schema)
        let columns = HistoryColumns(try #require(schema.entities.first { $0.layout.name == "Owner" }))
        #expect(columns.slots(Data([0x20]))?.slots == columns.slots(Data([0x60]))?.slots)
        #expect(columns.slots(Data([0x60, 0])) == nil)
    }

    @Test("a save takes two statements more, and one more for each new name", arguments: [1, 32, 33, 100])
    func statements(count: Int) throws {
        func statements(_ options: [AnyHashable: Any]) throws -> (Int, Int) {
            let stack = try Stack(.sqlite, Self.model(), options: options)
            try add(1, to: stack)
            func save(_ author: String?) throws -> Int {
                stack.context.transactionAuthor = author
                let counter = try StatementCounter(stack.store)
                try add(count, to: stack)
                return counter.statements.count
            }
            return (try save(nil), try save("new"))
        }
        let (plain, _) = try statements([:])
        let (recorded, named) = try statements([NSPersistentHistoryTrackingKey: true])
        #expect(recorded - plain == 1 + (count + 31) / 32)
        #expect(named - recorded == 1)
    }

    /// Proves: H31
    @Test("a transaction in parts is like one in a piece")
    func parts() throws {
        let stack = try stack()
        try add(2, to: stack)
        let database = try #require(try (stack.store as? SQLiteStore)?.opened())
        let history = try #require(database.history.value)
        let layout = try #require(database.schema.entities.first { $0.layout.name == "Book" }).layout
        let number = try database.pool.write { connection in
            try connection.write {
                var parts = HistoryParts(history, author: "batch", contextName: nil)
                for start in [Int64(100), 200] {
                    var part = RecordedChanges(author: nil, contextName: nil)
                    for key in start..<(start + 40) { part.insert(layout, key) }
                    try parts.add(part, on: connection)
                }
                return try parts.finish(on: connection)
            }
        }
        #expect(number == 2)
        try add(1, to: stack)
        #expect(try HistoryCheck.failures(stack.url) == [])
        #expect(try rows(stack, "SELECT count(*), max(Z_PK) FROM ACHANGE WHERE ZTRANSACTIONID = 2") == [[80, 82]])
        let none = try database.pool.write { try HistoryParts(history, author: nil, contextName: nil).finish(on: $0) }
        #expect(none == nil)
    }

    /// Proves: B20, H6
    @Test("a batch insertion of more rows than are kept in memory is one transaction", arguments: [4_095, 10_000])
    func batch(count: Int) throws {
        let stack = try stack()
        stack.context.transactionAuthor = "import"
        try stack.context.execute(
            NSBatchInsertRequest(entityName: "Book", objects: (0..<count).map { ["title": "\($0)"] }))
        try add(1, to: stack)
        #expect(try HistoryCheck.failures(stack.url) == [])
        let changes = try rows(
            stack, "SELECT count(*), min(ZENTITYPK), max(ZENTITYPK) FROM ACHANGE WHERE ZTRANSACTIONID = 1")
        #expect(changes == [[.integer(Int64(count)), 1, .integer(Int64(count))]])
        #expect(try rows(stack, "SELECT count(*) FROM ATRANSACTION") == [[2]])
    }

    /// Proves: H22, H23
    @Test("a purge removes unused names, keeps the checks true and gives pages back")
    func purge() throws {
        let stack = try stack()
        stack.context.transactionAuthor = "former"
        for _ in 0..<3 { try add(6_000, to: stack) }
        stack.context.transactionAuthor = "present"
        try add(2, to: stack)
        let pages = try rows(stack, "PRAGMA page_count")[0][0].integerValue ?? 0
        try (stack.store as? SQLiteStore)?.deleteHistory(below: 4)
        #expect(try HistoryCheck.failures(stack.url) == [])
        #expect(try rows(stack, "SELECT count(*) FROM ACHANGE") == [[2]])
        #expect(try rows(stack, "SELECT count(*) FROM ATRANSACTIONSTRING WHERE ZNAME = 'former'") == [[0]])
        #expect(try rows(stack, "PRAGMA page_count")[0][0].integerValue ?? 0 < pages)
        stack.context.transactionAuthor = "former"
        try add(1, to: stack)
        #expect(try HistoryCheck.failures(stack.url) == [])
        let author =
            "SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = (SELECT ZAUTHORTS FROM ATRANSACTION WHERE Z_PK = 5)"
        #expect(try rows(stack, author) == [["former"]])
    }

    /// Proves: H23
    @Test("a purge deletes at most 5,000 changes between two turns of other writers")
    func turns() throws {
        let stack = try stack()
        for count in [4_000, 12_000] { try add(count, to: stack) }
        let store = try #require(stack.store as? SQLiteStore)
        // It waits for no lock.
        let other = try Connection(url: stack.url, options: .init(access: .readWrite, busyTimeout: .zero))
        defer { try? other.close() }
        // The changes that are left at each turn; nil if the other writer got none.
        let turns = Mutex<[Int64?]>([])
        try store.opened().pool.write { connection in
            connection.setTrace { trace in
                if trace.sql != "COMMIT" { return }
                let left = try? other.write {
                    try other.run("UPDATE Z_METADATA SET Z_VERSION = Z_VERSION")
                    return try other.value("SELECT count(*) FROM ACHANGE")?.integerValue
                }
                turns.withLock { $0.append(left ?? nil) }
            }
        }
        try store.deleteHistory(below: 3)
        // The last one ends the removal of unused names.
        #expect(turns.withLock { $0 } == [12_000, 7_000, 2_000, 0, 0])
    }

    /// Proves: H31
    @Test("a rolled back save leaves no gap, and no name")
    func rollback() throws {
        let stack = try stack()
        try add(1, to: stack)
        let tags = ["a", "a"].map { name in
            let tag = Tag(context: stack.context)
            tag.name = name
            return tag
        }
        stack.context.transactionAuthor = "rolled back"
        #expect(throws: (any Error).self) { try stack.context.save() }
        for tag in tags { stack.context.delete(tag) }
        try add(1, to: stack)
        #expect(try HistoryCheck.failures(stack.url) == [])
        #expect(try rows(stack, "SELECT Z_PK FROM ATRANSACTION") == [[1], [2]])
    }

    /// Proves: H31
    @Test("outdated key rows are corrected when the store is opened")
    func keyRows() throws {
        let stack = try stack()
        try add(3, to: stack)
        try write(stack, "UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_ENT > 16000")
        try stack.reopen()
        try add(1, to: stack)
        #expect(try HistoryCheck.failures(stack.url) == [])
    }

    /// Proves: H7, H31
    @Test("a file of framework 851 is read, and gets the tables that it lacks")
    func oldFramework() throws {
        let stack = try stack()
        try add(1, to: stack)
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        try write(
            stack,
            """
            DROP TABLE ATRANSACTIONSTRING; DROP TABLE ATRANSACTION; DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16003;
            CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR );
            INSERT INTO ATRANSACTION VALUES (1, 16002, NULL, 1.5, 'author', 'bundle', NULL, 'process');
            """)
        for options: [AnyHashable: Any] in [[NSReadOnlyPersistentStoreOption: true], [:]] {
            try stack.reopen(options: options)
            let result = try stack.context.execute(
                NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?))
            let transactions = (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
            #expect(transactions?.map(\.author) == ["author"])
            #expect(transactions?.map(\.processID) == ["process"])
        }
        try add(1, to: stack)
        #expect(try HistoryCheck.failures(stack.url) == [])
    }

    @Test("damaged tables are named, and the store opens without them")
    func damagedTables() throws {
        let stack = try stack()
        try add(1, to: stack)
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        try write(stack, "ALTER TABLE ACHANGE DROP COLUMN ZCOLUMNS")
        let error = try #require(throws: (any Error).self) { try stack.reopen() }
        #expect((error as NSError).localizedDescription.contains("ACHANGE lacks ZCOLUMNS"))
        try stack.reopen(options: [NSPersistentHistoryTrackingKey: false])
        #expect(try stack.context.count(for: Book.request()) == 1)
        try add(1, to: stack)
    }

    @Test(
        "damaged rows are named",
        arguments: [
            ("UPDATE ACHANGE SET ZCHANGETYPE = 7", "change 1 is of no known kind"),
            ("UPDATE ACHANGE SET ZENTITYPK = NULL", "change 1 names no record"),
            ("UPDATE ATRANSACTION SET ZTIMESTAMP = NULL", "transaction 1 has no time"),
        ])
    func damagedRows(sql: String, sentence: String) throws {
        let stack = try stack()
        try add(1, to: stack)
        try write(stack, sql)
        let error = try #require(throws: (any Error).self) {
            try stack.context.execute(
                NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?))
        }
        #expect((error as NSError).localizedDescription.contains(sentence))
    }

    /// Proves: H5, H31
    @Test("a history that another model began anew, with fewer tombstone columns, is read at once")
    func fewerTombstones() throws {
        let stack = try stack()
        try add(2, to: stack)
        let other = try Connection(url: stack.url, options: .init(access: .readWrite))
        defer { try? other.close() }
        try other.write {
            try HistoryTables.remove(other)
            try HistoryTables.create(other, tombstones: 0)
            try other.execute(
                "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (3, \(HistoryTables.transactionNumber), 1.5)"
            )
            try other.execute(
                "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) "
                    + "SELECT 1, \(HistoryTables.changeNumber), 2, Z_ENT, 7, 3 FROM ZBOOK LIMIT 1")
        }
        #expect(try changes(stack).map(\.tombstone?.count) == [nil])
        stack.context.delete(try #require(try stack.context.fetch(Book.request()).first))
        try stack.context.save()
        #expect(try changes(stack).map(\.tombstone?.count) == [nil, 1])
    }

    private func changes(_ stack: Stack) throws -> [NSPersistentHistoryChange] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        request.resultType = .changesOnly
        let result = try stack.context.execute(request) as? NSPersistentHistoryResult
        return try #require(result?.result as? [NSPersistentHistoryChange])
    }

    /// Proves: H14, H31
    @Test("a change of an entity that the model lacks is left out, and a blob of another version names no properties")
    func otherVersions() throws {
        let stack = try stack()
        try add(2, to: stack)
        for book in try stack.context.fetch(Book.request()) { book.pages = 7 }
        try stack.context.save()
        try write(
            stack, "UPDATE ACHANGE SET ZENTITY = 999 WHERE Z_PK = 1; UPDATE ACHANGE SET ZCOLUMNS = x'00' WHERE Z_PK = 3"
        )
        let changes = try changes(stack)
        #expect(changes.map(\.changeID) == [2, 3, 4])
        #expect(changes[1].updatedProperties == nil)
        #expect(changes[2].updatedProperties?.map(\.name) == ["pages"])
    }
}
