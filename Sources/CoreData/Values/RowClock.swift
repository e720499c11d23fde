// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// When a row was read, in a form that fits into its header.

import Dispatch

/// Milliseconds since the process began to read rows; wraps after 49 days, which makes a row look stale once too often.
enum RowClock {
    private static let start = DispatchTime.now().uptimeNanoseconds

    static var now: UInt32 {
        UInt32(truncatingIfNeeded: (DispatchTime.now().uptimeNanoseconds &- start) / 1_000_000)
    }

    /// - Parameter interval: seconds; negative never is over.
    static func isStale(_ stamp: UInt32, after interval: Double) -> Bool {
        guard interval >= 0 else { return false }
        return Double(now &- stamp) >= interval * 1000
    }
}
