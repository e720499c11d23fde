// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A fetch that considers unsaved changes of related objects, which a normal fetch reads from the stores.

import CoreDataFoundation
import Foundation

extension NSManagedObjectContext {
    /// The objects that match in their present state, including unsaved changes of related ones (R23). If such a change
    /// may affect the result, the predicate is evaluated for all objects of the entity; otherwise this is a normal
    /// fetch.
    package func fetchLive<T: NSManagedObject>(_ request: NSFetchRequest<T>) throws -> [T] {
        checkQueue()
        let execution = try FetchExecution(state, request)
        guard execution.overlooksRelatedChanges else { return try execution.run() }
        let whole = NSFetchRequest<T>()
        whole.entity = request.entity
        whole.includesSubentities = request.includesSubentities
        whole.affectedStores = request.affectedStores
        let all = try FetchExecution(state, whole).run(as: NSManagedObject.self)
        let evaluator = try execution.fetch.predicate.map { try PredicateEvaluator($0) }
        state.faults.realizeAll(all.filter(\.isFault))
        var matching = try state.failures.throwing { try all.filter { try evaluator?.matches($0) ?? true } }
        try execution.sort(&matching)
        return execution.window(matching).compactMap { $0 as? T }
    }
}

extension FetchExecution {
    /// Whether unsaved changes of related objects may affect the result.
    fileprivate var overlooksRelatedChanges: Bool {
        guard prepared.options.contains(.includesPendingChanges), state.tracker.hasChanges else { return false }
        var related = RelatedPaths(prepared.layout, in: prepared.model)
        for key in prepared.sorting.compactMap(\.descriptor.key) { related.add(keyPath: key) }
        if let predicate = fetch.predicate { related.add(predicate) }
        return !related.isEmpty
    }
}
