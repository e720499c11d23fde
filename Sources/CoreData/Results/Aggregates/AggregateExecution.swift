// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Carries out an aggregate query: by the stores, or in memory if unsaved changes may affect it. Aggregates-4, 5.

import CoreDataFoundation
import Foundation

struct AggregateExecution {
    let context: NSManagedObjectContext
    /// Entity, predicate and stores.
    let request: NSFetchRequest<NSManagedObject>
    /// The values by which the objects are grouped.
    let keys: [AggregateKeyColumn]
    let recorder: AggregateRecorder
    let condition: AggregateCondition?
    let orders: [AggregateOrder]
    /// nil for all groups.
    let limit: Int?

    private var state: ContextState { context.state }

    /// All groups that meet the condition, or at least the first ones, in any order.
    func rows() throws -> [AggregateRow] {
        let dictionaries = dictionaryRequest(matching: request.predicate)
        let execution = try FetchExecution(state, dictionaries)
        let found =
            execution.prepared.hasCode || affects(execution)
            ? try shapedObjects() : try execution.run(as: NSDictionary.self).map { $0 as? [String: Any] ?? [:] }
        let names = columns.map { ($0, recorder.name(of: $0)) }
        return try found.map { values in
            var result: [AggregateColumn: Any] = [:]
            for (column, name) in names { result[column] = values[name] }
            var row = AggregateRow(key: keys.map { values[$0.name] }, values: result)
            for mean in recorder.means { try row.addMean(mean) }
            return row
        }
        .filter(meetsCondition)
    }

    /// Stores apply a condition, unless it reads values that they do not compute.
    private func meetsCondition(_ row: AggregateRow) throws -> Bool {
        guard let condition, condition.readsMeans else { return true }
        var variables: [String: Any] = [:]
        for column in columns + recorder.means {
            variables[recorder.name(of: column)] = row.values[column] ?? NSNull()
        }
        return try PredicateEvaluator(condition.syntax, variables: variables).matches(nil)
    }

    /// nil if values that no store computes decide which groups are the first ones.
    private var window: GroupWindow? {
        guard !keys.isEmpty, condition?.readsMeans != true,
            !orders.contains(where: { $0.column.function == .decimalMean })
        else { return nil }
        return GroupWindow(
            orders: orders.map { .init(column: recorder.name(of: $0.column), isAscending: $0.isAscending) }
                + keys.map { .init(column: $0.name, isAscending: true) }, limit: limit)
    }

    private var columns: [AggregateColumn] { recorder.columns }

    private func dictionaryRequest(matching predicate: NSPredicate?) -> NSFetchRequest<NSDictionary> {
        let dictionaries = NSFetchRequest<NSDictionary>()
        dictionaries.settings = request.settings
        dictionaries.affectedStores = request.affectedStores
        dictionaries.predicate = predicate
        dictionaries.sortDescriptors = nil
        dictionaries.resultType = .dictionaryResultType
        var names: Set<String> = []
        let properties = keys.filter { names.insert($0.name).inserted }.map(\.property)
        dictionaries.propertiesToFetch =
            properties
            + columns.map { column in
                let description = NSExpressionDescription()
                description.name = recorder.name(of: column)
                description.expression = CoreDataFoundation.NSExpression(column.expression)
                return description
            }
        dictionaries.propertiesToGroupBy = properties.isEmpty ? nil : properties
        dictionaries.havingPredicate = condition?.readsMeans == true ? nil : condition?.syntax.predicate
        dictionaries.settings.groupWindow = window
        return dictionaries
    }

    // MARK: Unsaved changes

    /// Whether unsaved changes of the context, or of its parents, may affect the result.
    private func affects(_ execution: FetchExecution) -> Bool {
        guard request.includesPendingChanges else { return false }
        var related = RelatedPaths(execution.prepared.layout, in: execution.prepared.model)
        if let predicate = execution.fetch.predicate { related.add(predicate) }
        for path in keys.map(\.path) + columns.compactMap(\.path) { related.add(keyPath: path) }
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
