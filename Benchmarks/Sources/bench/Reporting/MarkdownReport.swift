// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the results as Markdown tables.

struct MarkdownReport {
    let entries: [ResultEntry]

    var text: String {
        rowCounts.map { rows in
            "### \(rows) rows\n\n" + ratios(rows, "Processor time, as ratio to raw", \.ratio, Goals.toRaw)
                + ratios(rows, "Processor time, as ratio to raw-tuned", \.ratioToTuned, Goals.toTuned)
                + milliseconds(rows) + memory(rows)
        }.joined() + growth
    }

    private var rowCounts: [Int] { unique(entries.map(\.rows)) }
    private var jobs: [String] { unique(entries.filter { $0.job != ResultEntry.memory }.map(\.job)) }
    private var contenders: [String] { unique(entries.map(\.contender)) }

    private func unique<T: Hashable>(_ values: [T]) -> [T] {
        var seen: Set<T> = []
        return values.filter { seen.insert($0).inserted }
    }

    private func entry(_ job: String, _ contender: String, _ rows: Int) -> ResultEntry? {
        entries.first { $0.job == job && $0.contender == contender && $0.rows == rows }
    }

    private func ratios(
        _ rows: Int, _ title: String, _ value: (ResultEntry) -> Double?, _ goals: [String: Double]
    ) -> String {
        var lines = contenders.map { contender in
            [contender] + jobs.map { job in entry(job, contender, rows).flatMap(value).map(ratio) ?? "–" }
        }
        lines.append(["**goal**"] + jobs.map { goals[$0].map { "**\(ratio($0))**" } ?? "" })
        return MarkdownTable.text([title] + jobs, lines)
    }

    private func milliseconds(_ rows: Int) -> String {
        let lines = contenders.map { contender in
            [contender]
                + jobs.map { job in
                    guard let entry = entry(job, contender, rows), let cpu = entry.cpuMilliseconds,
                        let wall = entry.wallMilliseconds
                    else { return "–" }
                    return "\(number(cpu)) / \(number(wall))"
                }
        }
        return MarkdownTable.text(["Milliseconds, processor / clock"] + jobs, lines)
    }

    private func memory(_ rows: Int) -> String {
        let found = entries.filter { $0.job == ResultEntry.memory && $0.rows == rows }
        guard !found.isEmpty else { return "" }
        var lines = found.map { [$0.contender, number($0.heapBytesPerObject ?? 0), ratio($0.ratio ?? 0)] }
        lines.append(["**goal**", "**\(number(Goals.toRaw[ResultEntry.memory] ?? 0))**", ""])
        return MarkdownTable.text(["Heap", "bytes per object", "to raw"], lines)
    }

    /// The cost of one object, fetch or row for each number of rows, constant if the cost does not grow.
    private var growth: String {
        guard rowCounts.count > 1 else { return "" }
        let rowCounts = rowCounts.sorted()
        let lines = jobs.compactMap(Job.init(rawValue:)).flatMap { job in
            contenders.map { contender in
                ["\(job.rawValue), per \(job.unit)", contender]
                    + rowCounts.map { rows in
                        guard let cpu = entry(job.rawValue, contender, rows)?.cpuMilliseconds else { return "–" }
                        return number(cpu * 1e6 / Double(job.units(Workload(rows: rows))))
                    }
            }
        }
        return "### Growth\n\n"
            + MarkdownTable.text(["Nanoseconds of processor time", ""] + rowCounts.map { "\($0) rows" }, lines)
    }

    private func ratio(_ value: Double) -> String { Decimals.text(value, places: 2) }
    private func number(_ value: Double) -> String { Decimals.text(value, places: value < 10 ? 1 : 0) }
}

enum MarkdownTable {
    /// The first column has names, the others numbers.
    static func text(_ head: [String], _ lines: [[String]]) -> String {
        ([head, head.indices.map { $0 == 0 ? "---" : "---:" }] + lines)
            .map { "| " + $0.joined(separator: " | ") + " |\n" }.joined() + "\n"
    }
}

enum Decimals {
    static func text(_ value: Double, places: Int) -> String {
        let scale = places == 2 ? 100 : places == 1 ? 10 : 1
        let whole = Int((value * Double(scale)).rounded())
        guard places > 0 else { return "\(whole)" }
        let fraction = String(whole % scale)
        return "\(whole / scale)." + String(repeating: "0", count: places - fraction.count) + fraction
    }
}
