// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Measures in processor time by how much work grows with its size; other processes do not count.

import Foundation

/// Work that examines each object allocates nothing and runs no statement, so no count shows it.
enum Growth {
    /// The ratio of the work for `large` to that for `small`. Measured up to three times, until it is below the limit.
    ///
    /// - Parameter work: prepares a size, and returns the work to measure, which returns whether its result was
    ///   correct.
    /// - Throws: `WrongResult` if it was not.
    static func of(
        _ small: Int, _ large: Int, limit: Double, _ work: (Int) throws -> () throws -> Bool
    ) throws -> Double {
        var least = Double.infinity
        for _ in 0..<3 where least >= limit {
            let one = try seconds(try work(small))
            let other = try seconds(try work(large))
            least = min(least, other / max(one, 1e-6))
        }
        return least
    }

    struct WrongResult: Error {}

    private static func seconds(_ work: () throws -> Bool) throws -> Double {
        let start = now
        guard try work() else { throw WrongResult() }
        return now - start
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
