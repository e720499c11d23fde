// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lets programs and tests watch the contexts of a coordinator, and the operations of its stores.

import Synchronization

extension NSPersistentStoreCoordinator {
    /// The contexts that exist and use this coordinator, directly or through a parent; parents come before children.
    ///
    /// ```swift
    /// let names = coordinator.liveContexts.map { $0.name ?? "unnamed" }
    /// ```
    ///
    /// Ours: for tests that look for contexts that are retained by mistake. The list retains the contexts, so release
    /// it soon.
    ///
    /// - Important: may be called on any thread.
    public var liveContexts: [NSManagedObjectContext] {
        func family(_ contexts: [NSManagedObjectContext]) -> [NSManagedObjectContext] {
            contexts.flatMap { context -> [NSManagedObjectContext] in
                let parent: any ExchangeFollower = context
                return [context] + family(parent.childContexts)
            }
        }
        return family(contexts.all())
    }

    /// Sets the block that is called when a context of this coordinator ends; nil removes it.
    ///
    /// ```swift
    /// coordinator.onContextEnd { context in
    ///     print("\(context.name ?? "A context") ends with \(context.objects.count) live objects.")
    /// }
    /// ```
    ///
    /// Ours: for tests that look for objects that outlive their context. Changed objects are retained by the context
    /// itself until it is gone, so keep weak references, and look at them later.
    ///
    /// - Parameter body: called on the thread that releases the context. It must not use the context or read values.
    /// - Complexity: without a block, the end of a context costs one test.
    public func onContextEnd(_ body: (@Sendable (EndedContext) -> Void)?) {
        contexts.endObserver.withLock { $0 = body }
    }
}

extension NSPersistentStoreCoordinator {
    /// The observers of the operations of this coordinator's stores; empty unless set.
    ///
    /// - Important: set it before the first store is added: stores decide when they are opened whether they report
    ///   their statements. Setting it later traps.
    public var storeObservers: [any StoreObserver] {
        get { observation.observers }
        set {
            precondition(
                attachedStores.isEmpty,
                "Stores are open already: set `storeObservers` before stores are added to the coordinator.")
            observation.observers = newValue
        }
    }
}
