// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The time at which a wait ends.

package struct Deadline: Sendable {
    private let end: ContinuousClock.Instant

    package init(in duration: Duration) { end = .now + duration }

    /// The rest in milliseconds, for `poll`; 0 when the time is over.
    var milliseconds: Int32 {
        let rest = ContinuousClock.now.duration(to: end)
        if rest <= .zero { return 0 }
        return Int32(clamping: Int64((rest / .milliseconds(1)).rounded(.up)))
    }

    package var isOver: Bool { ContinuousClock.now >= end }
}
