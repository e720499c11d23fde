// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The text of checks, plans and outcomes, as tables and as JSON.

import CoreData
import Foundation

extension MigrationCheck {
    /// - Parameter width: the width of the terminal, to which tables are fitted; nil without one.
    package func text(isJSON: Bool, isPlan: Bool, width: Int? = nil) -> String {
        if isJSON {
            return JSONValue.object(headMembers + (isPlan ? planMembers : [])).prettyText + "\n"
        }
        return head + (isPlan ? planText(width) : "")
    }

    private var sentence: String {
        switch verdict {
        case .fits: "The store has this version."
        case .needed: "A migration is needed and possible."
        case .impossible: "A migration is needed and not possible."
        }
    }

    // MARK: Tables

    private var head: String {
        var lines = [
            ("Store", task.url.shownPlace), ("Version", Self.version(storedName, task.storedChecksum)),
            ("Model", Self.version(task.wantedName, wantedChecksum)), ("Verdict", sentence),
        ]
        lines += reasons.map { ("", $0) }
        lines += drift.map { ("Drift", $0) }
        lines += (task.inferredNotes ?? []).map { ($0.isGuess ? "Guessed" : "Left out", $0.line) }
        return lines.map { $0.0.padding(toLength: 9, withPad: " ", startingAt: 0) + $0.1 + "\n" }.joined()
    }

    private static func version(_ name: String?, _ checksum: String) -> String {
        "\(name ?? "not among the versions of the model")  \(checksum.prefix(8))…"
    }

    private var storedName: String? {
        task.storedName ?? (task.inferredNotes == nil ? nil : "inferred from the tables")
    }

    private var wantedChecksum: String {
        verdict == .fits ? task.storedChecksum : plan?.steps.last?.destinationChecksum ?? task.model.versionChecksum
    }

    private func planText(_ width: Int?) -> String {
        var text = ""
        let steps = plan?.steps ?? []
        for (number, step) in steps.enumerated() {
            text += "\nStep \(number + 1) of \(steps.count), by \(step.way.rawValue)\n"
            text += step.statements.map { "  \($0);\n" }.joined()
        }
        if !repairStatements.isEmpty {
            text += "\nStatements that mend the drift\n" + repairStatements.map { "  \($0);\n" }.joined()
        }
        if let costs = plan?.costs, !costs.isEmpty {
            let methods = Set(steps.prefix(plan?.countedSteps ?? 0).map(\.way))
            let (title, subject) =
                if methods == [.statements] {
                    ("Tables with rows to write", "table")
                } else if methods.contains(.statements) {
                    ("Objects to make, and tables with rows to write", "entity or table")
                } else {
                    ("Objects to make", "entity")
                }
            text += "\n\(title)\n"
            text += TableText(
                columns: [subject, "rows", "bytes", "way"],
                alignments: [.left, .right, .right],
                rows: costs.map { [$0.table, "\($0.rows)", "\($0.bytes)", $0.isRebuilt ? "made anew" : "in place"] }
            ).text(width: width)
        }
        if let plan, plan.isNeeded { text += "\nFree bytes needed on the disk: \(plan.bytesNeeded)\n" }
        return text + (plan.flatMap { $0.isNeeded ? $0.lossText(width) : nil } ?? "")
    }

    // MARK: JSON

    private var headMembers: [JSONValue.Member] {
        [
            .init("store", .string(task.url.shownPlace)), .init("verdict", .string(verdict.rawValue)),
            .init("from", .members(["version": .text(task.storedName), "checksum": .string(task.storedChecksum)])),
            .init("to", .members(["version": .string(task.wantedName), "checksum": .string(wantedChecksum)])),
            .init("reasons", .array(reasons.map(JSONValue.string))),
            .init("drift", .array(drift.map(JSONValue.string))),
        ]
            + (task.inferredNotes.map { notes in
                [
                    .init(
                        "inferred",
                        .array(
                            notes.map {
                                .members(["isGuess": .boolean($0.isGuess), "text": .string($0.line)])
                            }))
                ]
            } ?? [])
    }

    private var planMembers: [JSONValue.Member] {
        let costs = (plan?.costs ?? []).map { cost in
            JSONValue.members([
                "table": .string(cost.table), "rows": .integer(cost.rows), "bytes": .integer(cost.bytes),
                "isRebuilt": .boolean(cost.isRebuilt),
            ])
        }
        return [
            .init("steps", .array((plan?.steps ?? []).map(Self.json))),
            .init("mendingStatements", .array(repairStatements.map(JSONValue.string))),
            .init("countedSteps", .integer(plan?.countedSteps ?? 0)),
            .init("warnings", .array(plan?.warningMembers ?? [])),
            .init("costs", .array(costs)),
            .init("bytesNeeded", .integer(plan?.bytesNeeded ?? 0)),
        ]
    }

    private static func json(_ step: MigrationPlan.Step) -> JSONValue {
        .members([
            "from": .string(step.sourceChecksum), "to": .string(step.destinationChecksum),
            "way": .string(step.way.rawValue), "statements": .array(step.statements.map(JSONValue.string)),
        ])
    }
}

extension MigrationPlan {
    /// The warnings as a table, or a sentence that the migration loses nothing.
    fileprivate func lossText(_ width: Int?) -> String {
        var text = ""
        if !warnings.isEmpty {
            text += "\nWarnings\n"
            text += TableText(
                columns: ["kind", "rows", "text"], alignments: [.left, .right],
                rows: warnings.map { [$0.kind.rawValue, "\($0.rows)", $0.text] }, maximumCellWidth: 0
            ).text(width: width)
        } else if countedSteps == steps.count {
            text += "No warnings: no value is lost.\n"
        }
        if countedSteps < steps.count {
            text += "\nRows and warnings are counted for \(countedSteps) of \(steps.count) steps: the others "
            text += "begin with rows that a mapping model makes.\n"
        }
        return text
    }

    fileprivate var warningMembers: [JSONValue] {
        warnings.map { warning in
            .members([
                "kind": .string(warning.kind.rawValue), "entity": .string(warning.entity),
                "property": .text(warning.property), "rows": .integer(warning.rows), "text": .string(warning.text),
            ])
        }
    }
}

extension MigrationCheck.Outcome {
    /// - Parameter width: the width of the terminal, to which tables are fitted; nil without one.
    package func text(isJSON: Bool, width: Int? = nil) -> String {
        isJSON ? json.prettyText + "\n" : table(width)
    }

    private func table(_ width: Int?) -> String {
        switch self {
        case .none: return "The store has this version already.\n"
        case .repaired(let drift): return drift.map { "Mended: \($0).\n" }.joined()
        case .migrated(let report, let plan):
            let methods = Set(report.steps.map(\.way.rawValue)).sorted().joined(separator: ", ")
            let count = report.steps.count
            var text = "Migrated in \(count) step\(count == 1 ? "" : "s"), by \(methods), in \(Self.seconds(report)) s"
            text += report.isVerified ? "; rows and structure were verified before the commit.\n" : ".\n"
            if let original = report.originalURL { text += "The original is \(original.shownName).\n" }
            text += Self.quarantine(report)
            let names = report.rowsAfter.keys.sorted()
            guard !names.isEmpty else { return text + "No row was written.\n" + plan.lossText(width) }
            text += TableText(
                columns: ["written entity", "rows before", "rows after"], alignments: [.left, .right, .right],
                rows: names.map { [$0, "\(report.rowsBefore[$0] ?? 0)", "\(report.rowsAfter[$0] ?? 0)"] }
            ).text(width: width)
            return text + plan.lossText(width)
        }
    }

    /// The rows that were quarantined, by entity and reason.
    private static func quarantine(_ report: MigrationReport) -> String {
        guard !report.quarantined.isEmpty else { return "" }
        let count = report.quarantined.count
        let files = report.quarantineURLs.map(\.shownName).list
        var text = "\(count) row\(count == 1 ? " stayed" : "s stayed") behind, in \(files):\n"
        let groups = Dictionary(grouping: report.quarantined) { "\($0.entity), \($0.code), \($0.reason)" }
        for (name, rows) in groups.sorted(by: { $0.key < $1.key }) { text += "  \(rows.count) of \(name).\n" }
        return text
    }

    private static func seconds(_ report: MigrationReport) -> String {
        let parts = report.duration.components
        let milliseconds = parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
        return JSONValue.numberText(Double(milliseconds) / 1000)
    }

    private var json: JSONValue {
        switch self {
        case .none: return .members(["outcome": .string("none")])
        case .repaired(let drift):
            return .members(["outcome": .string("mended"), "drift": .array(drift.map(JSONValue.string))])
        case .migrated(let report, let plan):
            let rows = report.rowsAfter.keys.sorted().map { name in
                JSONValue.members([
                    "entity": .string(name), "before": .integer(report.rowsBefore[name] ?? 0),
                    "after": .integer(report.rowsAfter[name] ?? 0),
                ])
            }
            return .members([
                "outcome": .string("migrated"),
                "ways": .array(report.steps.map { .string($0.way.rawValue) }), "rows": .array(rows),
                "countedSteps": .integer(plan.countedSteps), "warnings": .array(plan.warningMembers),
                "original": .text(report.originalURL?.shownPlace),
                "quarantines": .array(report.quarantineURLs.map { .string($0.shownPlace) }),
                "quarantined": .array(
                    report.quarantined.map { row in
                        .members([
                            "object": .string(row.objectURI.absoluteString), "entity": .string(row.entity),
                            "code": .integer(row.code), "reason": .string(row.reason),
                        ])
                    }), "isVerified": .boolean(report.isVerified),
                "seconds": .number(Self.seconds(report)),
            ])
        }
    }
}
