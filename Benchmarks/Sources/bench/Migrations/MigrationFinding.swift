// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The result of one migration at one size, and the table of all.

import Foundation

struct MigrationFinding: Codable {
    let job: String
    let title: String
    let rows: Int
    /// Milliseconds of processor time: least and median of the rounds. nil for a figure that is no time.
    var least: Double?
    var median: Double?
    /// The statements of the twin, least and median, and the verification of the written tables.
    var twinLeast: Double?
    var twinMedian: Double?
    var check: Double?
    let figure: String
    let value: Double
    let unit: String
    /// The bound holds for smaller values, or for larger ones if `isFloor`.
    let bound: Double?
    var isFloor = false

    var isKept: Bool { bound.map { isFloor ? value >= $0 : value <= $0 } ?? true }

    static let head = """
        | job | change | rows | least ms | median ms | SQL least | SQL median | check ms | figure | found | bound |
        | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: |

        """

    var line: String {
        let times = [least, median, twinLeast, twinMedian, check].map { $0.map { Decimals.text($0, places: 1) } ?? "" }
        let found = "\(Decimals.text(value, places: 2)) \(unit)"
        let limit = bound.map { "\(isFloor ? "≥" : "≤") \(Decimals.text($0, places: 2))" } ?? ""
        return "| \(job) | \(title) | \(rows) | \(times.joined(separator: " | ")) | \(figure) | "
            + "\(isKept ? found : "**\(found)**") | \(limit) |\n"
    }
}
