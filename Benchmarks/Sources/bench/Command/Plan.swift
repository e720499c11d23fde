// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Parses the command line into a plan of jobs, sizes and rounds.

import ArgumentParser
import Foundation

struct Plan {
    let rows: [Int]
    private let rounds: Int
    private let growthRounds: Int
    let jobs: [Job]
    let measuresMemory: Bool
    let contenders: [any Contender]

    init(_ command: RunCommand) throws {
        rows = try command.quick ? [10_000] : Self.numbers(command.rows)
        rounds = command.quick ? 2 : command.rounds
        growthRounds = min(rounds, command.growthRounds)
        guard rounds > 0, growthRounds > 0 else { throw ValidationError("at least one round is needed") }
        let names = command.jobs.map(Self.parts) ?? Job.usual.map(\.rawValue) + [ResultEntry.memory]
        measuresMemory = names.contains(ResultEntry.memory)
        jobs = try names.filter { $0 != ResultEntry.memory }.map { name in
            guard let job = Job(rawValue: name) else { throw ValidationError("there is no job '\(name)'") }
            return job
        }
        let peers = command.python.map { python in
            PeerContender.names.map { name in
                PeerContender.script(
                    name, python: URL(fileURLWithPath: python), folder: URL(fileURLWithPath: command.peers))
            }
        }
        let all = Contenders.local as [any Contender] + (peers ?? [])
        contenders = try command.contenders.map { try Self.chosen(Self.parts($0), of: all + Contenders.named) } ?? all
    }

    /// The number of rounds of each job with this many rows.
    func rounds(of rows: Int) -> Int { rows == self.rows.first ? rounds : growthRounds }

    private static func chosen(_ names: [String], of all: [any Contender]) throws -> [any Contender] {
        try names.map { name in
            guard let contender = all.first(where: { $0.name == name }) else {
                throw ValidationError("there is no contender '\(name)'; there are \(all.map(\.name))")
            }
            return contender
        }
    }

    private static func numbers(_ text: String) throws -> [Int] {
        try parts(text).map { part in
            // A multiple of 100, so that departments are complete and half of the table is a multiple of ten.
            guard let number = Int(part), number >= 100, number % 100 == 0 else {
                throw ValidationError("a number of rows is a multiple of 100, not '\(part)'")
            }
            return number
        }
    }

    private static func parts(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Describes the plan and its duration. A round of the six contenders in this process takes about 95 seconds with
    /// 100,000 rows, mostly for J4 and J8.
    var announcement: String {
        let names = contenders.map(\.name).joined(separator: ", ")
        return """
            \(jobs.map(\.rawValue).joined(separator: ", ")) by \(names) with \
            \(rows.map { "\($0) rows in \(rounds(of: $0)) rounds" }.joined(separator: ", ")): about \
            \(max(1, Int(minutes.rounded()))) minutes.
            """
    }

    private var minutes: Double {
        var seconds = 0.0
        for rows in rows {
            // Beyond 100,000 rows the number of searches is smaller.
            let visited = min(Double(rows), 100_000) + max(0, Double(rows) - 100_000) / 5
            for job in jobs { seconds += visited * Self.secondsPerRow(job) * Double(rounds(of: rows)) }
        }
        return seconds * Double(contenders.count) / 60
    }

    private static func secondsPerRow(_ job: Job) -> Double {
        switch job {
        case .search: 80e-6
        case .summarize: 12e-6
        case .ordersFresh, .ordersKept: 6e-6
        default: 8e-6
        }
    }
}
