// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Times, and the memory of this process.
import Foundation

/// Seconds of the time of day and of this process's threads since it was made.
struct Stopwatch {
    private let start = ContinuousClock.now
    private let used = Stopwatch.processorTime

    var seconds: Double {
        let (whole, fraction) = (ContinuousClock.now - start).components
        return Double(whole) + Double(fraction) / 1e18
    }

    /// Seconds of this process's threads.
    var ownSeconds: Double { Self.processorTime - used }

    var text: String { String(format: "%.2f s, %.2f s of processor time", seconds, ownSeconds) }

    private static var processorTime: Double {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

enum Process {
    /// The greatest memory of this process in MB; 0 where the system has no such file.
    static var memory: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) / 1024
    }
}
