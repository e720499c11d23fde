// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Notices when faults fire one at a time, and finds the relationship that led to them. Fetching-24.

import Foundation
import Synchronization

/// # Rule
/// Counted are faults for which a store, or a parent, was asked on their own; by the root entity of the objects, or by
/// the to-many that was read. What follows within a second, in the same block of the context, is one run. Nothing is
/// paid by faults that have their row at hand.
final class FaultRunCounter {
    private struct Kind: Hashable {
        var rootIndex: Int
        /// nil for the values of the objects.
        var toMany: String?
    }

    private struct Run {
        /// Of the faults, as many as are needed to find what led to them.
        var keys: Set<Int64> = []
        var count = 0
        var last = ContinuousClock.now
        var isTold = false
    }

    private struct Way {
        var source: EntityLayout
        var path: String
    }

    private static let pause = Duration.seconds(1)
    private static let told = Mutex<Set<String>>([])

    private var runs: [Kind: Run] = [:]
    /// By the root entity that was reached one at a time: from where.
    private var ways: [Int: Way] = [:]
    private(set) var found: [FaultRun] = []
    private var error: (any Error)?

    func count(_ object: NSManagedObject, toMany slot: Int?, in context: NSManagedObjectContext) {
        let layout = object.table.layout
        let kind = Kind(rootIndex: layout.rootIndex, toMany: slot.map { layout.properties[$0].name })
        let now = ContinuousClock.now
        var run = runs.removeValue(forKey: kind) ?? Run()
        if now - run.last > Self.pause { run = Run() }
        run.last = now
        run.count += 1
        let policy = context.faultRunPolicy
        if run.keys.count <= policy.limit { run.keys.insert(object.key) }
        if run.count > policy.limit, !run.isTold {
            run.isTold = true
            tell(fault(of: object, slot, run, context), policy)
        }
        runs[kind] = run
    }

    /// The block of the context that ran has ended.
    func endEvent() {
        runs = [:]
        ways = [:]
    }

    /// What strict contexts throw, once.
    func takeError() -> (any Error)? {
        defer { error = nil }
        return error
    }

    // MARK: Telling

    private func fault(of object: NSManagedObject, _ slot: Int?, _ run: Run, _ context: NSManagedObjectContext)
        -> FaultRun
    {
        let layout = object.table.layout
        let model = context.registry.model
        if let slot {
            let way = Way(source: layout, path: layout.properties[slot].name)
            let destination = model.layouts[Int(layout[slot].destination)]
            return report(extended(way), destination, run, leadsTo: destination)
        }
        let root = model.layouts[layout.rootIndex]
        guard let way = way(to: root, run.keys, context) else {
            return FaultRun(
                entityName: root.name, keyPath: nil, destinationEntityName: root.name, count: run.count)
        }
        return report(extended(way), root, run, leadsTo: root)
    }

    private func report(_ way: Way, _ destination: EntityLayout, _ run: Run, leadsTo reached: EntityLayout) -> FaultRun
    {
        if way.source.rootIndex != reached.rootIndex { ways[reached.rootIndex] = way }
        return FaultRun(
            entityName: way.source.name, keyPath: way.path, destinationEntityName: destination.name, count: run.count)
    }

    /// Objects that were themselves reached one at a time are read along from where that began.
    private func extended(_ way: Way) -> Way {
        guard let before = ways[way.source.rootIndex] else { return way }
        return Way(source: before.source, path: before.path + "." + way.path)
    }

    /// The to-one of registered objects that leads to most of the faults. Looked for once in a run.
    private func way(to root: EntityLayout, _ keys: Set<Int64>, _ context: NSManagedObjectContext) -> Way? {
        var hits: [Int: [Int: Int]] = [:]
        for object in context.registry.objects() where !object.isFault {
            guard let row = object.snapshot else { continue }
            let layout = object.table.layout
            for slot in layout.toOneSlots where leads(layout, slot, to: root, context) {
                guard let key = row.reference(slot)?.key, keys.contains(key) else { continue }
                hits[layout.index, default: [:]][slot, default: 0] += 1
            }
        }
        let all = hits.flatMap { index, slots in slots.map { (index: index, slot: $0.key, count: $0.value) } }
        // In the order of entities and slots where several lead to as many.
        guard
            let best = all.min(by: { (-$0.count, $0.index, $0.slot) < (-$1.count, $1.index, $1.slot) }),
            best.count > 1
        else { return nil }
        let source = context.registry.model.layouts[best.index]
        return Way(source: source, path: source.properties[best.slot].name)
    }

    private func leads(_ layout: EntityLayout, _ slot: Int, to root: EntityLayout, _ context: NSManagedObjectContext)
        -> Bool
    {
        let destination = Int(layout[slot].destination)
        return destination >= 0 && context.registry.model.layouts[destination].rootIndex == root.index
    }

    private func tell(_ run: FaultRun, _ policy: FaultRunPolicy) {
        if !found.contains(where: { $0.entityName == run.entityName && $0.keyPath == run.keyPath }) {
            found.append(run)
        }
        switch policy.response {
        case .nothing: break
        case .warning:
            let name = "\(run.entityName).\(run.keyPath ?? "")"
            if Self.told.withLock({ $0.insert(name).inserted }) { DiagnosisLog.warn(run.description) }
        case .error: error = CoreDataError.general(run.description)
        }
    }
}

extension NSManagedObjectContext {
    /// A store, or the parent, is about to be asked for one fault on its own.
    @inline(__always) func noteLoneFault(_ object: NSManagedObject, toMany slot: Int? = nil) {
        if settings.countsFaults.load(ordering: .relaxed) { countLoneFault(object, slot) }
    }

    private func countLoneFault(_ object: NSManagedObject, _ slot: Int?) {
        // A parent has the row at hand.
        if slot == nil, storedParent != nil,
            object.table.records?.rowCache.row(root: object.table.layout.rootIndex, key: object.key) != nil
        {
            return
        }
        let counter = faultRunCounter ?? FaultRunCounter()
        faultRunCounter = counter
        counter.count(object, toMany: slot, in: self)
    }

    /// - Throws: in a strict context, what fired one at a time since the last call.
    func throwFaultRun() throws {
        if let error = faultRunCounter?.takeError() { throw error }
    }
}
