// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reports the rows that a script has written in a `Progress`, while its statements run.

import Foundation
import SQLiteDriver

/// Each pass of a statement over a table counts its rows, whether it writes them or their index entries. SQLite does
/// not report single rows, so within a statement they are estimated from the instructions that SQLite has executed.
/// Migration-M16.
final class MigrationProgress {
    /// Roughly the instructions needed to write one row.
    private static let stepsOfRow = 20.0
    private static let stepsOfWatch: Int32 = 1000

    private let progress: Progress
    /// The rows of each statement.
    private let rows: [Int64]
    /// The rows of the statements before the running one.
    private var done: Int64 = 0
    private var number = 0
    private var steps = 0.0

    /// - Parameter tables: the rows of each written table, by its new name.
    init(_ progress: Progress, _ statements: [ScriptStatement], _ tables: [String: Int64]) {
        self.progress = progress
        rows = statements.map { $0.table.flatMap { tables[$0] } ?? 0 }
        // One more for the commit.
        progress.totalUnitCount = rows.reduce(1, +)
        progress.completedUnitCount = 0
    }

    func watch(_ connection: Connection) {
        connection.setWatch(every: Self.stepsOfWatch) { [self] in
            advance()
            return progress.isCancelled
        }
    }

    /// Completes the previous statement.
    func begin(_ number: Int) {
        if number > 0 { done += rows[number - 1] }
        self.number = number
        steps = 0
        show(done)
    }

    /// Approaches the row count of the statement and reaches it only when the statement ends.
    private func advance() {
        let rows = Double(rows[number])
        guard rows > 0 else { return }
        steps += Double(Self.stepsOfWatch)
        show(done + Int64(rows * (1 - exp(-steps / (rows * Self.stepsOfRow)))))
    }

    private func show(_ rows: Int64) {
        if rows > progress.completedUnitCount { progress.completedUnitCount = rows }
    }
}
