// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Carries out an aggregate query: by the stores, or in memory if unsaved changes may affect it. Aggregates-4, 5.

import CoreDataFoundation
import Foundation

struct AggregateExecution {
    let context: NSManagedObjectContext
    /// Entity, predicate and stores.
    let request: NSFetchRequest<NSManagedObject>
    /// The key paths of the groups.
    let keys: [String]
    let recorder: AggregateRecorder
    let condition: AggregateCondition?

    private var state: ContextState { context.state }

    /// In any order.
    func rows() throws -> [AggregateRow] {
        let dictionaries = dictionaryRequest(matching: request.predicate)
        let execution = try FetchExecution(state, dictionaries)
        let found =
            execution.prepared.hasCode || affects(execution)
            ? try shapedObjects() : try execution.run(as: NSDictionary.self).map { $0 as? [String: Any] ?? [:] }
        let names = columns.map { ($0, recorder.name(of: $0)) }
        return found.map { values in
            var result: [AggregateColumn: Any] = [:]
            for (column, name) in names { result[column] = values[name] }
            return AggregateRow(key: keys.map { values[$0] }, values: result)
        }
    }

    private var columns: [AggregateColumn] { recorder.columns }

    private func dictionaryRequest(matching predicate: NSPredicate?) -> NSFetchRequest<NSDictionary> {
        let dictionaries = NSFetchRequest<NSDictionary>()
        dictionaries.settings = request.settings
        dictionaries.affectedStores = request.affectedStores
        dictionaries.predicate = predicate
        dictionaries.sortDescriptors = nil
        dictionaries.resultType = .dictionaryResultType
        var names: [String] = []
        for key in keys where !names.contains(key) { names.append(key) }
        dictionaries.propertiesToFetch =
            names
            + columns.map { column in
                let description = NSExpressionDescription()
                description.name = recorder.name(of: column)
                description.expression = CoreDataFoundation.NSExpression(column.expression)
                return description
            }
        dictionaries.propertiesToGroupBy = names.isEmpty ? nil : names
        dictionaries.havingPredicate = condition?.syntax.predicate
        return dictionaries
    }

    // MARK: Unsaved changes

    /// Whether unsaved changes of the context, or of its parents, may affect the result.
    private func affects(_ execution: FetchExecution) -> Bool {
        guard request.includesPendingChanges else { return false }
        var related = RelatedPaths(execution.prepared.layout, in: execution.prepared.model)
        if let predicate = execution.fetch.predicate { related.add(predicate) }
        for path in keys + columns.compactMap(\.path) { related.add(keyPath: path) }
        if execution.overlay != nil || !related.isEmpty && state.tracker.hasChanges { return true }
        var ancestor = context.parent
        while let parent = ancestor {
            if (parent as any StateHolder).waitOnQueue({ parent.hasChanges }) { return true }
            ancestor = parent.parent
        }
        return false
    }

    /// The groups of the objects that match in their present state.
    private func shapedObjects() throws -> [[String: Any]] {
        let shaping = try FetchExecution(state, dictionaryRequest(matching: nil))
        guard let request = try shaping.prepared.dictionaries?.get() else { return [] }
        let objects = try context.fetchLive(self.request)
        return try state.failures.throwing { try ObjectDictionaries.shape(request, of: shaping.fetch, objects) }
    }
}
