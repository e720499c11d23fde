// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Examines a store of any kind, and collects its faults. Documentation/Doctor.md

package import Foundation

/// The doctor of a store: it reads the file, and writes nothing.
///
/// Confined to one thread. Findings come in the order of `DoctorRule.all`, by entity and property within a rule.
package final class Doctor {
    package struct Options: Sendable {
        /// The ids of rules to check; empty for all.
        package var rules: Set<String> = []
        /// The number of objects that a finding names.
        package var examples = 5

        package init(rules: Set<String> = [], examples: Int = 5) {
            self.rules = rules
            self.examples = examples
        }
    }

    package let url: URL
    let modelURL: URL?
    let version: String?
    private let inference: ModelInference

    /// - Parameters:
    ///   - model: a model to check the store against, in place of the copy that it keeps.
    ///   - inference: corrections of the model that is inferred without both.
    /// - Throws: `ToolError` for a file that is no store.
    package init(
        _ url: URL, model: URL? = nil, version: String? = nil, inference: ModelInference = ModelInference()
    ) throws {
        self.url = url
        self.inference = inference
        modelURL = model
        self.version = version
        guard try FileKind(of: url) != .model else { throw ToolError("\(url.path) is no store.") }
    }

    /// All findings.
    ///
    /// - Throws: `ToolError` for a file that is no Core Data store; SQLite's errors.
    package func examine(_ options: Options = Options(), step: (String) -> Void = { _ in }) throws -> [Finding] {
        var findings: [Finding] = []
        try examine(options, step: step) { findings.append($0) }
        return findings
    }

    /// Calls `report` with each finding as it is found.
    ///
    /// - Parameter step: called with the name of each part of the examination, for a line of progress.
    /// - Complexity: each table is read a few times; memory for a page of objects and the names of large-data files.
    package func examine(
        _ options: Options = Options(), step: (String) -> Void = { _ in }, report: (Finding) throws -> Void
    ) throws {
        try withoutActuallyEscaping(report) { report in
            switch try FileKind(of: url) {
            case .sqlite: break
            case .server: return try examineServer(options, step, report)
            default: return try examineObjects(options, step, report)
            }
            let store: ExaminedStore
            do {
                store = try ExaminedStore(url, model: modelURL, version: version, inference: inference)
            } catch let damage as ExaminedStore.DamagedFile {
                return try report(Self.finding(damage, url))
            }
            let examination = Examination(store, options, report)
            for (name, rules, check) in Self.checks {
                guard options.rules.isEmpty || !options.rules.isDisjoint(with: rules) else { continue }
                step(name)
                try store.location.naming { try check(examination) }
                // Nothing read from a damaged file proves anything.
                if examination.isDamaged { return }
            }
        }
    }

    /// The finding for a file that SQLite does not even open.
    private static func finding(_ damage: ExaminedStore.DamagedFile, _ url: URL) -> Finding {
        let rule = DoctorRule.named("file.damage")
        return Finding(
            rule: "file.damage", severity: .error, count: 1, objects: [], text: "SQLite says: \(damage.message).",
            consequence: rule?.consequence ?? "",
            command: "coredata-tool recover \(ExaminedStore.shellWord(url.relativePath)) -o NEW.sqlite")
    }

    private typealias Check = (name: String, rules: [String], check: @Sendable (Examination) throws -> Void)

    private static let checks: [Check] = [
        ("pages", ids("file.", "index.damage"), { try $0.checkPages() }),
        ("metadata", ids("metadata.", "model."), { try $0.checkMetadata() }),
        ("entities", ids("entity.", "key."), { try $0.checkEntities() }),
        ("tables and indexes", ids("table.", "column.", "index.", "trigger."), { try $0.checkStructure() }),
        ("rows", ids("row."), { try $0.checkRows() }),
        ("references", ids("reference.", "inverse."), { try $0.checkReferences() }),
        ("links", ids("link.", "order."), { try $0.checkLinks() }),
        (
            "values", ids("value.type", "value.boolean", "value.uuid", "value.text", "value.archive", "large.mark"),
            {
                try $0.checkValues()
            }
        ),
        ("rules of the model", ids("value.", "store."), { try $0.checkModelRules() }),
        ("unique values", ids("unique."), { try $0.checkUniqueValues() }),
        ("derived values", ids("derived.", "spatial."), { try $0.checkDerived() }),
        ("full-text indexes", ids("search."), { try $0.checkSearch() }),
        ("indexes of values", ids("paths."), { try $0.checkValueIndexes() }),
        ("large data", ids("large."), { try $0.checkLargeData() }),
        ("history", ids("history."), { try $0.checkHistory() }),
        ("CloudKit's mirror", ids("cloud."), { try $0.checkCloud() }),
        ("space", ids("space."), { try $0.checkSpace() }),
    ]

    private static func ids(_ prefixes: String...) -> [String] {
        DoctorRule.all.map(\.id).filter { id in prefixes.contains { id.hasPrefix($0) } }
    }

    /// XML and binary stores have no tables: opening has checked their structure, so the model's rules remain.
    private func examineObjects(
        _ options: Options, _ step: (String) -> Void, _ report: (Finding) throws -> Void
    ) throws {
        step("rules of the model")
        try ModelRuleCheck.check(
            wholeStoreAt: url, model: modelURL, version: version, inference: inference, options, report)
    }
}

/// One examination of a SQLite store. The checks are methods in separate files.
final class Examination {
    let store: ExaminedStore
    let options: Doctor.Options
    private let report: (Finding) throws -> Void
    private(set) var isDamaged = false

    init(_ store: ExaminedStore, _ options: Doctor.Options, _ report: @escaping (Finding) throws -> Void) {
        self.store = store
        self.options = options
        self.report = report
    }

    func tally(_ sql: String) throws -> Tally { try store.tally(sql, limit: options.examples) }

    /// Reports a finding of a rule, unless its rule is left out or the count is 0.
    ///
    /// - Parameter repair: the change, for a rule that has one.
    func note(
        _ rule: String, _ entity: String?, _ property: String?, _ tally: Tally, _ text: String,
        repair: Repair? = nil
    ) throws {
        try note(rule, entity, property, count: tally.count, objects: tally.objects, text, repair: repair)
    }

    func note(
        _ rule: String, _ entity: String?, _ property: String?, count: Int = 1, objects: [String] = [],
        _ text: String, repair: Repair? = nil
    ) throws {
        guard count > 0, options.rules.isEmpty || options.rules.contains(rule) else { return }
        guard let known = DoctorRule.named(rule) else { preconditionFailure("There is no rule '\(rule)'.") }
        let repair = store.mayRepair(rule, entity, property) ? repair : nil
        let command: String? =
            switch rule {
            case "file.damage": "coredata-tool recover \(store.shellName) -o NEW.sqlite"
            case "history.size": "coredata-tool history purge \(store.shellName) --before DATE"
            default: repair == nil ? nil : "coredata-tool doctor \(store.shellName) --fix \(rule)"
            }
        let severity: Finding.Severity = store.isGuess(entity, property) ? .note : known.severity
        if rule == "file.damage" { isDamaged = true }
        try report(
            Finding(
                rule: rule, severity: severity, entity: entity, property: property, count: count,
                objects: objects, text: text, consequence: known.consequence, command: command, repair: repair))
    }

    static func rows(_ count: Int) -> String { "\(count) row\(count == 1 ? "" : "s")" }
}
