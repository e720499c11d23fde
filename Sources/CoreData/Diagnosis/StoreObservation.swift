// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Calls the observers of a coordinator. Documentation/Internals/Telemetry.md

import CRuntime
import Foundation
import Synchronization

/// The observers of one coordinator.
///
/// # Invariants
/// (1) Without observers an operation tests `isActive` and does nothing else (Telemetry-O1).
/// (2) Each beginning is followed by one end, also after an error (Telemetry-O2).
package final class StoreObservation: Sendable {
    private struct State {
        var observers: [any StoreObserver] = []
        /// The distinct systems of the open stores.
        var systems: [String] = []
    }

    private let flag = Atomic<Bool>(false)
    private let state = Mutex(State())
    private static let lastID = Atomic<UInt64>(0)

    package init() {}

    @inline(__always) package var isActive: Bool { flag.load(ordering: .relaxed) }

    package var observers: [any StoreObserver] {
        get { state.withLock { $0.observers } }
        set {
            state.withLock { $0.observers = newValue }
            flag.store(!newValue.isEmpty, ordering: .relaxed)
        }
    }

    /// Notes the database of a store that was opened.
    func opened(_ type: String) {
        let name: String? =
            switch type {
            case NSSQLiteStoreType: "sqlite"
            case "PostgreSQL": "postgresql"
            default: nil
            }
        state.withLock { state in
            if !state.systems.contains(name ?? "") { state.systems.append(name ?? "") }
        }
    }

    /// The values of all observers for a block that the caller submits; nil without observers.
    func contextsOfCaller() -> [(any Sendable)?]? {
        isActive ? observers.map { $0.contextOfCaller() } : nil
    }

    // MARK: Operations

    /// Runs the body as an operation.
    ///
    /// - Parameter describe: sets the facts that are known at the beginning.
    package func run<T>(
        _ kind: StoreOperation.Kind, _ describe: (inout StoreOperation) -> Void = { _ in },
        rows: (T) -> Int = { _ in 0 }, _ body: () throws -> T
    ) throws -> T {
        guard isActive else { return try body() }
        let running = RunningOperation(begin(kind, describe))
        let start = ContinuousClock.now
        return try running.asCurrent {
            do {
                let result = try body()
                running.report.rows += rows(result)
                running.end(after: .now - start)
                return result
            } catch {
                running.report.error = error
                running.end(after: .now - start)
                throw error
            }
        }
    }

    /// Begins a statement; the caller measures it.
    package func beginStatement(_ text: String, system: String) -> StoreOperation.End? {
        let begun = begin(.statement, system: system) { $0.statement = text }
        if begun.ends.isEmpty { return nil }
        return { report in for end in begun.ends { end(report) } }
    }

    private func begin(
        _ kind: StoreOperation.Kind, system: String? = nil, _ describe: (inout StoreOperation) -> Void
    ) -> (id: UInt64, ends: [StoreOperation.End]) {
        let (observers, systems) = state.withLock { ($0.observers, $0.systems) }
        let known = systems.count == 1 && systems[0] != "" ? systems[0] : nil
        var operation = StoreOperation(
            id: Self.lastID.add(1, ordering: .relaxed).newValue, parentID: RunningOperation.current?.id, kind: kind,
            systemName: system ?? known)
        describe(&operation)
        let callers = BlockOrigin.current?.callers
        var ends: [StoreOperation.End] = []
        for (index, observer) in observers.enumerated() {
            if let callers, index < callers.count { operation.caller = callers[index] }
            if let end = observer.begin(operation) { ends.append(end) }
        }
        return (operation.id, ends)
    }
}

/// The operation that the present thread runs. Code within it adds to its report.
package final class RunningOperation {
    package let id: UInt64
    package var report = StoreOperationReport()
    private let ends: [StoreOperation.End]

    fileprivate init(_ begun: (id: UInt64, ends: [StoreOperation.End])) { (id, ends) = begun }

    /// nil if the thread runs no operation that is observed.
    package static var current: RunningOperation? {
        ocd_current_operation().map { Uncounted(address: $0).object }
    }

    fileprivate func asCurrent<T>(_ body: () throws -> T) rethrows -> T {
        let outer = ocd_current_operation()
        ocd_set_current_operation(Uncounted(self).address)
        defer { withExtendedLifetime(self) { ocd_set_current_operation(outer) } }
        return try body()
    }

    fileprivate func end(after duration: Duration) {
        report.duration = duration
        for end in ends { end(report) }
    }
}
