// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The most that one input may cost, and the measures of it (ProvingGround-P8).

import Foundation

enum Bounds {
    static let mostSeconds = 2.0
    static let mostMegabytes = 500

    /// The time of this process on a processor, which does not grow while other programs run.
    static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The most memory that this process has had so far.
    static func peakMegabytes() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) / 1024
    }
}
