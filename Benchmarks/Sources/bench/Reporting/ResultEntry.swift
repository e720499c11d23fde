// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One line of `results/latest.json`.

import Foundation

/// The measurement of one contender for one job with one number of rows: time, or heap memory of its objects.
struct ResultEntry: Codable {
    var job: String
    var contender: String
    var rows: Int
    /// The ratio to `raw` of processor time in paired rounds, or of bytes. nil if `raw` did not take part.
    var ratio: Double?
    /// The ratio to `raw-tuned`.
    var ratioToTuned: Double?
    var cpuMilliseconds: Double?
    var wallMilliseconds: Double?
    /// The number of rounds of the medians.
    var rounds: Int?
    var heapBytesPerObject: Double?

    static let memory = "memory"

    enum CodingKeys: String, CodingKey {
        case job, contender, rows, ratio, rounds
        case ratioToTuned = "ratio_to_tuned"
        case cpuMilliseconds = "cpu_ms"
        case wallMilliseconds = "wall_ms"
        case heapBytesPerObject = "heap_bytes_per_object"
    }

    static func entries(_ measurements: Measurements) -> [ResultEntry] {
        measurements.jobs.flatMap { job in
            measurements.contenders.map { contender in
                ResultEntry(
                    job: job.rawValue, contender: contender, rows: measurements.workload.rows,
                    ratio: measurements.ratio(job, contender, to: "raw").map(rounded),
                    ratioToTuned: measurements.ratio(job, contender, to: "raw-tuned").map(rounded),
                    cpuMilliseconds: measurements.median(job, contender, \.cpu).map(rounded),
                    wallMilliseconds: measurements.median(job, contender, \.wall).map(rounded),
                    rounds: measurements.samples[job]?[contender]?.count)
            }
        }
    }

    static func entries(_ heap: [(contender: String, bytes: Double)], rows: Int) -> [ResultEntry] {
        let raw = heap.first { $0.contender == "raw" }?.bytes
        let tuned = heap.first { $0.contender == "raw-tuned" }?.bytes
        return heap.map { contender, bytes in
            ResultEntry(
                job: memory, contender: contender, rows: rows, ratio: raw.map { rounded(bytes / $0) },
                ratioToTuned: tuned.map { rounded(bytes / $0) }, heapBytesPerObject: rounded(bytes))
        }
    }

    /// Rounded to three decimal places.
    private static func rounded(_ number: Double) -> Double { (number * 1_000).rounded() / 1_000 }

    /// A list with one entry on each line, so that runs can be compared by line.
    static func json(_ entries: [ResultEntry]) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let lines = try entries.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
        return Data("[\n\(lines.joined(separator: ",\n"))\n]\n".utf8)
    }
}
