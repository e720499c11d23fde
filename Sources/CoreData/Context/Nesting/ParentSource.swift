// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads from a parent context and saves to it, on the parent's queue. Documentation/Internals/NestedContexts.md.

import Foundation

/// The source of a child context. Each call waits for the parent's queue once.
final class ParentSource: ContextSource {
    private let context: NSManagedObjectContext
    /// Retained by `context`.
    private unowned(unsafe) let parts: ContextState
    private unowned(unsafe) let child: ContextState

    /// - Parameters:
    ///   - parts: the state of the parent.
    ///   - child: the state of the child, which retains this source.
    init(_ parent: NSManagedObjectContext, _ parts: ContextState, of child: ContextState) {
        context = parent
        self.parts = parts
        self.child = child
    }

    var coordinator: NSPersistentStoreCoordinator? { context.persistentStoreCoordinator }
    var parent: NSManagedObjectContext? { context }
    var followers: ContextList { parts.relations.children }

    func rows(_ keys: [Int64], root: EntityLayout, home: StoreIdentity?, maxAge: TimeInterval) throws -> [FetchedRow] {
        try reading { try $0.rows(keys, root: root, home: home, maxAge: maxAge) }
    }

    func members(of slot: Int, layout: EntityLayout, owners: [Int64], home: StoreIdentity?) throws -> [Int64: [Member]]
    {
        try reading { try $0.members(of: slot, layout: layout, owners: owners, home: home) }
    }

    func currentRow(_ key: Int64, root: EntityLayout, home: StoreIdentity?) throws -> FetchedRow? {
        try rows([key], root: root, home: home, maxAge: 0).first
    }

    func answer(_ fetch: RoutedFetch, _ result: BoundFetch.Result, windowed: Bool) throws -> RoutedFetch.Answer {
        try fetching { try $0.answer(fetch, result, windowed: windowed) }
    }

    func count(_ fetch: RoutedFetch, windowed: Bool) throws -> Int {
        try fetching { try $0.count(fetch, windowed: windowed) }
    }

    func home(of reference: Reference) -> StoreIdentity? {
        (context as any StateHolder).waitOnQueue { parts.faults.home(of: reference) }
    }

    func assignPermanentIDs(to keys: [ObjectKey]) throws {
        try onParent { parent in
            let coordinator = try parent.requireCoordinator("obtain permanent ids")
            let objects = keys.map { parent.registry.unique($0, nil, row: nil) }
            try PermanentIDs(parent, coordinator).assign(to: objects)
        }
    }

    func save(_ changes: [StoreChanges]) throws -> SourceSave {
        SourceSave(outcomes: try onParent { try ChildSave($0).apply(changes) })
    }

    private func reading<T>(_ body: (ParentReads) throws -> T) throws -> T {
        try onParent { try body(ParentReads($0)) }
    }

    /// Ends the parent's event first, so that a fetch sees delete rules applied.
    private func fetching<T>(_ body: (ParentReads) throws -> T) throws -> T {
        try onParent { parent in
            parent.processChanges()
            return try body(ParentReads(parent))
        }
    }

    /// If the parent cannot read a store during the call, the child reports the failure.
    private func onParent<T>(_ body: (ContextState) throws -> T) throws -> T {
        defer { child.applyParentUpdates() }
        return try (context as any StateHolder).waitOnQueue {
            try parts.failures.throwing { try body(parts) }
        }
    }
}
