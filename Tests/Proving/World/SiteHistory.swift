// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares the history of a store with its rows.

import CoreData
import Foundation

extension Site {
    /// All transactions of the history in their order.
    func transactions() throws -> [NSPersistentHistoryTransaction] {
        let token: NSPersistentHistoryToken? = nil
        let answer = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
        return (answer as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction] ?? []
    }

    /// Reads a history that was never purged: each object of the store was inserted once, and no other is left.
    ///
    /// - Returns: the findings.
    static func history(_ setup: Setup, _ url: URL, version: ProvingModel.Version = .first) -> [String] {
        guard setup.tracksHistory else { return [] }
        do {
            let site = try Site(setup, url, version: version)
            defer { try? site.close() }
            let transactions = try site.transactions()
            var findings: [String] = []
            let numbers = transactions.map(\.transactionNumber)
            if zip(numbers, numbers.dropFirst()).contains(where: { $0 >= $1 }) {
                findings.append("the transactions have the numbers \(numbers)")
            }
            var known: Set<URL> = []
            for change in transactions.flatMap({ $0.changes ?? [] }) {
                let id = change.changedObjectID.uriRepresentation()
                switch change.changeType {
                case .insert:
                    if !known.insert(id).inserted { findings.append("the history inserts \(id) twice") }
                case .delete:
                    if known.remove(id) == nil { findings.append("the history deletes \(id), which is not there") }
                default:
                    if !known.contains(id) { findings.append("the history updates \(id), which is not there") }
                }
            }
            let objects = try ["Thing", "Piece", "Tag"].flatMap { entity in
                try site.context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
            }
            let rows = Set(objects.map { $0.objectID.uriRepresentation() })
            if rows != known {
                findings.append("the history leads to \(known.count) objects, and the store has \(rows.count)")
            }
            return findings
        } catch {
            return ["the history is not readable: \(error)"]
        }
    }
}
