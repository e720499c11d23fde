// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds out how a process handled a signal before.

import Foundation

enum SignalHandler {
    /// Whether the handler is C's `SIG_IGN`, the number 1 in the place of a function.
    ///
    /// Assumption: a pointer to a C function has the size of an integer.
    static func isIgnoring(_ handler: @convention(c) (Int32) -> Void) -> Bool {
        unsafeBitCast(handler, to: Int.self) == 1
    }
}
