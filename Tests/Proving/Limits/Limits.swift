// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Deep and huge inputs, read with little stack and little memory: refused or read, never a trap (ProvingGround-P11).

import Foundation

/// A job is the size of a stack; a case is one input. The process may allocate only so much, and Swift ends it when an
/// allocation fails.
enum Limits: Harness {
    static let name = "limits"
    static let patience = 60
    /// Frames take more room in a debug build.
    #if DEBUG
        private static let stacks = ["8192-KB", "1024-KB"]
    #else
        private static let stacks = ["8192-KB", "512-KB"]
    #endif

    /// The larger stack in long form only: it takes as long, and less overruns it.
    static func jobs(_ options: Options) -> [String] {
        if options.isPlanted { return ["planted"] }
        return options.isLong || options.job != nil ? stacks : [stacks[1]]
    }

    static func work(_ job: String, _ options: Options, _ report: Report) {
        let kilobytes = job == "planted" ? 512 : Int(job.prefix { $0.isNumber }) ?? 0
        guard kilobytes > 0 else { return report.finding("no such job: \(job)") }
        let inputs = options.isPlanted ? [planted] : LimitInputs.all()
        limitMemory()
        for (offset, input) in inputs.enumerated() where offset + 1 >= options.first {
            guard options.only == nil || offset + 1 == options.only else { continue }
            report.begin(offset + 1, input.name)
            let start = Bounds.processorSeconds()
            let end = run(input, kilobytes << 10, report)
            let seconds = Bounds.processorSeconds() - start
            if seconds > 5 * Bounds.mostSeconds { report.finding("it took \(seconds) s") }
            if options.only != nil {
                report.note("\(end): \(seconds) s, \(Bounds.peakMegabytes()) MB")
            }
        }
        report.count("inputs with \(kilobytes) KB of stack", inputs.count)
        report.measure("most megabytes", Bounds.peakMegabytes())
        report.done()
    }

    /// Calls itself for each level of the input.
    private static let planted = LimitInput(name: "a reader without a limit") { _ in
        func depth(_ level: Int) -> Int { level == 0 ? 0 : depth(level - 1) &+ "\(level)".utf8.count }
        _ = depth(1_000_000)
    }

    private static func limitMemory() {
        let most = rlim_t((Bounds.mostMegabytes + 100) << 20)
        var limit = rlimit(rlim_cur: most, rlim_max: most)
        setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
    }

    /// The error of an input, or that it was read.
    private static func run(_ input: LimitInput, _ stack: Int, _ report: Report) -> String {
        let outcome = Outcome()
        let thread = Thread {
            do {
                try input.read(Place())
                outcome.end(nil)
            } catch {
                outcome.end(error)
            }
        }
        thread.stackSize = stack
        thread.start()
        let error = outcome.wait()
        if error == nil, input.answer == .refused { report.finding("\(input.name) was read") }
        return error.map { String("\($0)".prefix(120)) } ?? "read"
    }

    /// The end of a thread's work.
    private final class Outcome: @unchecked Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        // Written before the signal, and read after it.
        private var error: (any Error)?

        func end(_ error: (any Error)?) {
            self.error = error
            semaphore.signal()
        }

        func wait() -> (any Error)? {
            semaphore.wait()
            return error
        }
    }
}
