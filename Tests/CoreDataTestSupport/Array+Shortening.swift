// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Shortens a failing sequence of steps.

extension Array {
    /// A short part of a failing sequence that still fails: leaves out pieces, smaller and smaller.
    ///
    /// - Parameter fails: whether the given steps fail. It is called with parts of the sequence, in order.
    package func shortened(asLongAs fails: ([Element]) -> Bool) -> [Element] {
        var steps = self
        var size = Swift.max(steps.count / 2, 1)
        while true {
            var start = 0
            var isShorter = false
            while start < steps.count {
                var shorter = steps
                shorter.removeSubrange(start..<Swift.min(start + size, steps.count))
                if fails(shorter) {
                    steps = shorter
                    isShorter = true
                } else {
                    start += size
                }
            }
            if size == 1, !isShorter { return steps }
            size = Swift.max(size / 2, 1)
        }
    }
}
