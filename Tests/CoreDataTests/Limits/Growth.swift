// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// By how much work grows when there is more of it, in processor time: other processes do not count.

import Foundation

/// Work that looks at each object allocates nothing and runs no statement, so no count shows it.
enum Growth {
    /// How many times as long the work takes for `large` as for `small`: tried three times while it is not below the
    /// limit.
    ///
    /// - Parameter work: prepares a size, and returns the work to measure; the result of that is whether all was as it
    ///   should be.
    /// - Throws: `WrongResult` when it was not.
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
