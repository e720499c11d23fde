// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The time at which a row was read, in a compact form for its header.

import CRuntime

/// Milliseconds of a clock with steps of a few milliseconds. It wraps around after 49 days, which makes a row look
/// stale once more than necessary.
package enum RowClock {
    @inline(__always) package static var now: UInt32 { ocd_milliseconds() }

    /// - Parameter interval: seconds; negative for never.
    package static func isStale(_ stamp: UInt32, after interval: Double) -> Bool {
        guard interval >= 0 else { return false }
        return Double(now &- stamp) >= interval * 1000
    }
}
