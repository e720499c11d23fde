// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The time at which a row was read, in a form that fits into its header.

import CRuntime

/// Milliseconds of a clock that goes on in steps of a few; wraps after 49 days, which makes a row look stale once too
/// often.
package enum RowClock {
    @inline(__always) package static var now: UInt32 { ocd_milliseconds() }

    /// - Parameter interval: seconds; negative never is over.
    package static func isStale(_ stamp: UInt32, after interval: Double) -> Bool {
        guard interval >= 0 else { return false }
        return Double(now &- stamp) >= interval * 1000
    }
}
