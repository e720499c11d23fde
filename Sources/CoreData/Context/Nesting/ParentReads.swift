// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A parent context's answers to the reads of a child. NestedContexts-1 to 5 and NestedContexts-12.

import Foundation

/// Runs on the parent's queue, and registers nothing in the parent.
struct ParentReads {
    private let registry: ObjectRegistry
    private let source: any ContextSource
    private let tracker: ChangeTracker
    private let failures: ReadFailures

    /// - Parameter state: that of the parent.
    init(_ state: ContextState) {
        registry = state.registry
        source = state.source
        tracker = state.tracker
        failures = state.failures
    }

    // MARK: Records

    /// The parent's state of a record, independent of its source.
    private enum ParentState {
        case none
        case gone
        case row(Snapshot)
    }

    func rows(_ keys: [Int64], root: EntityLayout, home: StoreIdentity?, maxAge: TimeInterval) throws -> [FetchedRow] {
        var rows: [FetchedRow] = []
        var unknown: [Int64] = []
        for key in keys {
            switch parentState(of: registry.object(ObjectKey(root.index, key), home)) {
            case .row(let row): rows.append(FetchedRow(key: key, snapshot: row))
            case .gone: continue
            case .none: unknown.append(key)
            }
        }
        if unknown.isEmpty { return rows }
        return try rows + sourceRows(unknown, root, home, maxAge)
    }

    private func sourceRows(_ keys: [Int64], _ root: EntityLayout, _ home: StoreIdentity?, _ maxAge: TimeInterval)
        throws -> [FetchedRow]
    {
        if home != nil { return try source.rows(keys, root: root, home: home, maxAge: maxAge) }
        // Old temporary keys: the parent knows the new ones, or asks its source.
        return try keys.flatMap { key -> [FetchedRow] in
            let known = registry.permanentID(key)
            return try source.rows([known?.key ?? key], root: root, home: known?.home, maxAge: maxAge)
                .map { FetchedRow(key: key, snapshot: $0.snapshot) }
        }
    }

    private func parentState(of object: NSManagedObject?) -> ParentState {
        guard let object else { return .none }
        if object.isMarkedDeleted || object.flags.contains(.inaccessible) { return .gone }
        if object.isUnsaved { return .row(snapshotForChild(object)) }
        guard !object.isFault, let row = object.snapshot else { return .none }
        return .row(resolved(row.withoutTransients(), of: nil))
    }

    /// The block of a changed object, without transient values, which stay in their context. From now on the child
    /// shares the object's block, and the object copies it before its next write.
    private func snapshotForChild(_ object: NSManagedObject) -> Snapshot {
        let own = resolved(object.realized, of: object)
        let row = own.withoutTransients()
        if row === own { object.flags.remove(.ownsSnapshot) }
        return row
    }

    /// - Parameter object: receives the block if it had to be copied.
    private func resolved(_ row: Snapshot, of object: NSManagedObject?) -> Snapshot {
        guard registry.remembersKeys, row.holdsTemporaryReferences else { return row }
        let copy = row.copy()
        copy.resolveReferences { registry.permanentID($0)?.key }
        if let object {
            if object.objectExtension?.committed === row { object.objectExtension?.committed = copy }
            object.snapshot = copy
        }
        return copy
    }

    // MARK: Relationships

    func members(of slot: Int, layout: EntityLayout, owners: [Int64], home: StoreIdentity?) throws -> [Int64: [Member]]
    {
        var result: [Int64: [Member]] = [:]
        var unknown: [Int64] = []
        let ordinal = Int(layout[slot].ordinal)
        for key in owners {
            if let object = registry.object(ObjectKey(layout.index, key), home), !object.isFault,
                object.isInserted || object.objectExtension?.members[ordinal]?.isOwnState == true
            {
                result[key] = object.members(slot).filter { !$0.isMarkedDeleted }.map {
                    Member(key: ObjectKey($0.table.layout.index, $0.key), home: $0.key < 0 ? nil : $0.table.home)
                }
            } else {
                unknown.append(key)
            }
        }
        if unknown.isEmpty { return result }
        return result.merging(try sourceMembers(slot, layout, unknown, home)) { mine, _ in mine }
    }

    private func sourceMembers(_ slot: Int, _ layout: EntityLayout, _ owners: [Int64], _ home: StoreIdentity?) throws
        -> [Int64: [Member]]
    {
        var result: [Int64: [Member]] = [:]
        if home != nil {
            result = try source.members(of: slot, layout: layout, owners: owners, home: home)
        } else {
            for key in owners {
                let known = registry.permanentID(key)
                let found = try source.members(
                    of: slot, layout: layout, owners: [known?.key ?? key], home: known?.home)
                result[key] = found.values.first
            }
        }
        let inverse = layout.toOneInverse(slot)
        for (key, members) in result {
            let owner = registry.permanentID(key)?.key ?? key
            result[key] = members.filter { member in
                guard let object = registry.object(member.key, member.home) else { return true }
                return !object.isMarkedDeleted && !(inverse.map { object.wasUnlinked(owner, $0) } ?? false)
            }
        }
        return result
    }

    // MARK: Fetches

    private func overlay(_ route: RoutedFetch) -> PendingChangeOverlay? {
        PendingChangeOverlay(tracker.unsaved, over: route, in: registry, failures, source.coordinator)
    }

    /// Requires that the parent's event has ended.
    func answer(_ route: RoutedFetch, _ result: BoundFetch.Result, windowed: Bool) throws -> RoutedFetch.Answer {
        let overlay = overlay(route)
        var answer = try source.answer(route, result, windowed: windowed && overlay == nil)
        answer.parts = answer.parts.map { withParentValues($0, route, overlay) }
        guard let overlay else { return answer }
        // Code in a predicate is called with the child's objects.
        let changed = try route.fetch.prepared.hasCode ? overlay.present : overlay.matching()
        for (home, objects) in Dictionary(grouping: changed, by: { $0.key < 0 ? nil : $0.table.home.map(HomeKey.init) })
        {
            answer.add(.init(home: home?.identity, content: content(objects, result), isOrdered: false))
        }
        answer.isSorted = false
        answer.isWindowed = false
        return answer
    }

    /// Requires that the parent's event has ended.
    func count(_ route: RoutedFetch, windowed: Bool) throws -> Int {
        if overlay(route) == nil { return try source.count(route, windowed: windowed) }
        let total = try answer(route, .keys, windowed: false).parts.reduce(0) { total, part in
            guard case .keys(let keys) = part.content else { return total }
            return total + keys.count
        }
        return windowed ? route.windowed(total) : total
    }

    /// The part without the objects that are changed in the parent, and with the parent's values in place of the
    /// store's.
    private func withParentValues(
        _ part: RoutedFetch.Answer.Part, _ route: RoutedFetch, _ overlay: PendingChangeOverlay?
    )
        -> RoutedFetch.Answer.Part
    {
        let home = part.home
        var part = part
        switch part.content {
        case .keys(let keys):
            guard let overlay else { return part }
            part.content = .keys(keys.filter { registry.object($0, home).map(overlay.hides) != true })
        case .rows(let rows):
            let refreshes = route.fetch.prepared.options.contains(.shouldRefreshRefetchedObjects)
            part.content = .rows(
                rows.compactMap { row in
                    guard let object = registry.object(ObjectKey(row.snapshot.layout.index, row.key), home) else {
                        return row
                    }
                    if overlay?.hides(object) == true { return nil }
                    guard !refreshes, case .row(let own) = parentState(of: object) else { return row }
                    return FetchedRow(key: row.key, snapshot: own)
                })
        case .count, .dictionaries: break
        }
        return part
    }

    private func content(_ objects: [NSManagedObject], _ result: BoundFetch.Result) -> FetchOutcome {
        if case .keys = result { return .keys(objects.map { ObjectKey($0.table.layout.index, $0.key) }) }
        return .rows(objects.map { FetchedRow(key: $0.key, snapshot: snapshotForChild($0)) })
    }

    private struct HomeKey: Hashable {
        let identity: StoreIdentity

        static func == (one: HomeKey, other: HomeKey) -> Bool { one.identity === other.identity }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(identity)) }
    }
}

extension ToManyValue {
    /// Whether it differs from the state in the source of the context.
    fileprivate var isOwnState: Bool { !isFault || hasChanges }
}
