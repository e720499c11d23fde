// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A finding of the doctor, and the change that repairs it.

import CoreData

/// One kind of damage at one place of a store: a rule, and the rows that break it.
package struct Finding: Sendable, Equatable {
    package enum Severity: String, Sendable, CaseIterable, Comparable {
        /// Values are lost or wrong, or an app fails.
        case error
        /// An app may behave wrongly, or a later save may fail.
        case warning
        /// A fact worth knowing; the store is sound.
        case note

        package static func < (one: Severity, other: Severity) -> Bool { one.rank < other.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The id of a rule, such as "reference.dangling".
    package var rule: String
    package var severity: Severity
    /// nil for a finding about the file as a whole.
    package var entity: String?
    /// The name of the property, table or index; nil for other findings.
    package var property: String?
    /// The number of rows, files or entries that break the rule.
    package var count: Int
    /// The URIs of the first objects; empty where no object is concerned.
    package var objects: [String]
    /// A sentence that describes the fault.
    package var text: String
    /// A sentence about the effect in an app.
    package var consequence: String
    /// The command that repairs it; nil where none does.
    package var command: String?
    /// The change that the command makes; nil where none does.
    package var repair: Repair?
}

/// The change that removes a finding.
package struct Repair: Sendable, Equatable {
    package enum Action: Sendable, Equatable {
        /// Statements for the transaction of all repairs.
        case statements([String])
        /// Statements that SQLite runs only outside of transactions.
        case upkeep([String])
        /// Moves files of the large-data folder, by name, to the folder "orphans" next to the backup.
        case moveFiles([String])
        /// Gives each row but the first a copy of the file that several rows name.
        case separateFiles(SharedFile)
    }

    /// A file of large data that several rows name.
    package struct SharedFile: Sendable, Equatable {
        package var name: String
        package var table: String
        package var column: String
        package var keys: [Int64]
    }

    package var action: Action
    /// A sentence that describes the change.
    package var text: String

    package init(_ action: Action, _ text: String) {
        self.action = action
        self.text = text
    }
}

extension Repair {
    /// A statement that changes rows, and increments their version: the save of a program with an old row in memory
    /// then conflicts.
    static func update(_ tableSQL: String, _ assignments: [String], where condition: String) -> String {
        let list = (assignments + [StoreTables.newVersion]).joined(separator: ", ")
        return "UPDATE \(tableSQL) SET \(list) WHERE \(condition)"
    }
}

extension Finding {
    /// The finding as JSON, without the statements of its repair.
    package var json: JSONValue {
        .members([
            "rule": .string(rule), "severity": .string(severity.rawValue), "entity": .text(entity),
            "property": .text(property), "count": .integer(count),
            "objects": .array(objects.map(JSONValue.string)), "text": .string(text),
            "consequence": .string(consequence), "command": .text(command),
        ])
    }

    /// The columns of a table of findings, and the cells of one.
    package static let columns = ["severity", "rule", "entity", "property", "count", "object", "text", "mend"]

    package var row: QueryResult.Row {
        QueryResult.Row(
            id: "",
            cells: [
                .string(severity.rawValue), .string(rule), entity.map { .string($0) } ?? .null,
                property.map { .string($0) } ?? .null, .integer(Int64(count)),
                objects.first.map { .string($0) } ?? .null, .string(text), command.map { .string($0) } ?? .null,
            ])
    }
}
