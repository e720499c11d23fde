// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Calls the observers of a coordinator. Documentation/Internals/Telemetry.md

import Foundation
import Synchronization

/// The observers of one coordinator.
///
/// # Invariants
/// (1) Without observers an operation tests `isActive` and does nothing else (Telemetry-O1).
/// (2) Each beginning is followed by one end, also after an error (Telemetry-O2).
package final class StoreObservation: Sendable {
    /// Replaced as a whole, so that an operation retains one object.
    private final class State: Sendable {
        let observers: [any StoreObserver]
        /// The database system of all open stores; nil if they are of several kinds, or of one that OpenTelemetry has
        /// no name for.
        let system: ObservedDatabase?

        init(observers: [any StoreObserver], system: ObservedDatabase?) {
            (self.observers, self.system) = (observers, system)
        }
    }

    private let flag = Atomic<Bool>(false)
    private let state = Mutex(State(observers: [], system: nil))
    private let systems = Mutex<Set<String>>([])
    private static let lastID = Atomic<UInt64>(0)

    package init() {}

    @inline(__always) package var isActive: Bool { flag.load(ordering: .relaxed) }

    package var observers: [any StoreObserver] {
        get { state.withLock { $0 }.observers }
        set {
            state.withLock { $0 = State(observers: newValue, system: $0.system) }
            flag.store(!newValue.isEmpty, ordering: .relaxed)
        }
    }

    /// Notes the database of a store that was opened.
    func opened(_ type: String) {
        let name =
            switch type {
            case NSSQLiteStoreType: "sqlite"
            case "PostgreSQL": "postgresql"
            default: ""
            }
        let known = systems.withLock { systems in
            systems.insert(name)
            return systems == [name] && name != "" ? ObservedDatabase(name) : nil
        }
        state.withLock { $0 = State(observers: $0.observers, system: known) }
    }

    /// The values of all observers for a block that the caller submits; nil without observers.
    func contextsOfCaller() -> [(any Sendable)?]? {
        isActive ? observers.map { $0.contextOfCaller() } : nil
    }

    // MARK: Operations

    /// Runs the body as an operation.
    ///
    /// - Parameter describe: sets the facts that are known at the beginning.
    @inline(__always) package func run<T>(
        _ kind: StoreOperation.Kind, _ describe: (RunningOperation) -> Void = { _ in },
        rows: (T) -> Int = { _ in 0 }, _ body: () throws -> T
    ) throws -> T {
        guard let running = begin(kind, describe) else { return try body() }
        let outer = RunningOperation.becomesCurrent(running)
        defer { RunningOperation.currentEnds(running, outer) }
        do {
            let result = try body()
            running.report.rows += rows(result)
            running.ends()
            return result
        } catch {
            running.report.error = error
            running.ends()
            throw error
        }
    }

    /// Begins an operation. The caller makes it current where it runs, and ends it.
    ///
    /// - Returns: nil without observers.
    @inline(__always) func begin(_ kind: StoreOperation.Kind, _ describe: (RunningOperation) -> Void)
        -> RunningOperation?
    {
        guard isActive else { return nil }
        let state = state.withLock { $0 }
        let running = RunningOperation(Self.nextID, kind, state.system)
        describe(running)
        begin(running, state.observers)
        return running
    }

    /// Begins a statement. The caller ends it.
    ///
    /// - Returns: nil if no observer needs its end.
    package func beginStatement(_ text: String, _ database: ObservedDatabase) -> RunningOperation? {
        let running = RunningOperation(Self.nextID, .statement, database)
        running.statement = text
        begin(running, state.withLock { $0 }.observers)
        return running.isAwaited ? running : nil
    }

    private static var nextID: UInt64 { lastID.add(1, ordering: .relaxed).newValue }

    private func begin(_ running: RunningOperation, _ observers: [any StoreObserver]) {
        if observers.count == 1 {
            return running.begins(observers[0].begin(StoreOperation(running: running, observer: 0)))
        }
        let ends = observers.indices.compactMap { observers[$0].begin(StoreOperation(running: running, observer: $0)) }
        if !ends.isEmpty { running.begins { report in for end in ends { end(report) } } }
    }
}
