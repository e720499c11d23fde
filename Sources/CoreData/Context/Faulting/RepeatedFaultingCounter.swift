// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Detects faults that fire one at a time, and finds the relationship that was followed. Fetching-24.

import Foundation
import Synchronization

/// # Rule
/// Counts faults that need a separate read from a store or a parent, by the root entity of the objects, or by the
/// to-many relationship that was read. Faults within a second, in the same block of the context, are one run. Faults
/// that are primed or cached cost nothing.
final class RepeatedFaultingCounter {
    private struct Kind: Hashable {
        var rootIndex: Int
        /// nil if the values of the objects were read.
        var toMany: String?
    }

    private struct Run {
        /// As many keys of the faults as are needed to find the relationship that was followed.
        var keys: Set<Int64> = []
        var count = 0
        var last = ContinuousClock.now
        var isReported = false
    }

    private struct Route {
        var source: EntityLayout
        var path: String
    }

    private static let pause = Duration.seconds(1)
    private static let warned = Mutex<Set<String>>([])

    private let registry: ObjectRegistry
    private let settings: ContextSettings
    private var runs: [Kind: Run] = [:]
    /// By the root entity of objects that were read one at a time: the relationship to them.
    private var routes: [Int: Route] = [:]
    private(set) var found: [RepeatedFaulting] = []
    private var error: (any Error)?

    init(_ registry: ObjectRegistry, _ settings: ContextSettings) {
        self.registry = registry
        self.settings = settings
    }

    func count(_ object: NSManagedObject, toMany slot: Int?) {
        let layout = object.table.layout
        let kind = Kind(rootIndex: layout.rootIndex, toMany: slot.map { layout.properties[$0].name })
        let now = ContinuousClock.now
        var run = runs.removeValue(forKey: kind) ?? Run()
        if now - run.last > Self.pause { run = Run() }
        run.last = now
        run.count += 1
        let policy = settings.read(\.repeatedFaultingPolicy)
        if run.keys.count <= policy.limit { run.keys.insert(object.key) }
        if run.count > policy.limit, !run.isReported {
            run.isReported = true
            record(fault(of: object, slot, run), policy)
        }
        runs[kind] = run
    }

    /// Called at the end of the context's block.
    func endEvent() {
        runs = [:]
        routes = [:]
    }

    /// The error of a strict context, once.
    func takeError() -> (any Error)? {
        defer { error = nil }
        return error
    }

    // MARK: Reports

    private func fault(of object: NSManagedObject, _ slot: Int?, _ run: Run) -> RepeatedFaulting {
        let layout = object.table.layout
        let model = registry.model
        if let slot {
            let route = Route(source: layout, path: layout.properties[slot].name)
            let destination = model.layouts[Int(layout[slot].destination)]
            return report(extended(route), destination, run, reaching: destination)
        }
        let root = model.layouts[layout.rootIndex]
        guard let route = route(to: root, run.keys) else {
            return RepeatedFaulting(
                entityName: root.name, keyPath: nil, destinationEntityName: root.name, count: run.count)
        }
        return report(extended(route), root, run, reaching: root)
    }

    private func report(_ route: Route, _ destination: EntityLayout, _ run: Run, reaching reached: EntityLayout)
        -> RepeatedFaulting
    {
        if route.source.rootIndex != reached.rootIndex { routes[reached.rootIndex] = route }
        return RepeatedFaulting(
            entityName: route.source.name, keyPath: route.path, destinationEntityName: destination.name,
            count: run.count)
    }

    /// If the source objects were themselves read one at a time, the path begins where that began.
    private func extended(_ route: Route) -> Route {
        guard let before = routes[route.source.rootIndex] else { return route }
        return Route(source: before.source, path: before.path + "." + route.path)
    }

    /// The to-one relationship of registered objects that refers to most of the faults. Searched once in a run.
    private func route(to root: EntityLayout, _ keys: Set<Int64>) -> Route? {
        var hits: [Int: [Int: Int]] = [:]
        for object in registry.objects() where !object.isFault {
            guard let row = object.snapshot else { continue }
            let layout = object.table.layout
            for slot in layout.toOneSlots where isPath(layout, slot, to: root) {
                guard let key = row.reference(slot)?.key, keys.contains(key) else { continue }
                hits[layout.index, default: [:]][slot, default: 0] += 1
            }
        }
        let all = hits.flatMap { index, slots in slots.map { (index: index, slot: $0.key, count: $0.value) } }
        // In the order of entities and slots if several refer to the same number.
        guard
            let best = all.min(by: { (-$0.count, $0.index, $0.slot) < (-$1.count, $1.index, $1.slot) }),
            best.count > 1
        else { return nil }
        let source = registry.model.layouts[best.index]
        return Route(source: source, path: source.properties[best.slot].name)
    }

    private func isPath(_ layout: EntityLayout, _ slot: Int, to root: EntityLayout) -> Bool {
        let destination = Int(layout[slot].destination)
        return destination >= 0 && registry.model.layouts[destination].rootIndex == root.index
    }

    private func record(_ run: RepeatedFaulting, _ policy: RepeatedFaultingPolicy) {
        if !found.contains(where: { $0.entityName == run.entityName && $0.keyPath == run.keyPath }) {
            found.append(run)
        }
        switch policy.response {
        case .nothing: break
        case .warning:
            let name = "\(run.entityName).\(run.keyPath ?? "")"
            if Self.warned.withLock({ $0.insert(name).inserted }) { DiagnosisLog.warn(run.description) }
        case .error: error = CoreDataError.general(run.description)
        }
    }
}
