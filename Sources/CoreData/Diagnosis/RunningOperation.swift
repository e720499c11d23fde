// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An operation that observers see, and its report while it grows. Documentation/Internals/Telemetry.md

import CRuntime
import Dispatch

/// An operation from its beginning to its end.
///
/// # Invariants
/// (1) The facts do not change after the observers have seen the beginning, so all threads may read them.
/// (2) The report and `end` are used by one thread at a time: the one that runs the operation.
package final class RunningOperation: @unchecked Sendable {
    let id: UInt64
    let parentID: UInt64?
    let kind: StoreOperation.Kind
    let database: ObservedDatabase?
    @exclusivity(unchecked) package var entityName: String?
    @exclusivity(unchecked) package var contextName: String?
    @exclusivity(unchecked) var statement: String?
    @exclusivity(unchecked) package var objectCount = 0
    /// The values of the observers for the block that runs, in their order; nil outside of blocks.
    let callers: [(any Sendable)?]?

    @exclusivity(unchecked) package var report = StoreOperationReport()
    /// Nanoseconds of a clock that only increases.
    @exclusivity(unchecked) private var start: UInt64 = 0
    @exclusivity(unchecked) private var end: StoreOperation.End?

    init(_ id: UInt64, _ kind: StoreOperation.Kind, _ database: ObservedDatabase?) {
        (self.id, self.kind, self.database) = (id, kind, database)
        parentID = Self.current?.id
        callers = BlockOrigin.current?.callers
    }

    /// Starts the clock.
    ///
    /// - Parameter end: nil if no observer needs the report.
    func begins(_ end: StoreOperation.End?) {
        guard let end else { return }
        self.end = end
        start = DispatchTime.now().uptimeNanoseconds
    }

    /// Calls the observers with the report, and releases their closures: these retain the operation.
    package func ends() {
        guard let end = end.take() else { return }
        report.duration = .nanoseconds(Int64(DispatchTime.now().uptimeNanoseconds &- start))
        end(report)
    }

    var isAwaited: Bool { end != nil }

    // MARK: The present thread

    /// The operation that the present thread runs; code within it adds to its report. nil if the thread runs no
    /// operation that is observed.
    package static var current: RunningOperation? {
        ocd_current_operation().map { Uncounted(address: $0).object }
    }

    /// - Returns: the operation around it, for `currentEnds`.
    @inline(__always) static func becomesCurrent(_ running: RunningOperation) -> UnsafeMutableRawPointer? {
        let outer = ocd_current_operation()
        ocd_set_current_operation(Uncounted(running).address)
        return outer
    }

    /// Runs a part of the operation in the present thread.
    func runPart<T>(_ body: () throws -> T) rethrows -> T {
        let outer = Self.becomesCurrent(self)
        defer { Self.currentEnds(self, outer) }
        return try body()
    }

    @inline(__always) static func currentEnds(_ running: RunningOperation, _ outer: UnsafeMutableRawPointer?) {
        withExtendedLifetime(running) { ocd_set_current_operation(outer) }
    }
}
