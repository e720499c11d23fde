// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Cut lines, unreachable servers, and killed backends: nothing is lost, half written, or written twice.

import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

/// A store whose connection passes through a proxy that can cut it.
private final class CutStore {
    let proxy: LineProxy
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    let url: URL
    let log = OperationLog()

    init(options: [AnyHashable: Any]? = nil) throws {
        let server = try #require(StoreKind.serverURL)
        let folder = try #require(server.components(separatedBy: "host=").last?.components(separatedBy: "&").first)
        proxy = try LineProxy(to: folder)
        let schema = "cut_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
        let text = server.replacing(folder, with: proxy.folder.path) + "&schema=\(schema)"
        url = try #require(URL(string: text))
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: NamedModel.make())
        coordinator.storeObservers = [log]
        try coordinator.addPersistentStore(
            ofType: StoreKind.postgresql.type, configurationName: nil, at: url, options: options)
        context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
    }

    /// Another program's coordinator and context on the same store, without the proxy.
    func direct() throws -> (NSPersistentStoreCoordinator, NSManagedObjectContext) {
        let server = try #require(StoreKind.serverURL)
        let folder = try #require(server.components(separatedBy: "host=").last?.components(separatedBy: "&").first)
        let place: String = url.absoluteString.replacing(proxy.folder.path, with: folder)
        let other = NSPersistentStoreCoordinator(managedObjectModel: NamedModel.make())
        try other.addPersistentStore(
            ofType: StoreKind.postgresql.type, configurationName: nil,
            at: URL(string: place))
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = other
        return (other, context)
    }

    deinit {
        proxy.setDown(false)
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
        try? coordinator.destroyPersistentStore(at: url, ofType: StoreKind.postgresql.type)
        proxy.stop()
    }

    @discardableResult func insert(_ name: String) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: "Named", into: context)
        object.setValue(name, forKey: "name")
        return object
    }

    /// The names in the store, read in a new context.
    func names() throws -> [String] {
        let reader = NSManagedObjectContext(concurrencyType: .confined)
        reader.persistentStoreCoordinator = coordinator
        let request = NSFetchRequest<NSManagedObject>(entityName: "Named")
        return try reader.fetch(request).compactMap { $0.value(forKey: "name") as? String }.sorted()
    }

    func state(_ error: any Error) -> String? {
        let beneath = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        return beneath?.userInfo[NSPostgreSQLStateErrorKey] as? String
    }
}

@Suite("A PostgreSQL store with a line that is cut", .needsServer) struct FailureTests {
    /// Proves: PostgreSQL-S1, PostgreSQL-S2, PostgreSQL-T1, PostgreSQL-T2
    @Test(
        "a save with a line that is cut at its COMMIT is there once, or fails and can be repeated",
        arguments: LineProxy.Cut.allCases)
    func commits(cut: LineProxy.Cut) throws {
        let store = try CutStore(options: [NSPostgreSQLAnswerTimeoutOption: 0.5])
        var expected: [String] = []
        for round in 0..<([.frozen, .swallowed].contains(cut) ? 2 : 6) {
            let name = "\(round)"
            let object = store.insert(name)
            expected.append(name)
            store.proxy.arm(cut)
            do {
                try store.context.save()
            } catch {
                #expect(store.state(error) != "08007")
                #expect(try store.names() == expected.dropLast())
                #expect(object.hasChanges)
                try store.context.save()
            }
            #expect(try store.names() == expected)
            #expect(!store.context.hasChanges)
            #expect(store.proxy.cuts == round + 1)
            // The object is still usable: its version is that of its record.
            object.setValue(name + "!", forKey: "name")
            try store.context.save()
            expected[expected.count - 1] = name + "!"
        }
    }

    /// Proves: PostgreSQL-S2, PostgreSQL-T3, Telemetry-O6
    @Test(
        "a save with an unknown outcome says so, and the next save finds out first",
        arguments: [LineProxy.Cut.before, .after])
    func unknown(cut: LineProxy.Cut) throws {
        let store = try CutStore(options: [NSPersistentStoreTimeoutOption: 0.3])
        store.insert("one")
        try store.context.save()
        let object = store.insert("two")
        store.proxy.arm(cut)
        store.proxy.setDown(true)
        _ = store.log.take()
        let error = #expect(throws: (any Error).self) { try store.context.save() }
        #expect(store.state(try #require(error)) == "08007")
        #expect(store.log.take().of(.save).first?.report?.isCommitUnknown == true)
        #expect(object.hasChanges)
        let again = #expect(throws: (any Error).self) { try store.context.save() }
        #expect(store.state(try #require(again)) == "08007")
        // It has found no answer to the question about the first save, and so has begun no commit.
        #expect(store.log.take().of(.save).first?.report?.isCommitUnknown == false)
        store.proxy.setDown(false)
        store.insert("three")
        try store.context.save()
        #expect(store.log.take().of(.save).first?.report?.isCommitUnknown == false)
        #expect(try store.names() == ["one", "three", "two"])
    }

    /// Proves: PostgreSQL-S2
    @Test("a save with an unknown outcome is there once, also after a save of another context")
    func unknownThenOther() throws {
        let store = try CutStore(options: [NSPersistentStoreTimeoutOption: 0.3])
        store.insert("zero")
        try store.context.save()
        store.insert("one")
        store.proxy.arm(.after)
        store.proxy.setDown(true)
        let error = #expect(throws: (any Error).self) { try store.context.save() }
        #expect(store.state(try #require(error)) == "08007")
        store.proxy.setDown(false)
        let other = NSManagedObjectContext(concurrencyType: .confined)
        other.persistentStoreCoordinator = store.coordinator
        NSEntityDescription.insertNewObject(forEntityName: "Named", into: other).setValue("other", forKey: "name")
        try other.save()
        try store.context.save()
        #expect(try store.names() == ["one", "other", "zero"])
    }

    /// Proves: PostgreSQL-S2, IndeterminateCommits-D7
    @Test(
        "a save whose end cannot be found out is done when another program has changed or deleted its record since",
        arguments: [false, true], [false, true])
    func unknownThenChanged(isInsertion: Bool, isDeleted: Bool) throws {
        let store = try CutStore(options: [NSPersistentStoreTimeoutOption: 0.3])
        if isInsertion { store.insert("first") }
        let changed = isInsertion ? nil : store.insert("zero")
        try store.context.save()
        let object = changed ?? store.insert("mine")
        object.setValue("mine", forKey: "name")
        let (other, context) = try store.direct()
        store.proxy.arm(.after)
        store.proxy.setDown(true)
        let error = #expect(throws: (any Error).self) { try store.context.save() }
        #expect(store.state(try #require(error)) == "08007")
        store.proxy.setDown(false)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Named")
        request.predicate = NSPredicate(format: "name == 'mine'")
        let theirs = try #require(try context.fetch(request).first)
        if isDeleted { context.delete(theirs) } else { theirs.setValue("theirs", forKey: "name") }
        try context.save()
        try store.context.save()
        #expect(!store.context.hasChanges)
        #expect(try store.names() == (isInsertion ? ["first"] : []) + (isDeleted ? [] : ["theirs"]))
        object.setValue("mine again", forKey: "name")
        let conflict = #expect(throws: CocoaError.self) { try store.context.save() }
        #expect(conflict?.code.rawValue == NSManagedObjectMergeError)
        for store in other.persistentStores { try other.remove(store) }
    }

    /// Proves: PostgreSQL-S2, IndeterminateCommits-D5
    @Test(
        "a batch update with an unknown outcome is executed once when it is tried again",
        arguments: [LineProxy.Cut.before, .after], [false, true])
    func unknownBatch(cut: LineProxy.Cut, isSameLater: Bool) throws {
        let store = try CutStore(options: [NSPersistentStoreTimeoutOption: 0.3])
        let object = store.insert("one")
        object.setValue(Date(timeIntervalSinceReferenceDate: 1), forKey: "day")
        try store.context.save()
        let request = NSBatchUpdateRequest(entityName: "Named")
        request.predicate = NSPredicate(format: "day != nil")
        request.propertiesToUpdate = ["day": NSExpression(format: "day + 1")]
        request.resultType = .updatedObjectsCountResultType
        func update() throws -> Int? {
            (try store.context.execute(request) as? NSBatchUpdateResult)?.result as? Int
        }
        store.proxy.arm(cut)
        store.proxy.setDown(true)
        let error = #expect(throws: (any Error).self) { _ = try update() }
        #expect(store.state(try #require(error)) == "08007")
        #expect(store.log.take().of(.batch).last?.report?.isCommitUnknown == true)
        store.proxy.setDown(false)
        if isSameLater {
            store.insert("between")
            try store.context.save()
        }
        #expect(try update() == 1)
        #expect(store.log.take().of(.batch).last?.report?.isCommitUnknown == false)
        store.context.refreshAllObjects()
        #expect(object.value(forKey: "day") as? Date == Date(timeIntervalSinceReferenceDate: 2))
        #expect(try update() == 1)
        store.context.refreshAllObjects()
        #expect(object.value(forKey: "day") as? Date == Date(timeIntervalSinceReferenceDate: 3))
    }

    @Test("a fetch is executed again when the server has ended its connection") func backend() throws {
        let store = try CutStore()
        store.insert("one")
        try store.context.save()
        let opened = try #require(store.coordinator.persistentStores[0] as? PostgreSQLStore).opened()
        for _ in 0..<3 {
            let backend = try opened.sessions.with(repeats: true) { $0.backend }
            let killer = try opened.sessions.make()
            try killer.run(
                Statement("SELECT pg_terminate_backend($1::int)", [.int64(Int64(backend))]), opened.sessions.deadline)
            killer.close()
            _ = store.log.take()
            #expect(try store.names() == ["one"])
            #expect(store.log.take().of(.fetch).map(\.report?.retries) == [1])
        }
        let backend = try opened.sessions.with(repeats: true) { $0.backend }
        let killer = try opened.sessions.make()
        try killer.run(
            Statement("SELECT pg_terminate_backend($1::int)", [.int64(Int64(backend))]), opened.sessions.deadline)
        killer.close()
        store.insert("two")
        try store.context.save()
        #expect(try store.names() == ["one", "two"])
    }

    /// Proves: PostgreSQL-T2
    @Test("a process that has only the number of the one with the token is not ended") func otherBackend() throws {
        let store = try CutStore(options: [NSPersistentStoreTimeoutOption: 0.5])
        let opened = try #require(store.coordinator.persistentStores[0] as? PostgreSQLStore).opened()
        let (holder, other) = (try opened.sessions.make(), try opened.sessions.make())
        defer { for connection in [holder, other] { connection.close() } }
        let token = UUID()
        let hold = Statement(
            "INSERT INTO \(opened.dialect.qualified("ocd_transaction")) (token) VALUES ($1)", [.uuid(token)])
        _ = try holder.run([Statement("BEGIN", isReused: false), hold], opened.sessions.deadline)
        func decide(_ backend: Int32) -> TokenDecision.Answer {
            TokenDecision(token: token, backend: backend, sessions: opened.sessions, dialect: opened.dialect).run()
        }
        #expect(decide(other.backend) == .unknown)
        #expect(try other.run(Statement("SELECT 1"), opened.sessions.deadline).first(\.integer) == 1)
        #expect(decide(holder.backend) == .notCommitted)
        #expect(throws: PostgreSQLError.self) { _ = try holder.run(Statement("SELECT 1"), opened.sessions.deadline) }
    }

    @Test("a store whose server is away throws, and goes on when it is back") func away() throws {
        let store = try CutStore(options: [NSPersistentStoreTimeoutOption: 0.3])
        store.insert("one")
        try store.context.save()
        let opened = try #require(store.coordinator.persistentStores[0] as? PostgreSQLStore).opened()
        let connection = try opened.sessions.make()
        store.proxy.setDown(true)
        let backend = try opened.sessions.with(repeats: true) { $0.backend }
        try connection.run(
            Statement("SELECT pg_terminate_backend($1::int)", [.int64(Int64(backend))]), opened.sessions.deadline)
        connection.close()
        let object = store.insert("two")
        #expect(throws: (any Error).self) { try store.context.save() }
        #expect(object.hasChanges)
        store.proxy.setDown(false)
        try store.context.save()
        #expect(try store.names() == ["one", "two"])
    }
}
