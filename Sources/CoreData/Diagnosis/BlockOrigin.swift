// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Keeps values of the task that has submitted a block to a context's queue.

import CRuntime

/// The values of the caller's task that a context's block needs on the thread of its queue: there the task's own values
/// are not visible.
final class BlockOrigin: Sendable {
    /// The contexts that the observers of the coordinator have made, in their order; nil without observers.
    let callers: [(any Sendable)?]?
    /// Stops statements of the block; nil unless the context stops those of cancelled tasks.
    let stop: StopSignal?

    private init(callers: [(any Sendable)?]?, stop: StopSignal?) { (self.callers, self.stop) = (callers, stop) }

    /// - Returns: nil if the block needs nothing of its caller.
    static func make(_ observation: StoreObservation?, stop: StopSignal? = nil) -> BlockOrigin? {
        let callers = observation?.contextsOfCaller()
        return callers == nil && stop == nil ? nil : BlockOrigin(callers: callers, stop: stop)
    }

    /// The origin of the block that the present thread runs; nil for most.
    static var current: BlockOrigin? {
        ocd_block_origin().map { Uncounted(address: $0).object }
    }

    /// Runs a block as one with this origin.
    static func run<T, Failure: Error>(_ origin: BlockOrigin?, _ body: () throws(Failure) -> T) throws(Failure) -> T {
        let outer = ocd_block_origin()
        ocd_set_block_origin(origin.map { Uncounted($0).address })
        defer { withExtendedLifetime(origin) { ocd_set_block_origin(outer) } }
        return try body()
    }
}
