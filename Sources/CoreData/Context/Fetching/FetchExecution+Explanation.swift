// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tells how a request would be answered in a context.

import Foundation

extension NSFetchRequest {
    /// Tells how `context.fetch` would answer this request, without fetching: the SQL, the types of its values, the
    /// plan of the database, and what is done in memory, with the reason.
    ///
    /// Of prefetching and batches the first statement is told; the others are named in `contextWork`. A context with a
    /// parent asks the stores by way of its ancestors, whose unsaved changes count as well.
    ///
    /// - Returns: a value that holds on to nothing.
    /// - Throws: as `fetch(_:)`: names that the model lacks, and stores that cannot be asked.
    /// - Important: call on the context's queue.
    /// - Complexity: translates the request anew and asks each store for a plan. A SQLite store also goes through the
    ///   entity's table, to count rows that belong to no object.
    public func explain(in context: NSManagedObjectContext) throws -> FetchExplanation {
        context.checkQueue()
        do {
            return try FetchExecution(context, self).explanation()
        } catch {
            throw CoreDataError.request(error, entity: entityName)
        }
    }
}

extension FetchExecution {
    func explanation() throws -> FetchExplanation {
        let question = try firstQuestion()
        var work = work(question.result)
        var windowed = question.windowed
        var root = context
        while let parent = root.storedParent {
            let changed = parent.queue.sync(parent) { PendingChangeOverlay(parent, route)?.count ?? 0 }
            if changed > 0 {
                work.append("a parent matches \(Self.objects(changed)) with unsaved changes in memory")
                windowed = false
            }
            root = parent
        }
        let stores = try root.queue.sync(root) {
            try route.questions(question.result, below: root, windowed: windowed).explain(in: root.burst)
        }
        return FetchExplanation(entityName: prepared.layout.name, stores: stores, contextWork: work)
    }

    private func work(_ result: BoundFetch.Result) -> [String] {
        var work: [String] = []
        if prepared.hasCode {
            work.append(
                "the predicate calls code of the program, so no store is given it: all objects are read, realized and asked"
            )
        }
        if case .dictionaries = result {
            if route.stores.count > 1 {
                work.append("dictionaries are made in memory, of the rows of \(route.stores.count) stores")
            }
            return work
        }
        let changed = overlay?.count ?? 0
        if changed > 0 {
            work.append("\(Self.objects(changed)) with unsaved changes are matched in memory; the window is cut last")
        }
        if route.stores.count > 1 {
            work.append("results of \(route.stores.count) stores are sorted and cut in memory")
        }
        if fetch.batchSize > 0, prepared.resultType == .managedObjectResultType {
            work.append(
                "rows are read \(fetch.batchSize) at a time, when the first object of a batch is touched")
        }
        for path in prepared.prefetchedKeyPaths ?? [] {
            work.append("objects at '\(path)' are read along")
        }
        return work
    }

    private static func objects(_ count: Int) -> String { count == 1 ? "one object" : "\(count) objects" }
}
