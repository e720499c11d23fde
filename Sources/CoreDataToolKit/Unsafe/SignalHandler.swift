// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds out how a process handled a signal before.

import Foundation

/// How a process handles a signal: by default, not at all, or by a function.
///
/// `SIG_IGN` is the number 1 in the place of a function. Swift takes 1 for no value in an optional of an optional
/// function: a loop over a list of such handlers would end there. So handlers are kept as numbers.
struct SignalHandler {
    private let bits: Int

    /// C's `SIG_IGN`.
    var isIgnoring: Bool { bits == 1 }

    /// Lets the process ignore a signal.
    ///
    /// - Returns: how it handled the signal before.
    static func ignore(_ number: Int32) -> SignalHandler { SignalHandler(signal(number, SIG_IGN)) }

    /// Lets the process handle a signal by a function.
    ///
    /// - Returns: how it handled the signal before.
    static func set(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) -> SignalHandler {
        SignalHandler(signal(number, handler))
    }

    /// Assumption: an optional pointer to a C function has the size of an integer.
    private init(_ handler: (@convention(c) (Int32) -> Void)?) { bits = unsafeBitCast(handler, to: Int.self) }

    /// Lets the process handle a signal so again.
    func restore(_ number: Int32) {
        signal(number, unsafeBitCast(bits, to: (@convention(c) (Int32) -> Void)?.self))
    }
}
