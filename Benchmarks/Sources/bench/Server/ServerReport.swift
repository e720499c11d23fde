// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the results of jobs on a server: numbers, and tables with their goals.

import Foundation

/// The measurement of one contender for one job on a server. Times are medians in milliseconds.
struct ServerEntry: Codable {
    var job: Job
    var contender: String
    var rows: Int
    var rounds: Int?
    var wall: Double?
    /// Processor time of the contender's process.
    var client: Double?
    /// Processor time of the server's processes; nil where the system has no such figure.
    var server: Double?
    /// The ratio of clock time to the contender in C, the median of paired rounds.
    var wallRatio: Double?
    /// The ratio of the client's processor time to this framework.
    var clientRatio: Double?

    enum CodingKeys: String, CodingKey {
        case job, contender, rows, rounds
        case wall = "wall_ms"
        case client = "client_cpu_ms"
        case server = "server_cpu_ms"
        case wallRatio = "wall_ratio"
        case clientRatio = "client_ratio"
    }

    static func entries(_ measurements: Measurements) -> [ServerEntry] {
        measurements.jobs.flatMap { job in
            measurements.contenders.map { contender in
                ServerEntry(
                    job: job, contender: contender, rows: measurements.workload.rows,
                    rounds: measurements.samples[job]?[contender]?.count,
                    wall: measurements.median(job, contender, \.wall).map(rounded),
                    client: measurements.median(job, contender, \.cpu).map(rounded),
                    server: measurements.median(job, contender) { $0.server ?? .nan }.flatMap {
                        $0.isNaN ? nil : rounded($0)
                    },
                    wallRatio: measurements.ratio(job, contender, to: ServerJobs.reference, of: \.wall).map(rounded),
                    clientRatio: measurements.ratio(job, contender, to: ServerContender.name).map(rounded))
            }
        }
    }

    private static func rounded(_ number: Double) -> Double { (number * 1_000).rounded() / 1_000 }

    static func json(_ entries: [ServerEntry]) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let lines = try entries.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
        return Data("[\n\(lines.joined(separator: ",\n"))\n]\n".utf8)
    }
}

struct ServerReport {
    let entries: [ServerEntry]

    private var jobs: [Job] { ServerJobs.all.filter { job in entries.contains { $0.job == job } } }
    private var contenders: [String] {
        var seen: Set<String> = []
        return entries.map(\.contender).filter { seen.insert($0).inserted }
    }

    var text: String {
        table(
            "Clock time, as ratio to \(ServerJobs.reference)", \.wallRatio, ratio,
            goals: [("goal", ServerJobs.wallGoals)])
            + table(
                "Client's processor time, ms", \.client, number,
                goals: entries.allSatisfy { $0.rows == 100_000 } ? [("goal", ServerJobs.clientGoals)] : [])
            + table(
                "Client's processor time, as ratio to \(ServerContender.name)", \.clientRatio, ratio,
                goals: PeerContender.names.compactMap { name in
                    contenders.contains(name) ? ServerJobs.peerGoals[name].map { ("goal, \(name)", $0) } : nil
                })
            + table("Server's processor time, ms", \.server, number, goals: [])
            + table("Clock time, ms", \.wall, number, goals: [])
    }

    private func table(
        _ title: String, _ value: (ServerEntry) -> Double?, _ text: (Double) -> String,
        goals: [(name: String, values: [Job: Double])]
    ) -> String {
        let lines = contenders.map { contender in
            [contender]
                + jobs.map { job in
                    entries.first { $0.job == job && $0.contender == contender }.flatMap(value).map(text) ?? "–"
                }
        }
        let last = goals.map { goal in
            ["**\(goal.name)**"] + jobs.map { job in goal.values[job].map { "**\(text($0))**" } ?? "" }
        }
        return MarkdownTable.text([title] + jobs.map(\.rawValue), lines + last)
    }

    private func ratio(_ value: Double) -> String { Decimals.text(value, places: 2) }
    private func number(_ value: Double) -> String { Decimals.text(value, places: value < 10 ? 1 : 0) }
}
