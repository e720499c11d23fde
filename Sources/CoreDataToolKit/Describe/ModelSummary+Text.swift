// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The text of a description in each format.

import Foundation

extension ModelSummary {
    /// - Parameter width: the width of the terminal, to which tables are fitted; nil without one.
    package func text(_ format: OutputFormat, width: Int? = nil) -> String {
        switch format {
        case .table: table(width)
        case .json: json.prettyText + "\n"
        case .ndjson: entities.map { Self.json($0).text + "\n" }.joined()
        case .csv: csv
        }
    }

    // MARK: Tables

    private func table(_ terminal: Int?) -> String {
        let width = facts.map(\.title.count).max() ?? 0
        var text = facts.map { fact in
            fact.title + String(repeating: " ", count: width - fact.title.count) + "  " + fact.value + "\n"
        }.joined()
        text += "\n" + overview(terminal)
        for entity in entities where !entity.properties.isEmpty {
            text += "\n\(Self.title(of: entity))\n"
            text +=
                TableText(
                    columns: ["property", "type", "details"],
                    rows: entity.properties.map { [$0.name, $0.type, $0.details.joined(separator: ", ")] },
                    maximumCellWidth: 80
                ).text(width: terminal)
        }
        return text
    }

    private func overview(_ terminal: Int?) -> String {
        let hasCounts = entities.contains { $0.count != nil }
        let rows = entities.map { entity in
            [entity.name + (entity.isAbstract ? " (abstract)" : ""), entity.superentity ?? ""]
                + (hasCounts ? [entity.count.map { "\($0)" } ?? ""] : [])
                + ["\(entity.count(of: .attribute))", "\(entity.count(of: .relationship))", Self.head(entity.hash)]
        }
        return TableText(
            columns: ["entity", "superentity"] + (hasCounts ? ["count"] : []) + [
                "attributes", "relationships", "hash",
            ],
            alignments: [.left, .left] + Array(repeating: .right, count: hasCounts ? 3 : 2), rows: rows
        ).text(width: terminal)
    }

    private static func title(of entity: Entity) -> String {
        entity.name + (entity.superentity.map { " : \($0)" } ?? "") + (entity.isAbstract ? " (abstract)" : "")
    }

    private static func head(_ hash: Data?) -> String {
        guard let hash else { return "" }
        return hash.prefix(6).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "…"
    }

    // MARK: JSON

    private var json: JSONValue {
        .object(
            facts.map { .init($0.key, .string($0.value)) }
                + [.init("entities", .array(entities.map(Self.json)))])
    }

    private static func json(_ entity: Entity) -> JSONValue {
        .members([
            "name": .string(entity.name),
            "count": entity.count.map(JSONValue.integer),
            "superentity": entity.superentity.map(JSONValue.string),
            "isAbstract": entity.isAbstract ? .boolean(true) : nil,
            "hash": entity.hash.map { .string($0.base64EncodedString()) },
            "attributes": .array(entity.properties.filter { $0.kind == .attribute }.map(attribute)),
            "relationships": .array(entity.properties.filter { $0.kind == .relationship }.map(relationship)),
        ])
    }

    private static func attribute(_ property: Property) -> JSONValue {
        .members([
            "name": .string(property.name), "type": .string(property.type), "isOptional": .boolean(property.isOptional),
            "details": details(property),
        ])
    }

    private static func relationship(_ property: Property) -> JSONValue {
        .members([
            "name": .string(property.name), "destination": .text(property.destination),
            "inverse": property.inverse.map(JSONValue.string), "isToMany": .boolean(property.isToMany),
            "isOrdered": property.isToMany ? .boolean(property.isOrdered) : nil,
            "isOptional": .boolean(property.isOptional), "details": details(property),
        ])
    }

    private static func details(_ property: Property) -> JSONValue? {
        let rest = property.details.filter { $0 != "optional" && !$0.hasPrefix("inverse ") }
        return rest.isEmpty ? nil : .array(rest.map(JSONValue.string))
    }

    // MARK: CSV

    /// A line for each property, and one line for an entity without properties.
    private var csv: String {
        let rows = entities.flatMap { entity -> [[String]] in
            let head = [
                entity.name, entity.superentity ?? "", entity.count.map { "\($0)" } ?? "",
                entity.hash?.base64EncodedString() ?? "",
            ]
            guard !entity.properties.isEmpty else { return [head + ["", "", "", ""]] }
            return entity.properties.map { property in
                head + [property.kind.rawValue, property.name, property.type, property.details.joined(separator: ", ")]
            }
        }
        return CSVText.text(
            columns: ["entity", "superentity", "count", "hash", "kind", "property", "type", "details"], rows: rows)
    }
}
