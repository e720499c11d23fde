// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads from a parent context and saves to it, on the parent's queue. Documentation/NestedContexts.md.

import Foundation

/// The source of a child. Each call waits for the parent's queue once.
final class ParentSource: ContextSource {
    private let context: NSManagedObjectContext
    private unowned(unsafe) let child: NSManagedObjectContext

    /// - Parameter child: it holds this source.
    init(_ parent: NSManagedObjectContext, of child: NSManagedObjectContext) {
        context = parent
        self.child = child
    }

    var coordinator: NSPersistentStoreCoordinator? { context.persistentStoreCoordinator }
    var parent: NSManagedObjectContext? { context }
    var followers: ContextList { context.state.family.children }

    func rows(_ keys: [Int64], root: EntityLayout, home: StoreIdentity?, maxAge: TimeInterval) throws -> [FetchedRow] {
        try onParent { try ParentReads($0).rows(keys, root: root, home: home, maxAge: maxAge) }
    }

    func members(of slot: Int, layout: EntityLayout, owners: [Int64], home: StoreIdentity?) throws -> [Int64: [Member]]
    {
        try onParent { try ParentReads($0).members(of: slot, layout: layout, owners: owners, home: home) }
    }

    func currentRow(_ key: Int64, root: EntityLayout, home: StoreIdentity?) throws -> FetchedRow? {
        try rows([key], root: root, home: home, maxAge: 0).first
    }

    func answer(_ fetch: RoutedFetch, _ result: BoundFetch.Result, windowed: Bool) throws -> RoutedFetch.Answer {
        try onParent { try ParentReads($0).answer(fetch, result, windowed: windowed) }
    }

    func count(_ fetch: RoutedFetch, windowed: Bool) throws -> Int {
        try onParent { try ParentReads($0).count(fetch, windowed: windowed) }
    }

    func home(of reference: Reference) -> StoreIdentity? {
        context.queue.sync(context) { context.state.faults.home(of: reference) }
    }

    func assignPermanentIDs(to keys: [ObjectKey]) throws {
        try onParent { parent in
            try PermanentIDs(parent).assign(to: keys.map { parent.registry.unique($0, nil, row: nil) })
        }
    }

    func save(_ changes: [StoreChanges]) throws -> SourceSave {
        SourceSave(outcomes: try onParent { try ChildSave(parent: $0).apply(changes) })
    }

    /// The child reports the failure of a store that could not be read while the parent worked for it.
    private func onParent<T>(_ body: (ContextState) throws -> T) throws -> T {
        defer { child.state.applyParentUpdates() }
        let interval = child.state.settings.staleness
        return try context.queue.sync(context) {
            let parent = context.state
            // The parent's read transaction may be too old for the child.
            parent.scope.burst?.renew(after: interval)
            return try parent.failures.throwing { try body(parent) }
        }
    }
}
