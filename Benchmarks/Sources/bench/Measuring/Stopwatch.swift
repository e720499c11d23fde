// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Measures processor time of the process on all its threads, and wall-clock time.

import Foundation

/// The measurement of one run of a job.
struct Sample: Codable {
    /// Milliseconds.
    var cpu: Double
    /// Milliseconds.
    var wall: Double
    var digest: UInt64 = 0
}

struct Stopwatch {
    private let cpu = Stopwatch.now(CLOCK_PROCESS_CPUTIME_ID)
    private let wall = Stopwatch.now(CLOCK_MONOTONIC)

    var sample: Sample {
        Sample(cpu: Self.now(CLOCK_PROCESS_CPUTIME_ID) - cpu, wall: Self.now(CLOCK_MONOTONIC) - wall)
    }

    private static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
}
