// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds parts of a model that compile but will cause trouble in an app. Documentation/Tool.md lists the rules.

import CoreData
import CoreDataModelFiles
package import Foundation

/// A part of a model that may cause trouble.
package struct LintFinding: Sendable, Equatable {
    package let rule: String
    package let severity: Finding.Severity
    /// nil for a finding about the bundle.
    package let entity: String?
    package let property: String?
    package let text: String
    /// The file and the line in it; line 1 for a file without lines.
    package let file: URL
    package let line: Int

    package static let columns = ["severity", "rule", "entity", "property", "text"]

    package var row: QueryResult.Row {
        .init(
            id: "",
            cells: [
                .string(severity.rawValue), .string(rule), entity.map { .string($0) } ?? .null,
                property.map { .string($0) } ?? .null, .string(text),
            ])
    }
}

/// The rules for models, and their application to the current version of a bundle.
package struct ModelLint {
    /// The rules with a sentence each.
    package static let rules: [(id: String, severity: Finding.Severity, text: String)] = [
        (
            "inverse.missing", .warning,
            "A relationship without an inverse is not kept right when its objects are deleted."
        ),
        ("delete.noAction", .warning, "The delete rule No Action leaves references to objects that are gone."),
        (
            "delete.mandatory", .warning,
            "Nullify empties a mandatory to-one: the deletion cannot be saved. Cascade or Deny says what is meant."
        ),
        ("delete.loop", .note, "Cascades in a loop may delete all that is connected."),
        ("name.sql", .note, "The name is a word of SQL: statements written by hand need quotes."),
        ("name.swift", .note, "The name is a word of Swift: code needs backticks."),
        ("index.sort", .note, "A fetch request of the model sorts by an attribute that no index begins with."),
        (
            "renaming.nowhere", .warning,
            "The renaming identifier is no name of the version before: nothing is carried over."
        ),
        (
            "version.gap", .warning,
            "No migration can be inferred from the version before, and the bundle has no mapping model."
        ),
        ("version.current", .note, "The current version is not the last one."),
        ("transformable.insecure", .warning, "The transformer decodes archives of any class."),
        (
            "join.name", .note,
            "The name of the join table is a guess: Apple's framework may look for that of the inverse."
        ),
        ("data.inline", .note, "Large values stay in the rows and make every fetch of the entity slow."),
    ]

    private let document: ModelDocument
    private let lines: ModelSourceLines
    private let file: URL
    private var findings: [LintFinding] = []

    /// The findings of a model file or bundle, or of the model that a store keeps, in the order of the rules.
    ///
    /// - Parameter inference: gives the model of a store that keeps none; nil to refuse such a store.
    /// - Throws: `ModelFileError` for a model that cannot be read; `ToolError` for a store without a model, and for a
    ///   version of the model of a store.
    package static func findings(
        _ url: URL, version: String? = nil, inference: ModelInference? = nil
    ) throws -> [LintFinding] {
        guard try FileKind(of: url) == .model else {
            if version != nil { throw ToolError("\(url.path) is a store, which keeps one version of its model.") }
            let document = try OpenedStore(url, inference: inference).authoredModel()
            return ModelLint(document: document, lines: ModelSourceLines(), file: url).sorted()
        }
        let bundle = try ModelBundle(contentsOf: url)
        let known = bundle.versions.first { $0.name == version } ?? bundle.currentVersion
        _ = try bundle.document(version: version)
        guard let known else { throw bundle.noCurrentVersion }
        let (document, lines) = try ModelDocument.read(modelFile: ModelBundle.contents(of: known))
        var lint = ModelLint(document: document, lines: lines, file: known.url)
        try lint.checkVersions(bundle, known)
        return lint.sorted()
    }

    /// Applies the rules for a single version.
    private init(document: ModelDocument, lines: ModelSourceLines, file: URL) {
        self.document = document
        self.lines = lines
        self.file = file
        for entity in document.entities { check(entity) }
        checkLoops()
        checkSorts()
    }

    private func sorted() -> [LintFinding] {
        let order = Self.rules.map(\.id)
        return findings.sorted { one, other in
            let ranks = (order.firstIndex(of: one.rule) ?? 0, order.firstIndex(of: other.rule) ?? 0)
            return ranks.0 == ranks.1 ? (one.line, one.text) < (other.line, other.text) : ranks.0 < ranks.1
        }
    }

    private mutating func note(_ rule: String, _ entity: String?, _ property: String?, _ text: String) {
        guard let known = Self.rules.first(where: { $0.id == rule }) else {
            preconditionFailure("There is no rule '\(rule)'.")
        }
        findings.append(
            LintFinding(
                rule: rule, severity: known.severity, entity: entity, property: property, text: text, file: file,
                line: lines.line(entity, property)))
    }

    private func entity(_ name: String) -> ModelDocument.Entity? { document.entities.first { $0.name == name } }

    /// A relationship of an entity or of one of its superentities.
    private func relationship(_ name: String, of entity: String) -> ModelDocument.Relationship? {
        var next = self.entity(entity)
        while let current = next {
            if let found = current.relationships.first(where: { $0.traits.name == name }) { return found }
            next = current.superentityName.flatMap { self.entity($0) }
        }
        return nil
    }

    // MARK: Entities

    private mutating func check(_ entity: ModelDocument.Entity) {
        checkName(entity.name, entity.name, nil)
        for attribute in entity.attributes {
            let name = attribute.traits.name
            checkName(name, entity.name, name)
            let type = AttributeKind(rawValue: attribute.type)
            let insecure = [
                "NSKeyedUnarchiveFromData", "NSUnarchiveFromData", "NSKeyedUnarchiveFromDataTransformerName",
            ]
            if type == .transformable, attribute.valueTransformerName.map(insecure.contains) ?? true {
                note(
                    "transformable.insecure", entity.name, name,
                    "\(entity.name).\(name) uses \(attribute.valueTransformerName ?? "the transformer of keyed archives"); "
                        + "NSSecureUnarchiveFromData checks classes.")
            }
            if type == .binary, !attribute.allowsExternalBinaryDataStorage, !attribute.traits.isTransient {
                note(
                    "data.inline", entity.name, name,
                    "\(entity.name).\(name) keeps its data in the row whatever its size.")
            }
        }
        for relationship in entity.relationships { check(relationship, entity) }
    }

    private mutating func check(_ relationship: ModelDocument.Relationship, _ entity: ModelDocument.Entity) {
        let name = relationship.traits.name
        let place = "\(entity.name).\(name)"
        checkName(name, entity.name, name)
        guard let inverseName = relationship.inverseName else {
            return note("inverse.missing", entity.name, name, "\(place) has no inverse.")
        }
        if relationship.deleteRule == 0 {
            note("delete.noAction", entity.name, name, "\(place) has the delete rule No Action.")
        }
        let inverse = self.relationship(inverseName, of: relationship.destinationEntityName)
        if relationship.isToMany, relationship.destinationEntityName == entity.name, name < inverseName,
            entity.relationships.contains(where: { $0.traits.name == inverseName && $0.isToMany })
        {
            note(
                "join.name", entity.name, name,
                "The join table of \(place) and '\(inverseName)' has the name of one of them, by a rule that is a guess."
            )
        }
        if relationship.deleteRule == 1, let inverse, !inverse.isToMany, !inverse.traits.isOptional {
            note(
                "delete.mandatory", entity.name, name,
                "Deleting an object of \(entity.name) empties \(relationship.destinationEntityName).\(inverseName), "
                    + "which is mandatory.")
        }
    }

    private mutating func checkName(_ name: String, _ entity: String, _ property: String?) {
        let place = property.map { "\(entity).\($0)" } ?? entity
        if Self.sqlWords.contains(name.uppercased()) {
            note("name.sql", entity, property, "\(place) is a word of SQL.")
        }
        if Self.swiftWords.contains(name) { note("name.swift", entity, property, "\(place) is a word of Swift.") }
    }

    private static let sqlWords: Set<String> = [
        "ADD", "ALL", "ALTER", "AND", "AS", "BETWEEN", "BY", "CASE", "CHECK", "COLUMN", "COMMIT", "CREATE", "DEFAULT",
        "DELETE", "DESC", "DISTINCT", "DROP", "ELSE", "END", "EXISTS", "FOREIGN", "FROM", "GROUP", "HAVING", "IN",
        "INDEX",
        "INSERT", "INTO", "IS", "JOIN", "LIMIT", "NOT", "NULL", "ON", "OR", "ORDER", "PRIMARY", "REFERENCES", "SELECT",
        "SET", "TABLE", "THEN", "TO", "TRANSACTION", "TRIGGER", "UNION", "UNIQUE", "UPDATE", "USING", "VALUES", "VIEW",
        "WHEN", "WHERE",
    ]
    private static let swiftWords: Set<String> = [
        "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do",
        "else",
        "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in",
        "init",
        "inout", "internal", "is", "let", "nil", "operator", "private", "protocol", "public", "repeat", "return",
        "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias",
        "var",
        "where", "while", "Self", "Any", "Type", "Protocol",
    ]

    // MARK: Cascades

    /// Finds loops of cascades over several entities, each once.
    private mutating func checkLoops() {
        let edges = Dictionary(
            document.entities.map { entity in
                (
                    entity.name,
                    entity.relationships.filter { $0.deleteRule == 2 && $0.destinationEntityName != entity.name }
                )
            }, uniquingKeysWith: { first, _ in first })
        var reported: Set<Set<String>> = []
        for start in document.entities.map(\.name) {
            var open: [(entity: String, path: [String])] = [(start, [start])]
            var seen: Set<String> = []
            while let (entity, path) = open.popLast() {
                for relationship in edges[entity] ?? [] {
                    let next = relationship.destinationEntityName
                    if next == start, reported.insert(Set(path)).inserted {
                        note(
                            "delete.loop", start, edges[start]?.first?.traits.name,
                            "Cascades lead from \((path + [start]).joined(separator: " to ")).")
                    }
                    if seen.insert(next).inserted { open.append((next, path + [next])) }
                }
            }
        }
    }

    // MARK: Sorts

    private mutating func checkSorts() {
        let requests =
            document.fetchRequests
            + document.entities.flatMap { $0.fetchedProperties.map(\.request) }
        for request in requests {
            guard let sort = request.sortDescriptors.first, let entity = entity(request.entityName) else { continue }
            var (chain, next): ([ModelDocument.Entity], ModelDocument.Entity?) = ([], entity)
            while let current = next {
                chain.append(current)
                next = current.superentityName.flatMap { self.entity($0) }
            }
            guard chain.contains(where: { $0.attributes.contains { $0.traits.name == sort.key } }) else { continue }
            let isIndexed = chain.contains { current in
                current.indexes.contains { $0.elements.first?.property == sort.key }
                    || current.uniquenessConstraints.contains { $0.first == sort.key }
            }
            guard !isIndexed else { continue }
            let name = request.name.isEmpty ? "A fetched property" : "The request '\(request.name)'"
            note(
                "index.sort", entity.name, sort.key,
                "\(name) sorts \(entity.name) by '\(sort.key)', which has no index.")
        }
    }

    // MARK: Versions

    private mutating func checkVersions(_ bundle: ModelBundle, _ known: ModelBundle.Version) throws {
        let sorted = bundle.versions.sorted { $0.name.compare($1.name, options: .numeric) == .orderedAscending }
        if let current = bundle.currentVersion, current.name != sorted.last?.name, sorted.count > 1 {
            note(
                "version.current", nil, nil,
                "The current version is '\(current.name)'; the last one is '\(sorted.last?.name ?? "")'.")
        }
        guard let position = sorted.firstIndex(where: { $0.name == known.name }), position > 0 else { return }
        let before = try bundle.document(version: sorted[position - 1].name)
        checkRenaming(before, sorted[position - 1].name)
        func plain(_ document: ModelDocument) -> NSManagedObjectModel {
            var document = document
            for index in document.entities.indices { document.entities[index].className = nil }
            return NSManagedObjectModel(document: document)
        }
        let mappings = Set(["cdm", "xcmappingmodel"])
        let beside = (try? FileManager.default.contentsOfDirectory(atPath: bundle.url.path)) ?? []
        let around =
            (try? FileManager.default.contentsOfDirectory(atPath: bundle.url.deletingLastPathComponent().path)) ?? []
        guard !(beside + around).contains(where: { mappings.contains(($0 as NSString).pathExtension) }) else { return }
        do {
            _ = try NSMappingModel.inferredMappingModel(
                forSourceModel: plain(before), destinationModel: plain(document))
        } catch {
            note(
                "version.gap", nil, nil,
                "From '\(sorted[position - 1].name)' to '\(known.name)': \(ToolError.text(of: error))")
        }
    }

    private mutating func checkRenaming(_ before: ModelDocument, _ name: String) {
        let old = Dictionary(before.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let former = Set(before.entities.map { $0.renamingIdentifier ?? $0.name }).union(old.keys)
        for entity in document.entities {
            if let identifier = entity.renamingIdentifier, identifier != entity.name, !former.contains(identifier) {
                note("renaming.nowhere", entity.name, nil, "'\(identifier)' is no entity of '\(name)'.")
            }
            guard let source = old[entity.renamingIdentifier ?? entity.name] ?? old[entity.name] else { continue }
            let all = source.attributes.map(\.traits) + source.relationships.map(\.traits)
            let names = Set(all.map(\.name)).union(all.compactMap(\.renamingIdentifier))
            for traits in entity.attributes.map(\.traits) + entity.relationships.map(\.traits) {
                guard let identifier = traits.renamingIdentifier, identifier != traits.name, !names.contains(identifier)
                else { continue }
                note(
                    "renaming.nowhere", entity.name, traits.name,
                    "'\(identifier)' is no property of \(source.name) in '\(name)'.")
            }
        }
    }
}

extension ModelLint {
    /// The findings in the format of static analysis results (SARIF 2.1.0), which CI systems show next to the code.
    package static func sarif(_ findings: [LintFinding], base: URL) -> JSONValue {
        func level(_ severity: Finding.Severity) -> JSONValue { .string(severity.rawValue) }
        func path(_ file: URL) -> String {
            let (root, path) = (base.standardizedFileURL.path + "/", file.standardizedFileURL.path)
            let relative = path.hasPrefix(root) ? String(path.dropFirst(root.count)) : path
            return relative.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? relative
        }
        let driver = JSONValue.members([
            "name": .string("coredata-tool lint"),
            "informationUri": .string("https://github.com/opencoredata/OpenCoreData"),
            "rules": .array(
                rules.map { rule in
                    .members([
                        "id": .string(rule.id),
                        "shortDescription": .members(["text": .string(rule.text)]),
                        "defaultConfiguration": .members(["level": level(rule.severity)]),
                    ])
                }),
        ])
        let results = findings.map { finding in
            JSONValue.members([
                "ruleId": .string(finding.rule), "level": level(finding.severity),
                "message": .members(["text": .string(finding.text)]),
                "locations": .array([
                    .members([
                        "physicalLocation": .members([
                            "artifactLocation": .members(["uri": .string(path(finding.file))]),
                            "region": .members(["startLine": .integer(finding.line)]),
                        ])
                    ])
                ]),
            ])
        }
        return .members([
            "$schema": .string("https://json.schemastore.org/sarif-2.1.0.json"), "version": .string("2.1.0"),
            "runs": .array([.members(["tool": .members(["driver": driver]), "results": .array(results)])]),
        ])
    }
}
