// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The numbers of rows that a migration loses, refuses and writes, for its plan.

import Foundation

/// A rule or a loss, and the number of rows that it concerns.
struct ScriptFinding: Sendable {
    /// A raw value of `MigrationPlan.Warning.Kind`.
    let kind: String
    let entity: String
    let property: String?
    let rows: Int64
    let text: String
}

package struct MigrationSurvey {
    struct Cost {
        let table: String
        let rows: Int64
        let bytes: Int64
        let isRebuilt: Bool
    }

    var statements: [String]
    var findings: [ScriptFinding]
    var costs: [Cost]
    var bytesNeeded: Int64
    /// Whether the rows were counted. A server counts them while it migrates.
    var isCounted = true

    init(statements: [String], findings: [ScriptFinding], costs: [Cost], bytesNeeded: Int64) {
        (self.statements, self.findings, self.costs) = (statements, findings, costs)
        self.bytesNeeded = bytesNeeded
    }

    /// The statements of a migration whose rows are counted while it runs.
    package init(statements: [String]) {
        self.init(statements: statements, findings: [], costs: [], bytesNeeded: 0)
        isCounted = false
    }
}

extension MigrationSurvey {
    /// Adds a later migration of the same route. Each needs its bytes only when it begins.
    mutating func add(_ later: MigrationSurvey) {
        findings += later.findings.filter { finding in
            !findings.contains {
                ($0.kind, $0.entity, $0.property) == (finding.kind, finding.entity, finding.property)
            }
        }
        costs += later.costs
        bytesNeeded = max(bytesNeeded, later.bytesNeeded)
    }
}

extension MigrationScript {
    /// The written tables with the rows of their entities.
    ///
    /// - Parameter entities: the rows and bytes of each entity of the destination.
    func costs(_ entities: [MigrationSurvey.Cost]) -> [MigrationSurvey.Cost] {
        written.map { table in
            let own = entities.filter { table.entities.contains($0.table) }
            return MigrationSurvey.Cost(
                table: table.name, rows: own.reduce(0) { $0 + $1.rows }, bytes: own.reduce(0) { $0 + $1.bytes },
                isRebuilt: table.isRebuilt)
        }
    }
}
