// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Waits for the work of other threads and processes.

import Foundation

/// Waits, at most a minute, for a condition: a busy machine may need longer than usual.
public func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let end = Date(timeIntervalSinceNow: 60)
    while Date() < end {
        if try condition() { return true }
        usleep(5_000)
    }
    return try condition()
}
