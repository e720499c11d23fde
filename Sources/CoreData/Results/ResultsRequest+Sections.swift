// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The names of the sections of a results controller: from rows, from the stores, or from objects.

import CoreDataFoundation
import Foundation

extension ResultsRequest {
    func sectionName(of object: NSManagedObject) -> String {
        guard let sectionReader else { return "" }
        return Self.text((try? sectionReader.value(of: object)) ?? nil)
    }

    /// A value as the name of a section: a string unchanged, a number in decimal, nil as "".
    static func text(_ value: Any?) -> String {
        switch ComparableValue(value) {
        case .null: ""
        case .string(let text): text
        case .integer(let number): String(number)
        case .unsigned(let number): String(number)
        case .double(let number): NSNumber(value: number).stringValue
        case .decimal(let number): number.description
        case .uuid(let uuid): uuid.uuidString
        case .url(let url): url.absoluteString
        // The description of a date that is not a number traps.
        case .date(let date): (date as NSDate).description
        default: value.map { String(describing: $0) } ?? ""
        }
    }

    /// One name for each object; empty without a section key path.
    ///
    /// Attributes are read from the rows that objects are primed with, without firing faults. With a batch size there
    /// are no rows: the stores provide the names.
    func sectionNames(of objects: [NSManagedObject], _ extent: ResultsExtent) throws -> [String] {
        guard let sectionKeyPath, let sectionReader, let first = objects.first else { return [] }
        let slot = Self.plainSlot(sectionKeyPath, route.fetch.layout)
        if slot != nil, let names = try countedNames(sectionKeyPath, objects, extent) { return names }
        let stored = request.fetchBatchSize > 0 ? try storedNames(sectionKeyPath, extent) : [:]
        if slot == nil, stored.isEmpty { prefetchSections(objects) }
        if request.fetchBatchSize > 0, stored.isEmpty, slot != nil {
            try context.state.faults.prime(objects.filter { $0.isFault && $0.snapshot == nil })
        }
        let readsRows = slot != nil && !MethodOverride.valueForKey.isPresent(in: type(of: first))
        return objects.map { object in
            if object.isFault, let name = stored[object.objectID] { return name }
            if readsRows, let slot, let row = object.snapshot { return Self.text(row.value(slot)) }
            return Self.text((try? sectionReader.value(of: object)) ?? nil)
        }
    }

    /// The names by position, if the objects are in the order of their sections: then the store counts each section.
    /// nil if the order may be different, or if objects of the context may have other names.
    private func countedNames(
        _ keyPath: String, _ objects: [NSManagedObject], _ extent: ResultsExtent
    ) throws -> [String]? {
        guard let first = route.fetch.prepared.sorting.first, first.descriptor.key == keyPath,
            first.comparison == .standard, request.fetchBatchSize > 0, bounds(of: extent) == (0, 0),
            route.stores.count == 1, context.state.parent == nil, !route.fetch.prepared.hasCode, !context.hasChanges,
            objects.allSatisfy({ $0.isFault && $0.snapshot == nil })
        else { return nil }
        let count = NSExpressionDescription()
        count.name = "number of objects"
        count.expression = NSExpression(
            forFunction: "count:", arguments: [NSExpression.expressionForEvaluatedObject()])
        count.expressionResultType = .integer64AttributeType
        let groups = columns([keyPath, count])
        groups.propertiesToGroupBy = [keyPath]
        groups.sortDescriptors = [first.descriptor]
        var names: [String] = []
        names.reserveCapacity(objects.count)
        for row in try FetchExecution(context.state, groups).run(as: NSDictionary.self) {
            guard let number = row[count.name] as? NSNumber else { return nil }
            names.append(contentsOf: repeatElement(Self.text(row[keyPath]), count: number.intValue))
        }
        // Another writer may have saved between the two statements.
        return names.count == objects.count ? names : nil
    }

    /// The same request, for values instead of objects.
    private func columns(_ properties: [Any]) -> NSFetchRequest<NSDictionary> {
        let columns = NSFetchRequest<NSDictionary>()
        columns.settings = request.settings
        columns.affectedStores = request.affectedStores
        columns.resultType = .dictionaryResultType
        columns.propertiesToFetch = properties
        columns.fetchBatchSize = 0
        columns.relationshipKeyPathsForPrefetching = nil
        return columns
    }

    private func prefetchSections(_ objects: [NSManagedObject]) {
        guard let sectionKeyPath, let dot = sectionKeyPath.lastIndex(of: ".") else { return }
        try? Prefetching(context.state.faults, route.fetch.prepared).run([String(sectionKeyPath[..<dot])], objects)
    }

    /// The slot of a key path, if it is an attribute of the entity with a plain value in its row.
    static func plainSlot(_ keyPath: String, _ layout: EntityLayout) -> Int? {
        guard let slot = layout.slot(keyPath), !layout[slot].isTransient else { return nil }
        switch layout[slot].kind {
        case .reference, .toMany, .fetched, .box: return nil
        default: return slot
        }
    }

    /// The names of records by id, from the stores; empty if only objects have the values.
    private func storedNames(_ keyPath: String, _ extent: ResultsExtent) throws -> [NSManagedObjectID: String] {
        let path = try KeyPathResolver(model: route.fetch.model).resolve(keyPath, from: route.fetch.layout)
        let isStored = path.steps.allSatisfy { !route.fetch.model.layouts[$0.layoutIndex][$0.slot].isTransient }
        guard isStored, context.state.parent == nil, !route.fetch.prepared.hasCode,
            !keyPath.contains(".") || !context.hasChanges
        else { return [:] }
        let columns = columns(["objectID", keyPath])
        (columns.fetchLimit, columns.fetchOffset) = bounds(of: extent)
        if columns.fetchLimit == 0, columns.fetchOffset == 0 { columns.sortDescriptors = [] }
        var names: [NSManagedObjectID: String] = [:]
        for row in try FetchExecution(context.state, columns).run(as: NSDictionary.self) {
            guard let id = row["objectID"] as? NSManagedObjectID else { continue }
            names[id] = Self.text(row[keyPath])
        }
        return names
    }
}
