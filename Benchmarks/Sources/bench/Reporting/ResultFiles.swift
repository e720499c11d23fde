// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the result files: numbers, tables and a chart.

import Foundation

struct ResultFiles {
    static let usualName = "latest"

    private let folder: URL
    private let name: String

    init(_ folder: URL, name: String = usualName) {
        self.folder = folder
        self.name = name
    }

    /// Writes numbers, tables and chart, and prints the tables.
    func write(_ entries: [ResultEntry]) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let report = MarkdownReport(entries: entries).text
        try ResultEntry.json(entries).write(to: folder.appending(path: "\(name).json"))
        try Data(report.utf8).write(to: folder.appending(path: "\(name).md"))
        let counts = entries.map(\.rows)
        let rows = counts.contains(100_000) ? 100_000 : counts.first ?? 0
        try Data(Chart(entries: entries, rows: rows).svg.utf8).write(to: folder.appending(path: "\(name).svg"))
        print(report)
    }

    func read() throws -> [ResultEntry] {
        try JSONDecoder().decode(
            [ResultEntry].self, from: try Data(contentsOf: folder.appending(path: "\(name).json")))
    }
}
