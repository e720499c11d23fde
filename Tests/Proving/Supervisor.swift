// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs the jobs of a harness in separate processes, so that a trap or a hang is a finding like any other.

import Foundation

final class Supervisor {
    private let harness: any Harness.Type
    private let options: Options
    private var counts: [String: Int] = [:]
    private var measures: [String: Int] = [:]
    private var findings = 0
    private var printed: Set<String> = []
    private let start = Date()

    init(_ harness: any Harness.Type, _ options: Options) {
        self.harness = harness
        self.options = options
    }

    /// - Returns: whether there were no findings, or with planted faults, whether each job found its own.
    func run() -> Bool {
        var missed = 0
        for job in harness.jobs(options) where options.job == nil || options.job == job {
            let before = findings
            run(job)
            if options.isPlanted, findings == before {
                print("not found: the fault planted in \(job)")
                missed += 1
            }
        }
        let numbers = (counts.map { "\($0.value) \($0.key)" } + measures.map { "\($0.key) \($0.value)" }).sorted()
        let seconds = Int(Date().timeIntervalSince(start))
        print(
            "\(harness.name): \(numbers.joined(separator: ", ")); \(findings) findings, \(seconds) s, seed \(options.seed)"
        )
        return options.isPlanted ? missed == 0 && findings > 0 : findings == 0
    }

    /// Starts the job again after the case that ended its process.
    private func run(_ job: String) {
        var first = options.only ?? 1
        var crashes = 0
        while crashes < 20 {
            guard let end = runOnce(job, first) else { return }
            crashes += 1
            findings += 1
            print("finding: \(end.reason) in \(command(job, end.number)): \(end.text)")
            if options.only != nil || options.isPlanted { return }
            first = end.number + 1
        }
    }

    private func command(_ job: String, _ number: Int) -> String {
        let size = (options.isLong ? " --long" : "") + (options.cases.map { " --cases \($0)" } ?? "")
        return "proving \(harness.name) --seed \(options.seed)\(size) --job \(job) --only \(number)"
    }

    /// The seconds after which a worker without a line counts as hung.
    private var patience: Int { harness.patience * options.patience }

    private struct End {
        var number: Int
        var text: String
        var reason: String
    }

    /// - Returns: nil if the worker completed.
    private func runOnce(_ job: String, _ first: Int) -> End? {
        let worker: Child
        do {
            worker = try Child(options.arguments(for: job, first: first))
        } catch {
            return End(number: first, text: "\(error)", reason: "no worker")
        }
        var end = End(number: first, text: "before the first case", reason: "")
        var isDone = false
        while let line = worker.line(within: patience) {
            let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
            let number = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
            let text = parts.count > 2 ? parts[2] : ""
            switch parts[0] {
            case "case": (end.number, end.text) = (number, text)
            case "count": counts[text, default: 0] += number
            case "measure": measures[text] = max(measures[text] ?? 0, number)
            case "finding":
                findings += 1
                if printed.insert(text).inserted, printed.count <= 40 {
                    print("finding: \(text)   [\(command(job, number))] \(end.text)")
                }
                if options.isPlanted {
                    worker.kill()
                    return nil
                }
            case "done": isDone = true
            default: print("    \(line)")
            }
        }
        if worker.isSilent {
            worker.kill()
            end.reason = "no progress in \(patience) s" + worker.lastWords
            return end
        }
        let status = worker.wait()
        if isDone, status == 0 { return nil }
        end.reason = "end with status \(status)" + worker.lastWords
        return end
    }
}

/// Another process of this program, with its output line by line.
final class Child {
    private let process = Process()
    private let output = Pipe()
    private let errors = URL(filePath: NSTemporaryDirectory()).appending(path: "proving-\(UUID().uuidString).log")
    private var buffer: [UInt8] = []
    private var position = 0
    /// Whether the last wait for a line took too long.
    private(set) var isSilent = false

    init(_ arguments: [String]) throws {
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        process.standardOutput = output
        // Dictionaries have the same order in each process, as a seed demands.
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["SWIFT_DETERMINISTIC_HASHING": "1", "SWIFT_BACKTRACE": "enable=no"]) { _, new in new }
        _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        try output.fileHandleForWriting.close()
    }

    deinit { try? FileManager.default.removeItem(at: errors) }

    /// The last line that the process wrote about its end.
    var lastWords: String {
        let text = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").last { !$0.contains("warning CoreData") }.map { ": \($0.prefix(300))" } ?? ""
    }

    /// - Returns: nil at the end of the output, and after the given number of seconds without a line.
    func line(within seconds: Int) -> String? {
        let descriptor = output.fileHandleForReading.fileDescriptor
        while true {
            if let end = buffer[position...].firstIndex(of: UInt8(ascii: "\n")) {
                defer {
                    position = end + 1
                    if position > 1 << 16 {
                        buffer.removeSubrange(..<position)
                        position = 0
                    }
                }
                return String(decoding: buffer[position..<end], as: UTF8.self)
            }
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&request, 1, Int32(seconds * 1000))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else {
                isSilent = true
                return nil
            }
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            buffer.append(contentsOf: bytes[..<count])
        }
    }

    func kill() {
        _ = Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func wait() -> Int32 {
        process.waitUntilExit()
        return process.terminationReason == .uncaughtSignal ? -process.terminationStatus : process.terminationStatus
    }
}
