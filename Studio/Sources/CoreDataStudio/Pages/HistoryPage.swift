// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The history: transactions, their changes, and the objects that were changed. Studio-H1.

import CoreData
import CoreDataToolKit
import Foundation

extension Site {
    private static let transactionsShown = 100
    private static let changesShown = 20
    private static let changesOfOne = 1000

    struct TransactionLine: Sendable {
        struct Change: Sendable {
            let kind: String
            let id: String
            /// nil for an object that is gone.
            let title: String?
            let properties: [String]
        }

        let number: Int64
        let date: Date
        let author: String
        let changes: [Change]
        let total: Int
    }

    /// - Parameter query: `before` is the number of a transaction; older ones are shown. `transaction` is the number of
    ///   one that is shown with all its changes.
    func historyPage(_ session: StudioSession, _ query: [String: String]) async throws -> HTML {
        let before = query["before"].flatMap { Int64($0) }
        let one = query["transaction"].flatMap { Int64($0) }
        let wanted: Desk.Transactions
        if let one {
            wanted = .one(one)
        } else if let before {
            wanted = .before(before)
        } else {
            wanted = .newest
        }
        let (counts, lines, isLast) = try await session.read { desk in
            let (lines, isLast) = try desk.transactions(
                wanted, limit: Self.transactionsShown, changes: one == nil ? Self.changesShown : Self.changesOfOne)
            return (try desk.entityCounts(), lines, isLast)
        }
        let shell = Shell(self)
        guard let lines else {
            return shell.page(
                title: "History", section: .history, entities: counts,
                """
                <h1>History</h1><p>This store keeps no history. A program records one if it opens the store with
                <code>NSPersistentHistoryTrackingKey</code>.</p>
                """)
        }
        let older: HTML =
            isLast || lines.isEmpty
            ? .nothing
            : "<p><a href=\"\(address("history", query: [("before", "\(lines.last?.number ?? 0)")]))\">Older transactions</a></p>"
        let list: HTML =
            lines.isEmpty
            ? "<p class=\"null\">\(one == nil ? "no transactions" : "the history does not have this transaction")</p>"
            : "<ol class=\"timeline wide\">\(lines.html { item($0, isAlone: one != nil) })</ol>"
        return shell.page(
            title: one.map { "Transaction \($0)" } ?? "History", section: .history, entities: counts,
            """
            <h1>\(one.map { "Transaction \($0)" } ?? "History")</h1>
            \(one == nil ? .nothing : "<p><a href=\"\(address("history"))\">All transactions</a></p>" as HTML)
            \(list)
            \(one == nil ? older : .nothing)
            """)
    }

    private func item(_ line: TransactionLine, isAlone: Bool) -> HTML {
        let changes = line.changes.html { change in
            let name: HTML =
                change.title.map { title in
                    "<a href=\"\(address.object(change.id))\"><bdi>\(title)</bdi></a>\(title == change.id ? .nothing : " <span class=\"faint\">\(change.id)</span>" as HTML)"
                } ?? "\(change.id)"
            return
                "<li><span class=\"kind \(change.kind)\">\(change.kind)</span> \(name)\(change.properties.isEmpty ? "" : ": \(change.properties.joined(separator: ", "))")</li>"
        }
        let link = address("history", query: [("transaction", "\(line.number)")])
        let left = CountText.text(line.total - line.changes.count)
        let more: HTML =
            line.total == line.changes.count
            ? .nothing
            : isAlone
                ? "<li class=\"faint\">and \(left) more</li>" : "<li><a href=\"\(link)\">and \(left) more</a></li>"
        return """
            <li><h2><time>\(LocalTime.text(of: line.date))</time> <span class="faint">\(line.author.isEmpty ? "no author" : line.author) · <a href="\(link)">transaction \(line.number)</a> · \(CountText.text(line.total, "change"))</span></h2><ul>\(changes)\(more)</ul></li>
            """
    }
}

extension Desk {
    enum Transactions {
        case newest
        case before(Int64)
        case one(Int64)
    }

    /// The newest transactions of a choice, newest first, with their first changes.
    ///
    /// - Returns: nil for a store without a history; whether there are no older ones.
    func transactions(_ wanted: Transactions, limit: Int, changes shown: Int) throws
        -> (lines: [Site.TransactionLine]?, isLast: Bool)
    {
        guard let coordinator = context.persistentStoreCoordinator,
            coordinator.currentPersistentHistoryToken(fromStores: nil) != nil,
            let fetch = NSPersistentHistoryTransaction.fetchRequest
        else { return (nil, true) }
        switch wanted {
        case .newest: break
        case .before(let number): fetch.predicate = NSPredicate(format: "transactionNumber < %lld", number)
        case .one(let number): fetch.predicate = NSPredicate(format: "transactionNumber == %lld", number)
        }
        fetch.sortDescriptors = [NSSortDescriptor(key: "transactionNumber", ascending: false)]
        fetch.fetchLimit = limit + 1
        let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
        request.resultType = .transactionsAndChanges
        let result = try context.execute(request) as? NSPersistentHistoryResult
        let found = (result?.result as? [NSPersistentHistoryTransaction] ?? [])
            .sorted { $0.transactionNumber > $1.transactionNumber }
        let first = found.prefix(limit).map { ($0, ($0.changes ?? []).prefix(shown)) }
        let titles = try titles(of: Set(first.flatMap { $0.1.map(\.changedObjectID) }))
        let lines = first.map { transaction, changes in
            Site.TransactionLine(
                number: transaction.transactionNumber, date: transaction.timestamp, author: transaction.author ?? "",
                changes: changes.map { change in
                    .init(
                        kind: change.changeType.word, id: change.changedObjectID.shortText,
                        title: titles[change.changedObjectID],
                        properties: (change.updatedProperties ?? []).map(\.name).sorted())
                }, total: transaction.changes?.count ?? 0)
        }
        return (Array(lines), found.count <= limit)
    }

    /// The titles of the objects that still exist, with one fetch for each entity.
    private func titles(of ids: Set<NSManagedObjectID>) throws -> [NSManagedObjectID: String] {
        var titles: [NSManagedObjectID: String] = [:]
        for (name, members) in Dictionary(grouping: ids, by: { $0.entity.name ?? "" }) {
            let request = NSFetchRequest<NSManagedObject>(entityName: name)
            request.predicate = NSPredicate(format: "SELF IN %@", members)
            for object in try context.fetch(request) { titles[object.objectID] = ObjectTitle.text(of: object) }
        }
        return titles
    }
}
