// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Repairs the findings of chosen rules: announces the changes, copies the store, then changes it.

import CoreData
package import Foundation
import SQLiteDriver

/// The changes that repair the findings of some rules.
///
/// # Order
/// 1. The store is copied (`StoreBackup`), unless the caller wants no copy.
/// 2. Files of large data that rows need are copied. Files that no row names stay where they are.
/// 3. All statements run in one transaction; it is rolled back if SQLite's check of the changed rows fails.
/// 4. Orphans leave the folder, indexes are built and free pages returned.
///
/// Until the commit of step 3 the store is unchanged. A crash after it loses nothing: the steps may be run again.
package struct RepairPlan: Sendable {
    package struct Step: Sendable {
        package let rule: String
        package let entity: String?
        package let property: String?
        /// The number of rows or files.
        package let count: Int
        package let repair: Repair
    }

    package let url: URL
    package let steps: [Step]
    /// The ids of rules with findings that have no repair.
    package let unrepaired: [String]

    /// - Parameters:
    ///   - rules: ids of `DoctorRule`, each with a repair.
    ///   - inference: corrections of the inferred model of a store that keeps none. Of such a store, repairs that rest
    ///     on the model are made only for parts that the corrections state.
    /// - Throws: `ToolError` for an unknown rule or one without a repair; the errors of the examination.
    package init(
        _ url: URL, rules: [String], model: URL? = nil, version: String? = nil,
        inference: ModelInference = ModelInference(), step: (String) -> Void = { _ in }
    ) throws {
        for id in rules {
            guard let rule = DoctorRule.named(id) else {
                throw ToolError("There is no rule '\(id)'; `doctor --list` lists them.")
            }
            guard rule.repair != nil else { throw ToolError("The rule '\(id)' has no mend: \(rule.consequence)") }
        }
        guard try FileKind(of: url) == .sqlite else {
            throw ToolError("\(url.shownPlace) is no SQLite store: only those can be mended. Nothing was changed.")
        }
        self.url = url
        let findings = try Doctor(url, model: model, version: version, inference: inference)
            .examine(Doctor.Options(rules: Set(rules).union(["file.damage"])), step: step)
        if let damage = findings.first(where: { $0.rule == "file.damage" }) {
            throw ToolError("\(damage.text) Recover the store first: \(damage.command ?? "").")
        }
        steps = findings.compactMap { finding in
            finding.repair.map {
                Step(
                    rule: finding.rule, entity: finding.entity, property: finding.property, count: finding.count,
                    repair: $0)
            }
        }
        unrepaired = findings.filter { $0.repair == nil }.map(\.rule)
    }

    /// Changes the store.
    ///
    /// - Parameter backup: the folder for the copy of the store; nil for none.
    /// - Returns: the URL of the copy, and the number of rows that SQLite changed.
    /// - Throws: SQLite's errors and those of the file system.
    @discardableResult
    package func run(backup: URL?) throws -> (copy: URL?, rows: Int) {
        guard !steps.isEmpty else { return (nil, 0) }
        let store = url.resolvingSymlinksInPath()
        let copy = try backup.map { try StoreBackup.make(of: store, in: $0) }
        let connection = try Connection(url: store, options: .init(access: .readWrite))
        defer { try? connection.close() }
        try StoreTables.prepare(connection)
        let folder = StoreTables.largeDataFolder(of: store)
        let before = connection.totalChanges
        let (separated, updates) = try separate(in: folder)
        do {
            try connection.write {
                for update in updates { try connection.run(update.sql, update.values) }
                for step in steps {
                    guard case .statements(let statements) = step.repair.action else { continue }
                    for statement in statements { try connection.execute(statement) }
                }
            }
        } catch {
            for file in separated { try? FileManager.default.removeItem(at: file) }
            throw error
        }
        let rows = connection.totalChanges - before
        for step in steps {
            switch step.repair.action {
            case .upkeep(let statements): for statement in statements { try connection.execute(statement) }
            case .moveFiles(let names):
                try move(names, from: folder, to: (copy ?? store).deletingLastPathComponent())
            case .statements, .separateFiles: break
            }
        }
        return (copy, rows)
    }

    private struct Update {
        let sql: String
        let values: [SQLiteValue]
    }

    private func separate(in folder: URL) throws -> ([URL], [Update]) {
        var (files, updates): ([URL], [Update]) = ([], [])
        for step in steps {
            guard case .separateFiles(let shared) = step.repair.action else { continue }
            for key in shared.keys {
                let name = UUID().uuidString
                let file = folder.appendingPathComponent(name)
                try FileManager.default.copyItem(at: folder.appendingPathComponent(shared.name), to: file)
                files.append(file)
                updates.append(
                    Update(
                        sql: Repair.update(shared.table.sqlName, ["\(shared.column.sqlName) = ?"], where: "Z_PK = ?"),
                        values: [.blob(Data([2]) + Data(name.utf8) + Data([0])), .integer(key)]))
            }
        }
        return (files, updates)
    }

    private func move(_ names: [String], from folder: URL, to destination: URL) throws {
        let orphans = destination.appendingPathComponent(
            "\(url.deletingPathExtension().lastPathComponent) orphans")
        try FileManager.default.createDirectory(at: orphans, withIntermediateDirectories: true)
        for name in names {
            try FileManager.default.moveItem(
                at: folder.appendingPathComponent(name), to: orphans.appendingPathComponent(name))
        }
    }
}
