// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A server with a standby that follows it, for one test.

import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

/// Made by the program that `Scripts/with-postgres` names; both end with it.
final class ServerPair: Sendable {
    /// The folder of sockets of each.
    let primary: String
    let standby: String
    private let program: String
    private let schema = "s\(UUID().uuidString.lowercased().prefix(8))"

    init() throws {
        program = try #require(ProcessInfo.processInfo.environment["COREDATA_PG_PAIR"])
        let name = "pair\(UUID().uuidString.prefix(8))"
        let folder = URL(fileURLWithPath: program).deletingLastPathComponent().path
        (primary, standby) = ("\(folder)/\(name).a", "\(folder)/\(name).b")
        try Self.run(program, "make", name)
    }

    deinit {
        for place in [primary, standby] { try? end(place) }
    }

    private static func run(_ program: String, _ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 { throw CocoaError(.executableLoad) }
    }

    private func tell(_ command: String, _ place: String) throws {
        try Self.run(program, command, URL(fileURLWithPath: place).lastPathComponent)
    }

    /// Stops a server as a crash does.
    func end(_ place: String) throws { try tell("stop", place) }
    func start(_ place: String) throws { try tell("start", place) }
    func promote() throws { try tell("promote", standby) }

    /// - Parameter hosts: folders of sockets.
    func url(_ hosts: String...) throws -> URL {
        try #require(
            URL(string: "postgresql:///postgres?host=\(hosts.joined(separator: ","))&user=ocd&schema=\(schema)"))
    }

    /// The place of a second store.
    func otherURL(_ hosts: String...) throws -> URL {
        try #require(
            URL(string: "postgresql:///postgres?host=\(hosts.joined(separator: ","))&user=ocd&schema=\(schema)_other"))
    }

    /// A direct connection, without a store.
    func connection(_ place: String) throws -> Connection {
        let settings = try ConnectionSettings(url(place))
        return try Connection(settings.settings, deadline: Deadline(in: .seconds(5)))
    }

    @discardableResult func ask(_ place: String, _ text: String) throws -> Int64? {
        let connection = try connection(place)
        defer { connection.close() }
        return try connection.run(Statement(text, isReused: false), Deadline(in: .seconds(10))).first(\.integer)
    }

    /// The rows that a server has.
    func rows(_ place: String) throws -> Int64? { try ask(place, "SELECT count(*) FROM \"\(schema)\".named") }

    /// Waits until the standby has all changes of the primary.
    func catchUp() throws -> Bool {
        let position = try #require(try ask(primary, Connection.positionQuestion.text))
        return eventually {
            (try? ask(standby, "SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint")).map { $0 >= position }
                ?? false
        }
    }
}

/// A store of a pair, with one context.
final class PairedStore {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NamedModel.make())
    let context = NSManagedObjectContext(concurrencyType: .confined)

    init(_ url: URL, readingAt places: [URL] = [], options: [AnyHashable: Any] = [:]) throws {
        var options = options
        if !places.isEmpty { options[NSPostgreSQLReadURLsOption] = places }
        try coordinator.addPersistentStore(
            ofType: StoreKind.postgresql.type, configurationName: nil, at: url, options: options)
        context.persistentStoreCoordinator = coordinator
    }

    deinit {
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
    }

    var opened: OpenServer { get throws { try store.opened() } }
    var store: PostgreSQLStore { get throws { try #require(coordinator.persistentStores.first as? PostgreSQLStore) } }

    @discardableResult func save(_ name: String) throws -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: "Named", into: context)
        object.setValue(name, forKey: "name")
        try context.save()
        return object
    }

    /// The last number of the history.
    func lastNumber() throws -> Int64? { try bounds()?.last }
    func bounds() throws -> HistoryBounds? { try store.readHistory { try $0.bounds } }

    /// The names, read in a new context.
    func names() throws -> [String] {
        let reader = NSManagedObjectContext(concurrencyType: .confined)
        reader.persistentStoreCoordinator = coordinator
        let request = NSFetchRequest<NSManagedObject>(entityName: "Named")
        return try reader.fetch(request).compactMap { $0.value(forKey: "name") as? String }.sorted()
    }

    /// Whether the next read would use a standby.
    func readsStandby() throws -> Bool { try opened.read { $0.server?.isStandby == true } }
}
