// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Measures processor time of the process on all its threads, wall-clock time, and the processor time of a server.

import Foundation

/// The measurement of one run of a job.
struct Sample: Codable {
    /// Milliseconds.
    var cpu: Double
    /// Milliseconds.
    var wall: Double
    /// Milliseconds of processor time of the server's processes; nil without a server.
    var server: Double?
    var digest: UInt64 = 0
}

struct Stopwatch {
    private let clock: ServerClock?
    private let server: Double?
    private let cpu: Double
    private let wall: Double

    init(_ clock: ServerClock? = nil) {
        self.clock = clock
        server = clock?.milliseconds
        cpu = Self.now(CLOCK_PROCESS_CPUTIME_ID)
        wall = Self.now(CLOCK_MONOTONIC)
    }

    var sample: Sample {
        var sample = Sample(cpu: Self.now(CLOCK_PROCESS_CPUTIME_ID) - cpu, wall: Self.now(CLOCK_MONOTONIC) - wall)
        if let server, let now = clock?.milliseconds { sample.server = now - server }
        return sample
    }

    private static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
}
