// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the records of a fetch, in order, without creating all their objects at once.

import CoreDataFoundation
import Foundation

extension FetchExecution {
    /// The keys of the results of `run`. Creates objects only for changed records, and, in portions, if matching or
    /// sorting needs objects.
    func resultKeys() throws -> ResultKeys {
        let overlay = overlay
        let answer = try answer(.keys, windowed: overlay == nil && !prepared.hasCode)
        var lists = try answer.parts.map { try shown($0, overlay) }
        if let overlay { lists.append(list(of: try overlay.matching())) }
        let isSorted =
            lists.filter { !$0.isEmpty }.count <= 1 && (answer.isSorted || answer.parts.isEmpty) && overlay == nil
        let keys = isSorted ? lists.first { !$0.isEmpty } ?? ResultKeys() : try ordered(lists, answer)
        return answer.isWindowed ? keys : keys.windowed(windowBounds, in: state.registry)
    }

    /// The part of the answer without changed objects, and without objects that code in the predicate rejects.
    private func shown(_ part: RoutedFetch.Answer.Part, _ overlay: PendingChangeOverlay?) throws -> ResultKeys {
        var result = ResultKeys()
        guard case .keys(let keys) = part.content else { return result }
        result.reserve(keys.count)
        for key in keys where overlay?.hides(key, part.home) != true {
            result.append(.init(key: key, home: part.home), in: state.registry)
        }
        guard prepared.hasCode, let predicate = fetch.predicate else { return result }
        let evaluator = try PredicateEvaluator(predicate)
        let pages = pages(of: result, size: RowChunk.size, realizes: true)
        let matching = try state.failures.throwing {
            try (0..<result.count).filter { try evaluator.matches(try pages.object(at: $0)) }
        }
        return result.picking(matching, in: state.registry)
    }

    private func list(of objects: [NSManagedObject]) -> ResultKeys {
        var result = ResultKeys()
        for object in objects {
            let key = ObjectKey(object.table.layout.index, object.key)
            result.append(.init(key: key, home: object.table.home), in: state.registry)
        }
        return result
    }

    private func pages(of keys: ResultKeys, size: Int, realizes: Bool = false) -> ResultPages {
        ResultPages(keys, state, prepared, size: size, limit: 2, realizes: realizes)
    }

    // MARK: Order

    /// Combines several lists into one. If the longest list that a store has sorted is much longer than the others,
    /// their records are inserted into it by binary search.
    private func ordered(_ lists: [ResultKeys], _ answer: RoutedFetch.Answer) throws -> ResultKeys {
        if prepared.sorting.isEmpty { return joined(lists) }
        let ordering = ObjectOrdering(prepared.sorting.map(\.descriptor))
        let base = answer.parts.indices.filter { answer.parts[$0].isOrdered }.max { lists[$0].count < lists[$1].count }
        let others = joined(lists.indices.filter { $0 != base }.map { lists[$0] })
        guard let base, others.count <= lists[base].count / 8 else { return try sorted(joined(lists), ordering) }
        return try inserted(try sorted(others, ordering), in: lists[base], ordering)
    }

    private func joined(_ lists: [ResultKeys]) -> ResultKeys {
        var result = ResultKeys()
        result.reserve(lists.reduce(0) { $0 + $1.count })
        for list in lists { for index in 0..<list.count { result.append(list[index], in: state.registry) } }
        return result
    }

    /// Reads every record once for each descriptor, and keeps their values during the sort.
    private func sorted(_ keys: ResultKeys, _ ordering: ObjectOrdering) throws -> ResultKeys {
        let pages = pages(of: keys, size: RowChunk.size)
        let tieOrder = tieOrder
        let places = try ordering.sorted((0..<keys.count).map { PagedRecord(pages: pages, index: $0) }) {
            tieOrder.precedes(keys[$0.index].place, keys[$1.index].place)
        }
        return keys.picking(places.lazy.map(\.index), in: state.registry)
    }

    private func inserted(_ others: ResultKeys, in base: ResultKeys, _ ordering: ObjectOrdering) throws -> ResultKeys {
        // Small pages, because the records that a binary search examines are far apart.
        let (pages, otherPages) = (pages(of: base, size: 8), pages(of: others, size: RowChunk.size))
        let tieOrder = tieOrder
        var result = ResultKeys()
        result.reserve(base.count + others.count)
        var next = 0
        for index in 0..<others.count {
            let object = try otherPages.object(at: index)
            var (low, high) = (next, base.count)
            while low < high {
                let middle = (low + high) / 2
                let result = ordering.compare(try pages.object(at: middle), object)
                let isBefore =
                    result == .orderedSame
                    ? tieOrder.precedes(base[middle].place, others[index].place) : result == .orderedAscending
                if isBefore { low = middle + 1 } else { high = middle }
            }
            while next < low {
                result.append(base[next], in: state.registry)
                next += 1
            }
            result.append(others[index], in: state.registry)
        }
        while next < base.count {
            result.append(base[next], in: state.registry)
            next += 1
        }
        return result
    }
}

/// The number of objects that are created at a time for examination.
private enum RowChunk {
    static let size = 500
}

extension ResultKeys.Record {
    fileprivate var place: (key: Int64, home: StoreIdentity?) { (key.key, home) }
}

/// A record to be sorted: its object is created when a value is needed, and released soon after.
private struct PagedRecord: KeyValueReadable {
    let pages: ResultPages
    let index: Int

    func storedValue(forKey key: String) throws -> Any? { try pages.object(at: index).value(forKey: key) }
}
