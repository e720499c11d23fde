// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reports: the history as a time line, and the plan of a migration.

import CoreData
import CoreDataToolKit
import Foundation

extension Site {
    private static let transactionsShown = 100

    struct TransactionLine: Sendable {
        let number: Int64
        let date: Date
        let author: String
        let changes: [(kind: String, id: String, properties: [String])]
        let total: Int
    }

    // MARK: History

    /// - Parameter query: `before` is the number of a transaction; older ones are shown.
    func historyPage(_ session: StudioSession, _ query: [String: String]) async throws -> HTML {
        let before = query["before"].flatMap { Int64($0) }
        let (counts, lines, isLast) = try await session.read { desk in
            let (lines, isLast) = try desk.transactions(before: before, limit: Self.transactionsShown)
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
        let items = lines.html { line in
            let changes = line.changes.html { change in
                let name: HTML =
                    change.kind == "deleted"
                    ? "\(change.id)" : "<a href=\"\(address.object(change.id))\">\(change.id)</a>"
                return
                    "<li><span class=\"kind \(change.kind)\">\(change.kind)</span> \(name)\(change.properties.isEmpty ? "" : ": \(change.properties.joined(separator: ", "))")</li>"
            }
            let more: HTML =
                line.total > line.changes.count
                ? "<li class=\"faint\">and \(CountText.text(line.total - line.changes.count)) more</li>" : .nothing
            return """
                <li><h2><time>\(LocalTime.text(of: line.date))</time> <span class="faint">\(line.author.isEmpty ? "no author" : line.author) · transaction \(line.number) · \(CountText.text(line.total, "change"))</span></h2><ul>\(changes)\(more)</ul></li>
                """
        }
        let older: HTML =
            isLast || lines.isEmpty
            ? .nothing
            : "<p><a href=\"\(address("history", query: [("before", "\(lines.last?.number ?? 0)")]))\">Older transactions</a></p>"
        let list: HTML =
            lines.isEmpty ? "<p class=\"null\">no transactions</p>" : "<ol class=\"timeline wide\">\(items)</ol>"
        return shell.page(
            title: "History", section: .history, entities: counts,
            """
            <h1>History</h1>
            \(list)
            \(older)
            """)
    }

    // MARK: Migration

    func migrationPage(_ session: StudioSession, _ query: [String: String]) async throws -> HTML {
        let counts = try await session.read { try $0.entityCounts() }
        let shell = Shell(self)
        guard let versions = session.versions else {
            return shell.page(
                title: "Migration", section: .migration, entities: counts,
                """
                <h1>Migration</h1><p>A plan needs the model of the app. Start Studio with
                <code>--model App.xcdatamodeld</code>.</p>
                """)
        }
        let wanted = query["to"].flatMap { name in versions.versions.contains { $0.name == name } ? name : nil }
        let store = session.store
        let plan = try await Task.detached { try store.migration(to: wanted) }.value
        guard let plan else { throw SiteFailure.notFound }
        return shell.page(title: "Migration", section: .migration, entities: counts, migration(plan, versions))
    }

    private func migration(_ plan: BrowsedMigration, _ versions: BrowsedModel) -> HTML {
        let sentence: HTML =
            switch plan.verdict {
            case .fits: "The store has this version."
            case .needed: "A migration is needed, and possible."
            case .impossible: "A migration is needed, and not possible."
            }
        let options = versions.versions.html { version in
            let mark: HTML = version.name == plan.wantedVersion ? " selected" : ""
            return "<option\(mark)>\(version.name)</option>"
        }
        let steps = plan.steps.enumerated().html { place, step in
            "<section><h3>Step \(place + 1), by \(step.way)</h3>\(step.statements.isEmpty ? .nothing : "<pre>\(step.statements.map { $0 + ";" }.joined(separator: "\n"))</pre>" as HTML)</section>"
        }
        let costs: HTML =
            plan.costs.isEmpty
            ? .nothing
            : """
            <h2>Rows to write</h2><table class="plain"><thead><tr><th scope="col">Table</th><th scope="col" class="number">Rows</th><th scope="col" class="number">Bytes</th></tr></thead><tbody>\(plan.costs.html { "<tr><th scope=\"row\">\($0.table)</th><td class=\"number\">\(CountText.text($0.rows))</td><td class=\"number\">\(CountText.size($0.bytes))</td></tr>" })</tbody></table>
            """
        let warnings: HTML =
            plan.warnings.isEmpty
            ? (plan.verdict == .needed ? "<p>No warnings: no value is lost.</p>" : .nothing)
            : "<h2>Warnings</h2><ul class=\"error\">\(plan.warnings.html { "<li>\($0)</li>" })</ul>"
        return """
            <h1>Migration</h1>
            <form method="get" action="\(address("migration"))" class="row"><label for="to">To version</label>
            <select id="to" name="to">\(options)</select><button type="submit">Plan</button></form>
            <p class="verdict \(plan.verdict.rawValue)">\(sentence) The store has \(plan.storedVersion.map { "version \($0)" } ?? "a version that is not in the model"); the wanted one is \(plan.wantedVersion).</p>
            \(plan.reasons.isEmpty ? .nothing : "<ul>\(plan.reasons.html { "<li>\($0)</li>" })</ul>" as HTML)
            \(warnings)\(costs)
            \(steps)
            \(plan.bytesNeeded > 0 ? "<p>Free space needed on the disk: \(CountText.size(plan.bytesNeeded)).</p>" as HTML : .nothing)
            <p class="faint">Studio shows the plan and changes nothing. <code>coredata-tool migrate run</code> carries it out.</p>
            """
    }
}

extension Desk {
    private static let changesShown = 20

    /// The newest transactions before one, newest first.
    ///
    /// - Returns: nil for a store without a history; whether there are no older ones.
    func transactions(before number: Int64?, limit: Int) throws -> (lines: [Site.TransactionLine]?, isLast: Bool) {
        guard let coordinator = context.persistentStoreCoordinator,
            coordinator.currentPersistentHistoryToken(fromStores: nil) != nil,
            let fetch = NSPersistentHistoryTransaction.fetchRequest
        else { return (nil, true) }
        if let number { fetch.predicate = NSPredicate(format: "transactionNumber < %lld", number) }
        fetch.sortDescriptors = [NSSortDescriptor(key: "transactionNumber", ascending: false)]
        fetch.fetchLimit = limit + 1
        let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
        request.resultType = .transactionsAndChanges
        let result = try context.execute(request) as? NSPersistentHistoryResult
        let found = (result?.result as? [NSPersistentHistoryTransaction] ?? [])
            .sorted { $0.transactionNumber > $1.transactionNumber }
        let lines = found.prefix(limit).map { transaction in
            let changes = transaction.changes ?? []
            return Site.TransactionLine(
                number: transaction.transactionNumber, date: transaction.timestamp, author: transaction.author ?? "",
                changes: changes.prefix(Self.changesShown).map { change in
                    (
                        change.changeType.word, change.changedObjectID.shortText,
                        (change.updatedProperties ?? []).map(\.name).sorted()
                    )
                }, total: changes.count)
        }
        return (Array(lines), found.count <= limit)
    }
}
