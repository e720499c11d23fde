// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs seeds in processes of this program, and prints what they find and how far they are.
package import Foundation
import Synchronization

/// A run of many seeds.
///
/// Each process runs a range of the seeds, and writes the result of each seed as a line of JSON. If there is to be one
/// process, it is this one. A process that crashes counts as a failure of the seed that it was at.
package struct SeedProcesses {
    private let from: UInt64
    private let count: UInt64
    private let processes: UInt64
    private let program: URL
    private let isLogging: Bool

    /// - Parameter program: the command that runs seeds with the arguments `--from SEED --seeds N --results`.
    package init(from: UInt64, count: UInt64, processes: Int, program: URL, isLogging: Bool = false) {
        self.from = from
        self.count = count
        self.processes = UInt64(max(1, processes))
        self.program = program
        self.isLogging = isLogging
    }

    /// The first seed and the number of seeds of each process.
    package var ranges: [(from: UInt64, count: UInt64)] {
        var (start, ranges) = (from, [(from: UInt64, count: UInt64)]())
        for number in 0..<processes {
            let size = count / processes + (number < count % processes ? 1 : 0)
            if size > 0 { ranges.append((start, size)) }
            start += size
        }
        return ranges
    }

    /// - Returns: whether all seeds kept all promises.
    /// - Throws: an error of a process that cannot be started.
    package func run() throws -> Bool {
        let board = SeedBoard(count: count)
        if processes == 1 {
            SeedRunner(from: from, count: count, isLogging: isLogging).run(board.take)
        } else {
            let group = DispatchGroup()
            for range in ranges { try start(range.from, range.count, board, group) }
            group.wait()
        }
        return board.end()
    }

    private func start(_ from: UInt64, _ count: UInt64, _ board: SeedBoard, _ group: DispatchGroup) throws {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = program
        process.arguments = ["--from", String(from), "--seeds", String(count), "--results"]
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading
        DispatchQueue.global().async(group: group) {
            var (next, rest) = (from, Data())
            // A read of a number of bytes would wait for all of them.
            while case let data = output.availableData, !data.isEmpty {
                rest.append(data)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = rest[rest.startIndex..<end]
                    rest = Data(rest[(end + 1)...])
                    guard let result = try? JSONDecoder().decode(SeedResult.self, from: line) else { continue }
                    next = result.seed + 1
                    board.take(result)
                }
            }
            process.waitUntilExit()
            // Also a process that found failures ends with 0.
            guard process.terminationStatus != 0 else { return }
            var result = SeedResult(seed: next)
            result.failure = "the process ended with status \(process.terminationStatus)"
            board.take(result)
        }
    }
}

/// Collects and prints the results of several threads.
private final class SeedBoard: Sendable {
    private struct State {
        var tally = SeedTally()
        var printed = ContinuousClock.now
    }

    /// The time between two lines of progress.
    private static let interval = Duration.seconds(10)
    private let state = Mutex(State())
    private let count: UInt64

    init(count: UInt64) { self.count = count }

    func take(_ result: SeedResult) {
        state.withLock { state in
            state.tally.add(result)
            if let failure = result.failure {
                show("seed \(result.seed): \(failure); \(result.events.count) events are enough")
                for event in result.events { show("    " + event) }
            }
            guard ContinuousClock.now - state.printed >= Self.interval else { return }
            state.printed = .now
            show(state.tally.progress(of: count))
        }
    }

    /// - Returns: whether no seed broke a promise.
    func end() -> Bool {
        state.withLock { state in
            show(state.tally.text)
            return state.tally.failures == 0
        }
    }

    /// Prints a line at once, also into a file.
    private func show(_ line: String) {
        print(line)
        fflush(nil)
    }
}
