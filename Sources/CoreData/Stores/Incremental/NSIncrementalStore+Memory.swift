// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Helper methods for custom incremental stores that can only list, read and write records. An addition to Apple's API.

import Foundation

extension NSIncrementalStore {
    /// Evaluates a fetch in memory: predicate, order, offset, limit, counts, and dictionaries with
    /// expressions and groups.
    ///
    /// A store that can only list its records returns the result from `execute(_:with:)`. A store that can narrow the
    /// search passes fewer ids; the predicate is evaluated for these in any case.
    ///
    /// - Parameters:
    ///   - request: the unchanged request of `execute(_:with:)`.
    ///   - ids: the records of the entity, or more. Records of other entities are ignored, and duplicates count once.
    ///   - context: the context of `execute(_:with:)`.
    /// - Returns: sorted ids, for requests of objects and of ids; dictionaries; or one number.
    /// - Throws: 134060 for any other request; the errors of `newValuesForObject(with:with:)`; errors of the predicate.
    /// - Complexity: reads each record once, and the records of relationships that the request follows.
    public final func results(
        of request: NSFetchRequest<any NSFetchRequestResult>, among ids: [NSManagedObjectID],
        with context: NSManagedObjectContext?
    ) throws -> [Any] {
        guard let request = request as? StoreFetchRequest else {
            throw CoreDataError.general(
                "\(Swift.type(of: self)) asks for the results of a request that it was not called with: hand on the request "
                    + "of execute(_:with:) itself, not a copy.")
        }
        do {
            return try asked { try FetchInMemory($0, request).results(among: ids) }
        } catch {
            throw CoreDataError.request(error, entity: request.fetch.layout.name)
        }
    }

    /// The values of an object in the form of a node, to be written by a save.
    ///
    /// - Returns: values by name: attributes that are not nil, an id for each to-one relationship, an array of ids for
    ///   each to-many relationship, in order if it is ordered. Excludes transient properties, and objects that the same
    ///   save deletes. Derived attributes are computed from the current objects.
    public final func storedValues(of object: NSManagedObject) -> [String: Any] {
        var result: [String: Any] = [:]
        let layout = object.table.layout
        for slot in layout.attributeSlots where !layout[slot].isTransient {
            let name = layout.properties[slot].name
            result[name] = object.primitiveValue(forKey: name)
        }
        for rule in derived where layout.isKind(of: rule.layout) {
            let value = try? rule.value(of: object, now: Date()) { slot in
                object.members(slot).count { !$0.isMarkedDeleted }
            }
            result[layout.properties[rule.slot].name] = value
        }
        for slot in layout.toOneSlots where !layout[slot].isTransient {
            result[layout.properties[slot].name] = object.destination(slot)?.objectID
        }
        for slot in layout.toManySlots where !layout[slot].isTransient {
            result[layout.properties[slot].name] = object.members(slot).filter { !$0.isMarkedDeleted }.map(\.objectID)
        }
        return result
    }

    /// The version of an object's record after the save, for stores that count versions: 1 for a new object, otherwise
    /// one more than the version of the object's values, also for a record written again after a deletion.
    public final func nextVersion(of object: NSManagedObject) -> UInt64 {
        let version = (object.objectExtension?.committed ?? object.snapshot)?.version ?? 0
        return UInt64(clamping: version) + 1
    }
}

/// A fetch over records of which only the ids are known.
private struct FetchInMemory {
    private let answers: StoreAnswers
    private let request: StoreFetchRequest

    init(_ answers: StoreAnswers, _ request: StoreFetchRequest) {
        self.answers = answers
        self.request = request
    }

    func results(among ids: [NSManagedObjectID]) throws -> [Any] {
        let candidates = try rows(ids)
        for row in candidates { request.rows[row.key] = row }
        let outcome = try answers.withRelatedRows { try RowFetch(request.fetch, $0).run(over: candidates) }
        switch outcome {
        case .rows(let rows): return rows.map { answers.id($0.key, $0.snapshot.layout) }
        case .keys(let keys): return keys.map { answers.id($0.key, answers.model.layouts[$0.entityIndex]) }
        case .count(let count): return [NSNumber(value: count)]
        case .dictionaries(let dictionaries): return dictionaries
        }
    }

    /// In the order of their keys, as in every store.
    private func rows(_ ids: [NSManagedObjectID]) throws -> [FetchedRow] {
        let fetch = request.fetch
        var seen: Set<Int64> = []
        return try ids.filter { $0.layout.rootIndex == fetch.layout.rootIndex && seen.insert($0.key).inserted }
            .sorted { $0.key < $1.key }
            .compactMap { id in
                try answers.check(id, answers.model.layouts[fetch.layout.rootIndex], nil)
                guard let row = try answers.row(id.key, id.layout) else { return nil }
                let layout = row.snapshot.layout
                let isAsked = fetch.includesSubentities ? layout.isKind(of: fetch.layout) : layout === fetch.layout
                return isAsked ? row : nil
            }
    }
}
