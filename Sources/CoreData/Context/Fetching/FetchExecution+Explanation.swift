// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Explains how a context would execute a request.

import Foundation

extension FetchExecution {
    /// - Parameter context: the context that would fetch; its ancestors are included.
    func explanation(in context: NSManagedObjectContext) throws -> FetchExplanation {
        let storeFetch = try firstFetch()
        var work = work(storeFetch.result)
        var windowed = storeFetch.windowed
        var root = context
        while let parent = root.parent {
            let changed = (parent as any StateHolder).waitOnQueue {
                let parts = Self.parts(of: parent)
                return PendingChangeOverlay(
                    parts.tracker.unsaved, over: route, in: parts.registry, parts.failures, parts.coordinator)?.count
                    ?? 0
            }
            if changed > 0 {
                work.append("a parent matches \(Self.objects(changed)) with unsaved changes in memory")
                windowed = false
            }
            root = parent
        }
        let stores = try (root as any StateHolder).waitOnQueue {
            let scope = Self.parts(of: root).scope
            return try route.storeFetches(storeFetch.result, in: scope, windowed: windowed).explain(
                in: scope.sharedRead)
        }
        return FetchExplanation(entityName: prepared.layout.name, stores: stores, contextWork: work)
    }

    private func work(_ result: BoundFetch.Result) -> [String] {
        var work: [String] = []
        if prepared.hasCode {
            work.append(
                "the predicate calls code of the program, which no store is given: "
                    + "the objects that its other conditions leave are read, realized and asked"
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

    private static func parts(of context: NSManagedObjectContext) -> ContextState {
        (context as any StateHolder).parts
    }

    private static func objects(_ count: Int) -> String { count == 1 ? "one object" : "\(count) objects" }
}
