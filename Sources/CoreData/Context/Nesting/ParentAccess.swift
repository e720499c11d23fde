// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The way from a child to its parent: onto the parent's queue, and back with what it said.

import Foundation

/// What a child asks of its parent. Each call waits for the parent's queue once.
struct ParentAccess {
    private let child: NSManagedObjectContext
    private let parent: NSManagedObjectContext

    /// nil for a context that has no parent.
    @inline(__always) init?(_ child: NSManagedObjectContext) {
        guard let parent = child.storedParent else { return nil }
        self.child = child
        self.parent = parent
    }

    func rows(_ keys: [Int64], root: EntityLayout, home: StoreIdentity?, patience: TimeInterval) throws -> [FetchedRow]
    {
        try ask { try ParentReads($0).rows(keys, root: root, home: home, patience: patience) }
    }

    func members(of slot: Int, layout: EntityLayout, owners: [Int64], home: StoreIdentity?) throws -> [Int64: [Member]]
    {
        try ask { try ParentReads($0).members(of: slot, layout: layout, owners: owners, home: home) }
    }

    func answer(_ fetch: RoutedFetch, _ result: ResolvedFetch.Result, windowed: Bool) throws -> RoutedFetch.Answer {
        try ask { try ParentReads($0).answer(fetch, result, windowed: windowed) }
    }

    func count(_ fetch: RoutedFetch, windowed: Bool) throws -> Int {
        try ask { try ParentReads($0).count(fetch, windowed: windowed) }
    }

    func home(of reference: Reference) -> StoreIdentity? {
        parent.queue.sync(parent) { parent.home(of: reference) }
    }

    /// Hands the child's changes over: all of them, or none when there are conflicts.
    func save(_ changes: [StoreChanges]) throws -> [SaveOutcome] {
        try ask { try ChildSave(parent: $0, child: child).apply(changes) }
    }

    /// Gives insertions of the parent, or of one further up, permanent ids.
    func obtainPermanentIDs(for keys: [ObjectKey]) throws {
        try ask { parent in
            try PermanentIDs(parent).obtain(for: keys.map { parent.registry.unique($0, nil, row: nil) })
        }
    }

    /// A store that could not be read while the parent worked for the child is the child's failure.
    private func ask<T>(_ body: (NSManagedObjectContext) throws -> T) throws -> T {
        defer { child.readNews() }
        return try parent.queue.sync(parent) {
            // The parent's read transaction may be too old for the child.
            parent.burst?.renew(after: child.stalenessInterval)
            let before = parent.storedReadFailure
            parent.storedReadFailure = nil
            defer { if parent.storedReadFailure == nil { parent.storedReadFailure = before } }
            let result = try body(parent)
            if let failure = parent.readFailure {
                parent.readFailure = nil
                throw failure
            }
            return result
        }
    }
}
