// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The numbers of rows that a migration loses, refuses and writes, for its plan.

import Foundation

/// A rule or a loss, and the number of rows that it concerns.
package struct ScriptFinding: Sendable {
    /// A raw value of `MigrationPlan.Warning.Kind`.
    let kind: String
    let entity: String
    let property: String?
    let rows: Int64
    let text: String
}

package struct MigrationSurvey {
    package struct Cost {
        let table: String
        let rows: Int64
        package let bytes: Int64
        let isRebuilt: Bool
    }

    var statements: [String]
    var findings: [ScriptFinding]
    var costs: [Cost]
    var bytesNeeded: Int64

    package init(statements: [String], findings: [ScriptFinding], costs: [Cost], bytesNeeded: Int64) {
        (self.statements, self.findings, self.costs) = (statements, findings, costs)
        self.bytesNeeded = bytesNeeded
    }
}

extension MigrationConnection {
    /// The rows that a migration loses or refuses.
    package func findings(_ transition: SchemaTransition, _ checks: [ScriptCheck]) throws -> [ScriptFinding] {
        try ScriptLosses(transition).all.compactMap(finding) + checks.compactMap(finding)
    }

    /// The rows and bytes of the tables that a migration writes.
    ///
    /// - Parameter bytes: finds the bytes of a table of the source with its indexes, by its name.
    package func costs(
        of written: [MigrationScript.WrittenTable], in source: Schema, bytes: (String) throws -> Int64
    ) throws -> [MigrationSurvey.Cost] {
        try written.map { table in
            let name = table.source ?? table.name
            return MigrationSurvey.Cost(
                table: table.name, rows: try count("SELECT COUNT(*) FROM \(source.dialect.qualified(name))"),
                bytes: try bytes(name), isRebuilt: table.isRebuilt)
        }
    }

    private func finding(_ loss: ScriptLoss) throws -> ScriptFinding? {
        let rows = try count(loss.query)
        guard rows > 0 else { return nil }
        let subject = [loss.entity, loss.property].compactMap { $0 }.joined(separator: ".")
        return ScriptFinding(
            kind: loss.kind.rawValue, entity: loss.entity, property: loss.property, rows: rows,
            text: "\(subject): \(rows) row\(rows == 1 ? "" : "s") \(loss.effect).")
    }

    private func finding(_ check: ScriptCheck) throws -> ScriptFinding? {
        let rows = try count(check.query)
        guard rows > 0 else { return nil }
        let subject = [check.entity, check.property].compactMap { $0 }.joined(separator: ".")
        return ScriptFinding(
            kind: check.kind == .abstract ? ScriptCheck.Kind.missingValue.rawValue : check.kind.rawValue,
            entity: check.entity, property: check.property, rows: rows,
            text: "\(subject): \(check.reason) (\(rows) row\(rows == 1 ? "" : "s")).")
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
