// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A model of the tables of a PostgreSQL schema, with the mapping in the user info.

import CoreData
package import CoreDataModelFiles
package import CoreDataPostgreSQL
package import Foundation

/// Tables with an integer key are entities, foreign keys relationships, and tables of two foreign keys many-to-many
/// relationships. Parts without a counterpart are listed (`Documentation/Internals/MappedTables.md`).
package struct ServerModel {
    package private(set) var document = ModelDocument()
    /// Sentences on parts of the schema that the model lacks.
    package private(set) var notes: [String] = []

    private let schema: String
    private let catalog: ServerCatalog
    private var entities: [Int64: ModelDocument.Entity] = [:]
    private var names: [Int64: Set<String>] = [:]
    /// The attribute or to-one of each column.
    private var properties: [Int64: [Int64: String]] = [:]

    /// The model of the store in the schema of a URL, or a model of the schema's tables.
    ///
    /// - Throws: an error for the user; `ToolError` for a file.
    package init(_ url: URL) throws {
        guard url.isServer else { throw ToolError("\(url.path) is no URL of a PostgreSQL server.") }
        PostgreSQLStore.register()
        let (catalog, schema) = try PostgreSQLStore.catalog(at: url)
        guard catalog.table(schema, "ocd_store") != nil,
            let model = try PostgreSQLStore.cachedModel(at: url, options: nil)
        else {
            self.init(catalog, schema: schema)
            return
        }
        self.init(model.document(), catalog, schema)
    }

    private init(_ document: ModelDocument, _ catalog: ServerCatalog, _ schema: String) {
        (self.document, self.catalog, self.schema) = (document, catalog, schema)
    }

    /// - Parameter schema: the name of the schema to read.
    package init(_ catalog: ServerCatalog, schema: String) {
        self.catalog = catalog
        self.schema = schema
        let tables = catalog.tables.values.filter { $0.schema == schema && !$0.name.hasPrefix("ocd_") }
            .sorted { $0.name < $1.name }
        let joins = tables.filter { isJoin($0) }
        var taken: Set<String> = []
        for table in tables where !joins.contains(where: { $0.oid == table.oid }) { addEntity(table, &taken) }
        for table in tables where entities[table.oid] != nil { addAttributes(table) }
        for table in tables where entities[table.oid] != nil { addRelationships(table) }
        for table in joins { addJoin(table) }
        for table in tables where entities[table.oid] != nil { addRules(table) }
        document.entities = entities.values.sorted { $0.name < $1.name }
    }

    // MARK: Tables

    private static let integers: [String: AttributeKind] = ["int2": .integer16, "int4": .integer32, "int8": .integer64]

    private func key(_ table: ServerCatalog.Table) -> ServerCatalog.Column? {
        guard table.key.count == 1, let column = table.column(table.key[0]), Self.integers[column.base] != nil else {
            return nil
        }
        return column
    }

    /// Foreign keys of one column that reference the key of another table.
    private func links(_ table: ServerCatalog.Table) -> [(column: ServerCatalog.Column, rule: ServerCatalog.Constraint)]
    {
        table.constraints.compactMap { rule in
            guard rule.kind == .foreign, rule.columns.count == 1, let column = table.column(rule.columns[0]),
                Self.integers[column.base] != nil, let target = catalog.tables[rule.destination],
                target.schema == schema, key(target)?.number == rule.destinationColumns.first
            else { return nil }
            return (column, rule)
        }
    }

    /// Whether a table holds nothing but pairs of rows.
    private func isJoin(_ table: ServerCatalog.Table) -> Bool {
        guard table.kind == "r", table.key.count == 2 else { return false }
        let links = links(table)
        return Set(links.map(\.column.number)) == Set(table.key)
            && table.columns.allSatisfy { table.key.contains($0.number) || $0.hasDefault || !$0.isNotNull }
    }

    private mutating func addEntity(_ table: ServerCatalog.Table, _ taken: inout Set<String>) {
        guard table.kind == "r" || table.kind == "p" else {
            notes.append("\(table.name) is a view or a foreign table: map it by hand, with postgresql.key")
            return
        }
        guard let key = key(table) else {
            notes.append(
                "\(table.name) has "
                    + (table.key.isEmpty ? "no primary key" : "a primary key that is not one integer")
                    + ", so it is no entity")
            return
        }
        var name = Self.swiftName(table.name, isType: true)
        while !taken.insert(name).inserted { name += "2" }
        var entity = ModelDocument.Entity(name: name)
        entity.userInfo = Self.info(
            ["schema": table.schema, "table": table.name, "key": key.name, "version": version(table)], table.comment)
        if table.sequences[key.number] == nil {
            notes.append("\(name): the key \(table.name).\(key.name) has no sequence, so no object can be inserted")
        }
        entities[table.oid] = entity
    }

    /// By a widespread convention, a column with this name counts the changes of a row.
    private func version(_ table: ServerCatalog.Table) -> String? {
        table.columns.first { $0.name == "lock_version" && Self.integers[$0.base] != nil }?.name
    }

    private static func info(_ values: [String: String?], _ comment: String?) -> [String: PropertyListValue] {
        var result: [String: PropertyListValue] = [:]
        for (key, value) in values { if let value { result["postgresql." + key] = .string(value) } }
        if let comment { result["comment"] = .string(comment) }
        return result
    }

    // MARK: Columns

    private mutating func addAttributes(_ table: ServerCatalog.Table) {
        let keys = Set(links(table).map(\.column.number) + table.key)
        let version = version(table)
        for column in table.columns where !keys.contains(column.number) && column.name != version {
            guard let kind = kind(column) else {
                notes.append(
                    "\(table.name).\(column.name) of type \(column.type) is no attribute"
                        + (column.isNotNull && !column.hasDefault
                            ? "; it needs a value, so nothing can be inserted" : ""))
                continue
            }
            var attribute = ModelDocument.Attribute(name: name(column.name, table), type: kind.rawValue)
            // A nil is replaced by the column's default.
            attribute.traits.isOptional = !column.isNotNull || column.hasDefault
            attribute.traits.userInfo = Self.info(["column": column.name], column.comment)
            if let length = column.length, kind == .string { limit(&attribute, maximum: "\(length)") }
            properties[table.oid, default: [:]][column.number] = attribute.traits.name
            entities[table.oid]?.attributes.append(attribute)
        }
        for rule in table.constraints where rule.kind == .check { addLimit(rule, table) }
    }

    private func kind(_ column: ServerCatalog.Column) -> AttributeKind? {
        if column.isArray || column.isGenerated { return nil }
        if column.kind == "e" { return .string }
        return switch column.base {
        case "int2", "int4", "int8": Self.integers[column.base]
        case "bool": .boolean
        case "float4": .float
        case "float8": .double
        case "numeric": .decimal
        case "timestamptz", "timestamp", "date": .date
        case "text", "varchar", "bpchar", "name", "json", "jsonb", "xml", "inet", "cidr", "macaddr", "citext": .string
        case "uuid": .uuid
        case "bytea": .binary
        default: nil
        }
    }

    /// `CHECK (price >= 0)` as the server writes it.
    private mutating func addLimit(_ rule: ServerCatalog.Constraint, _ table: ServerCatalog.Table) {
        let pattern = /CHECK \(\(\(?"?([^"() ]+)"?\)? (>=|<=) \(?'?(-?[0-9.]+)'?\)?(?:::[a-z ]+)?\)\)/
        guard rule.columns.count == 1, let name = properties[table.oid]?[rule.columns[0]],
            let match = rule.definition.wholeMatch(of: pattern),
            let place = entities[table.oid]?.attributes.firstIndex(where: { $0.traits.name == name }),
            var attribute = entities[table.oid]?.attributes[place],
            AttributeKind(rawValue: attribute.type).map({ $0.rawValue <= AttributeKind.float.rawValue }) == true
        else { return }
        let number = String(match.3)
        if match.2 == ">=" { limit(&attribute, minimum: number) } else { limit(&attribute, maximum: number) }
        entities[table.oid]?.attributes[place] = attribute
    }

    private func limit(_ attribute: inout ModelDocument.Attribute, minimum: String? = nil, maximum: String? = nil) {
        let isText = attribute.type == AttributeKind.string.rawValue
        let subject = isText ? "length" : "SELF"
        if let minimum {
            attribute.minimum = minimum
            attribute.traits.validations.append(.init(format: "\(subject) >= \(minimum)", warning: .integer(1_620)))
        }
        if let maximum {
            attribute.maximum = maximum
            attribute.traits.validations.append(
                .init(format: "\(subject) <= \(maximum)", warning: .integer(isText ? 1_660 : 1_610)))
        }
    }

    // MARK: Foreign keys

    private mutating func addRelationships(_ table: ServerCatalog.Table) {
        guard let source = entities[table.oid]?.name else { return }
        let links = links(table)
        for rule in table.constraints
        where rule.kind == .foreign && !links.contains(where: { $0.rule.name == rule.name }) {
            notes.append(
                "\(table.name): the foreign key \(rule.name) is no relationship: it does not lead to an integer key")
        }
        for (column, rule) in links {
            guard let target = entities[rule.destination]?.name else { continue }
            let toOneName = name(Self.withoutKeyEnding(column.name), table)
            let isOnly = links.filter { $0.rule.destination == rule.destination }.count == 1
            let several = Self.plural(Self.swiftName(source, isType: false))
            let wanted =
                isOnly && rule.destination != table.oid
                ? several : several + "Of" + Self.swiftName(toOneName, isType: true)
            let toManyName = catalog.tables[rule.destination].map { name(wanted, $0) } ?? wanted
            var toOne = relationship(toOneName, target, inverse: toManyName)
            toOne.maxCount = 1
            toOne.traits.isOptional = !column.isNotNull
            toOne.traits.userInfo = Self.info(["column": column.name], column.comment)
            var toMany = relationship(toManyName, source, inverse: toOneName)
            toMany.isToMany = true
            toMany.traits.isOptional = true
            switch rule.deletion {
            case "c": toMany.deleteRule = 2
            case "a", "r": toMany.deleteRule = column.isNotNull ? 3 : 1
            default: toMany.deleteRule = 1
            }
            properties[table.oid, default: [:]][column.number] = toOneName
            entities[table.oid]?.relationships.append(toOne)
            entities[rule.destination]?.relationships.append(toMany)
        }
    }

    private func relationship(_ name: String, _ destination: String, inverse: String) -> ModelDocument.Relationship {
        var relationship = ModelDocument.Relationship(name: name, destinationEntityName: destination)
        relationship.inverseName = inverse
        relationship.inverseEntityName = destination
        return relationship
    }

    private mutating func addJoin(_ table: ServerCatalog.Table) {
        let links = links(table).sorted { $0.column.number < $1.column.number }
        guard links.count == 2, let one = entities[links[0].rule.destination]?.name,
            let other = entities[links[1].rule.destination]?.name,
            let oneTable = catalog.tables[links[0].rule.destination],
            let otherTable = catalog.tables[links[1].rule.destination]
        else {
            notes.append("\(table.name) joins tables that are no entities")
            return
        }
        let isSelf = oneTable.oid == otherTable.oid
        func wanted(_ entity: String, _ column: ServerCatalog.Column) -> String {
            Self.plural(Self.swiftName(isSelf ? Self.withoutKeyEnding(column.name) : entity, isType: false))
        }
        let toOther = name(wanted(other, links[1].column), oneTable)
        let toOne = name(wanted(one, links[0].column), otherTable)
        var first = relationship(toOther, other, inverse: toOne)
        var second = relationship(toOne, one, inverse: toOther)
        for (place, column) in [links[0].column, links[1].column].enumerated() {
            let info = Self.info(
                ["schema": table.schema, "table": table.name, "column": column.name], table.comment)
            if place == 0 { first.traits.userInfo = info } else { second.traits.userInfo = info }
        }
        for keyPath in [\ModelDocument.Relationship.isToMany, \.traits.isOptional] {
            first[keyPath: keyPath] = true
            second[keyPath: keyPath] = true
        }
        entities[oneTable.oid]?.relationships.append(first)
        entities[otherTable.oid]?.relationships.append(second)
    }

    // MARK: Rules

    private mutating func addRules(_ table: ServerCatalog.Table) {
        let known = properties[table.oid] ?? [:]
        for index in table.indexes where index.isPlain && !index.isPrimary {
            let names = index.columns.compactMap { known[$0] }
            guard names.count == index.columns.count, !names.isEmpty else { continue }
            if index.isUnique {
                entities[table.oid]?.uniquenessConstraints.append(names)
            } else {
                var fetchIndex = ModelDocument.FetchIndex(name: Self.swiftName(index.name, isType: false))
                fetchIndex.elements = names.map { .init(property: $0) }
                entities[table.oid]?.indexes.append(fetchIndex)
            }
        }
        entities[table.oid]?.attributes.sort { $0.traits.name < $1.traits.name }
        entities[table.oid]?.relationships.sort { $0.traits.name < $1.traits.name }
    }

    // MARK: Names

    /// A name that is new in the entity of a table, and valid for a property.
    private mutating func name(_ wanted: String, _ table: ServerCatalog.Table) -> String {
        var name = Self.swiftName(wanted, isType: false)
        if ModelNames.fault(ofProperty: name) != nil {
            name = Self.swiftName(table.name, isType: false) + Self.swiftName(wanted, isType: true)
        }
        var result = name
        var number = 2
        while !names[table.oid, default: []].insert(result).inserted {
            result = "\(name)\(number)"
            number += 1
        }
        return result
    }

    /// `film_actor` is `filmActor` or `FilmActor`; other characters than letters and digits separate words.
    static func swiftName(_ name: String, isType: Bool) -> String {
        let words = name.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        var result = ""
        for (place, word) in words.enumerated() {
            // Words in capitals are words; those with both kinds of letters stay.
            let plain = word == word.uppercased() ? word.lowercased() : word
            result +=
                place > 0 || isType
                ? plain.prefix(1).uppercased() + plain.dropFirst() : plain.prefix(1).lowercased() + plain.dropFirst()
        }
        if result.first.map({ $0.isNumber }) ?? true { result = (isType ? "Table" : "column") + result }
        return result
    }

    private static func withoutKeyEnding(_ name: String) -> String {
        for ending in ["_id", "_ID", "Id", "ID", "_fk"] where name.hasSuffix(ending) && name.count > ending.count {
            return String(name.dropLast(ending.count))
        }
        return name
    }

    static func plural(_ name: String) -> String {
        if name.hasSuffix("s") { return name }
        if name.hasSuffix("y"), let before = name.dropLast().last, !"aeiou".contains(before) {
            return name.dropLast() + "ies"
        }
        return name + (["x", "z", "ch", "sh"].contains(where: name.hasSuffix) ? "es" : "s")
    }
}
