// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The store of a run: accounts with logs, entries and claims; and the stack of one simulated process on it.

import CoreData
import CoreDataTestSupport
import Foundation
import SQLiteDriver

/// The state of an account at one moment.
struct AccountState: Hashable, Sendable {
    var amount = 0
    var raises = 0
    var log: [String] = []
}

final class Ledger {
    static let accounts = 4
    static let amount = 100

    static let model: NSManagedObjectModel = {
        let account = NSEntityDescription("Account")
        account.attribute("number", .integer64AttributeType, optional: false, default: 0)
        account.uniquenessConstraints = [["number"]]
        account.attribute("amount", .integer64AttributeType, optional: false, default: amount)
        account.attribute("raises", .integer64AttributeType, optional: false, default: 0)
        account.attribute("log", .stringAttributeType, optional: false, default: "")
        let entry = NSEntityDescription("Entry")
        entry.attribute("code", .stringAttributeType)
        entry.attribute("owner", .integer64AttributeType, optional: false, default: -1)
        entry.uniquenessConstraints = [["code"]]
        account.relate("entries", .many, to: entry, inverse: "account", .one)
        account.derived("entryCount", .integer64AttributeType, "entries.@count")
        let claim = NSEntityDescription("Claim")
        claim.attribute("code", .stringAttributeType)
        claim.attribute("author", .stringAttributeType)
        claim.uniquenessConstraints = [["code"]]
        return NSManagedObjectModel(account, entry, claim)
    }()

    let coordinator: NSPersistentStoreCoordinator
    private let url: URL
    private let options: [AnyHashable: Any]

    init(_ setup: Setup, _ url: URL, pragmas: [String: String] = [:]) throws {
        self.url = url
        var options = setup.options(with: pragmas)
        options[NSPersistentStoreTimeoutOption] = 60
        self.options = options
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        try add()
    }

    /// A store with the accounts.
    static func filled(_ setup: Setup, _ url: URL) throws -> Ledger {
        let ledger = try Ledger(setup, url)
        try ledger.fill()
        return ledger
    }

    private func add() throws {
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
    }

    func backup(to url: URL) throws { try coordinator.persistentStores[0].backup(to: url) }

    func close() throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    func reopen() throws {
        try close()
        try add()
    }

    func context(_ author: String) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.transactionAuthor = author
        return context
    }

    /// Makes the accounts, unless they are there or another process makes them.
    func fill() throws {
        let context = context("first")
        try context.performAndWait {
            guard try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Account")) == 0 else { return }
            for number in 0..<Self.accounts {
                NSEntityDescription.insertNewObject(forEntityName: "Account", into: context)
                    .setValue(number, forKey: "number")
            }
            do {
                try context.save()
            } catch  where Self.isConflict(error) {}
        }
    }

    static func isConflict(_ error: any Error) -> Bool {
        [133_020, 133_021, 134_050].contains((error as NSError).code)
    }

    static func accounts(in context: NSManagedObjectContext) throws -> [Int: NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Account")
        request.returnsObjectsAsFaults = false
        let pairs = try context.fetch(request).map { ($0.value(forKey: "number") as? Int ?? -1, $0) }
        return Dictionary(pairs) { first, _ in first }
    }

    static func state(_ account: NSManagedObject) -> AccountState {
        let log = account.value(forKey: "log") as? String ?? ""
        return AccountState(
            amount: account.value(forKey: "amount") as? Int ?? -1,
            raises: account.value(forKey: "raises") as? Int ?? -1,
            log: log.split(separator: ",").map(String.init))
    }

    static func states(in context: NSManagedObjectContext) throws -> [Int: AccountState] {
        try accounts(in: context).mapValues(state)
    }
}

/// A transaction of the history.
struct LedgerTransaction: Sendable {
    var number: Int64
    var author: String
}

/// All that a store has at the end.
struct LedgerContents {
    struct Entry {
        var code: String
        var account: Int?
    }

    var accounts: [Int: AccountState] = [:]
    /// The derived number of entries of each account.
    var counts: [Int: Int] = [:]
    var entries: [Entry] = []
    /// The code and the author of each claim.
    var claims: [(code: String, author: String)] = []
    var history: [LedgerTransaction]?
    /// The history's entries for the objects that are there, and their number.
    var unaccounted: [String] = []

    init(_ setup: Setup, _ url: URL) throws {
        let ledger = try Ledger(setup, url)
        defer { try? ledger.close() }
        let context = ledger.context("reader")
        try context.performAndWait {
            let accounts = try Ledger.accounts(in: context)
            self.accounts = accounts.mapValues(Ledger.state)
            counts = accounts.mapValues { $0.value(forKey: "entryCount") as? Int ?? -1 }
            let all = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Entry"))
            entries = all.map { entry in
                let account = entry.value(forKey: "account") as? NSManagedObject
                return Entry(
                    code: entry.value(forKey: "code") as? String ?? "",
                    account: account?.value(forKey: "number") as? Int)
            }
            let claims = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Claim"))
            self.claims = claims.map {
                ($0.value(forKey: "code") as? String ?? "", $0.value(forKey: "author") as? String ?? "")
            }
            guard setup.tracksHistory else { return }
            let objects = Array(accounts.values) + all + claims
            try readHistory(in: context, Set(objects.map { $0.objectID.uriRepresentation() }))
        }
    }

    private mutating func readHistory(in context: NSManagedObjectContext, _ rows: Set<URL>) throws {
        let transactions = try Self.transactions(after: nil, in: context)
        history = transactions.map { LedgerTransaction(number: $0.transactionNumber, author: $0.author ?? "") }
        var known: Set<URL> = []
        for change in transactions.flatMap({ $0.changes ?? [] }) {
            let id = change.changedObjectID.uriRepresentation()
            switch change.changeType {
            case .insert: if !known.insert(id).inserted { unaccounted.append("the history inserts \(id.path) twice") }
            case .delete:
                if known.remove(id) == nil { unaccounted.append("the history deletes \(id.path), which is not there") }
            default:
                if !known.contains(id) { unaccounted.append("the history updates \(id.path), which is not there") }
            }
        }
        if known != rows { unaccounted.append("the history has \(known.count) objects, and the store \(rows.count)") }
    }

    static func transactions(
        after token: NSPersistentHistoryToken?, in context: NSManagedObjectContext
    ) throws -> [NSPersistentHistoryTransaction] {
        let answer = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
        return (answer as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction] ?? []
    }
}
