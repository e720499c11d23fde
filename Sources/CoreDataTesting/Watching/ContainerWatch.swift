// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Collects the contexts and objects of a container while a block runs.

import CoreData
import Foundation
import Synchronization

/// One watching of a container.
///
/// # Rules
/// (1) Only weak references are kept: the watch must not extend a life.
/// (2) A context that ends reports its live objects. Those that are still alive later outlived it.
/// (3) Objects of contexts that existed before are compared with those registered before the block.
final class ContainerWatch: Sendable {
    /// The time after which a context that another thread releases is a leak.
    static let patience = Duration.milliseconds(500)

    private struct Remains {
        weak var object: NSManagedObject?
    }

    private struct State {
        var remains: [Handed<[Remains]>] = []
        var faulting: [RepeatedFaulting] = []
    }

    private let container: TestContainer
    private let mark: Int
    private let state = Mutex(State())
    /// The contexts before the block, with the number of runs of faults that they had found.
    private let before: [ObjectIdentifier: Int]
    private let registered: Set<ObjectIdentifier>

    init(_ container: TestContainer) {
        self.container = container
        let contexts = container.persistentStoreCoordinator.liveContexts
        var (before, registered): ([ObjectIdentifier: Int], Set<ObjectIdentifier>) = ([:], [])
        for context in contexts {
            before[ObjectIdentifier(context)] = context.performAndWait { context.repeatedFaulting.count }
            registered.formUnion(Self.objects(context).map { ObjectIdentifier($0) })
        }
        (self.before, self.registered) = (before, registered)
        mark = container.log.begin()
        container.persistentStoreCoordinator.onContextEnd { [weak self] context in self?.note(context) }
    }

    private static func objects(_ context: NSManagedObjectContext) -> [NSManagedObject] {
        context.performAndWait { Handed(context.registeredObjects.filter { !$0.hasChanges }) }.value.map(\.self)
    }

    private func note(_ context: EndedContext) {
        let remains = Handed(context.objects.map { Remains(object: $0) })
        state.withLock { state in
            state.remains.append(remains)
            state.faulting += context.repeatedFaulting
        }
    }

    func leaks() -> [Leak] {
        container.persistentStoreCoordinator.liveContexts.compactMap(leak)
            + [Self.leak(state.withLock(\.remains).flatMap { $0.value.compactMap(\.object) })].compactMap(\.self)
    }

    private func leak(_ context: NSManagedObjectContext) -> Leak? {
        let isNew = before[ObjectIdentifier(context)] == nil
        // Weakly: the set itself would retain the objects.
        let found = Self.objects(context).filter { isNew || !registered.contains(ObjectIdentifier($0)) }
            .map { Remains(object: $0) }
        let objects = found.compactMap(\.object)
        if isNew { return Leak(contextName: context.name, isContext: true, objects: Self.counts(objects)) }
        return objects.isEmpty ? nil : Leak(contextName: context.name, isContext: false, objects: Self.counts(objects))
    }

    private static func leak(_ objects: [NSManagedObject]) -> Leak? {
        objects.isEmpty ? nil : Leak(contextName: nil, isContext: false, objects: counts(objects))
    }

    private static func counts(_ objects: [NSManagedObject]) -> [String: Int] {
        objects.reduce(into: [:]) { $0[$1.entity.name ?? "", default: 0] += 1 }
    }

    /// Ends the watching.
    ///
    /// - Returns: the statements, and the runs of faults, each once.
    func end() -> (statements: [String], faulting: [RepeatedFaulting]) {
        container.persistentStoreCoordinator.onContextEnd(nil)
        var found = state.withLock { $0.faulting }
        for context in container.persistentStoreCoordinator.liveContexts {
            found += context.performAndWait { context.repeatedFaulting }
                .dropFirst(before[ObjectIdentifier(context)] ?? 0)
        }
        var seen: Set<RepeatedFaulting> = []
        return (container.log.end(mark), found.filter { seen.insert($0).inserted })
    }
}
