// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Infers a model from the tables of a store without a cached model. Documentation/Internals/InferredModels.md

import CoreData
import CoreDataFoundation
package import CoreDataModelFiles
package import SQLiteDriver

/// The model that a database's tables imply. The numbers in comments are those of the page.
///
/// All columns of a table belong to its root entity, because tables do not assign them to subentities (8).
package struct SchemaModel {
    /// An INTEGER column that may hold the keys of other rows.
    struct Reference {
        let entity: Int64
        let table: String
        let column: String
        let name: String
        let hasIndex: Bool
        /// Whether the table keeps an order key for the column, so that the other end is an ordered to-many.
        let hasOrder: Bool
        /// nil until the destination is known.
        var destination: Int64?
        var isGuess = false
        /// The position of the reference at the other end of a one-to-one relationship.
        var inverse: Int?
    }

    let connection: Connection
    let family: EntityFamily
    let tables: [String: [SchemaColumn]]
    let schema: [SchemaEntry]
    let indexes: Set<String>
    let searchIndexes: [StoreTables.SearchIndex]
    /// The spelling of columns as properties, by table and column.
    var spellings: [String: [String: String]] = [:]
    var entities: [Int64: ModelDocument.Entity] = [:]
    /// The entities with a property, by property name.
    var owners: [String: Set<Int64>] = [:]
    var references: [Reference] = []
    var notes: [InferredModel.Note] = []
    /// A hostile file could ask for millions of statements (12).
    private var remainingStatements = 4000

    /// - Throws: SQLite's errors of reading the schema.
    package static func infer(_ connection: Connection, file: StoreFile) throws -> InferredModel {
        var model = try SchemaModel(connection, file)
        return try model.inferred()
    }

    private init(_ connection: Connection, _ file: StoreFile) throws {
        self.connection = connection
        schema = try connection.schema()
        var tables: [String: [SchemaColumn]] = [:]
        for table in schema where table.type == "table" { tables[table.name] = try connection.columns(of: table.name) }
        self.tables = tables
        indexes = Set(schema.filter { $0.type == "index" }.map(\.name))
        searchIndexes = try StoreTables.searchIndexes(connection)
        var (kept, seen): ([StoreFile.KnownEntity], Set<String>) = ([], [])
        let all = EntityFamily(file.entities)
        for member in file.entities {
            if let reason = Self.reason(against: member, all, tables) {
                notes.append(.init(entity: member.name, property: nil, isGuess: false, text: reason))
            } else if seen.insert(member.name.uppercased()).inserted {
                kept.append(member)
            }
        }
        family = EntityFamily(kept)
    }

    /// A sentence for an entity that no model of the file can have (3); nil for a usable one.
    private static func reason(
        against member: StoreFile.KnownEntity, _ all: EntityFamily, _ tables: [String: [SchemaColumn]]
    ) -> String? {
        guard isName(member.name) else { return "The name is no name of an entity, so it is left out." }
        let root = all.name(all.root(of: member.number)) ?? member.name
        guard isName(root), let columns = tables["Z" + root.uppercased()] else {
            return "There is no table Z\(root.uppercased()) for it, so it is left out."
        }
        let missing = ["Z_PK", "Z_ENT", "Z_OPT"].filter { name in !columns.contains { $0.name == name } }
        return missing.isEmpty
            ? nil : "The table Z\(root.uppercased()) has no column \(missing.list), so the entity is left out."
    }

    /// Whether a text can be the name of an entity or a property.
    static func isName(_ text: String) -> Bool {
        guard let first = text.first, first.isLetter, text.utf8.count <= 200 else { return false }
        return text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }

    private mutating func inferred() throws -> InferredModel {
        try readSpellings()
        for known in family.members {
            var entity = ModelDocument.Entity(name: known.name)
            entity.superentityName = family.parent(of: known.number).flatMap(family.name)
            entities[known.number] = entity
        }
        for known in family.members where family.parent(of: known.number) == nil { addColumns(of: known) }
        resolveReferences()
        addReferences()
        for table in tables.keys.sorted() { addJoin(table) }
        try addIndexes()
        var document = ModelDocument()
        document.entities = entities.values.map { entity in
            var entity = entity
            entity.attributes.sort { $0.traits.name < $1.traits.name }
            entity.relationships.sort { $0.traits.name < $1.traits.name }
            return entity
        }.sorted { $0.name < $1.name }
        return InferredModel(document: document, notes: notes)
    }

    // MARK: Parts

    mutating func note(_ entity: Int64, _ property: String?, isGuess: Bool, _ text: String) {
        notes.append(.init(entity: family.name(entity) ?? "", property: property, isGuess: isGuess, text: text))
    }

    /// Whether the name is free in the entity, its superentities and its subentities.
    func isFree(_ name: String, _ number: Int64) -> Bool {
        guard family.name(number) != nil else { return false }
        guard let taken = owners[name] else { return true }
        return !taken.contains { family.isKind($0, of: number) || family.isKind(number, of: $0) }
    }

    mutating func add(_ relationship: ModelDocument.Relationship, to number: Int64) {
        entities[number]?.relationships.append(relationship)
        owners[relationship.traits.name, default: []].insert(number)
    }

    mutating func add(_ attribute: ModelDocument.Attribute, to number: Int64) {
        entities[number]?.attributes.append(attribute)
        owners[attribute.traits.name, default: []].insert(number)
    }

    /// The first row of a query for evidence; nil without one, after an error, and when there were too many queries.
    mutating func evidence(_ sql: String) -> [SQLiteValue]? {
        guard remainingStatements > 0 else { return nil }
        remainingStatements -= 1
        if remainingStatements == 0 {
            notes.append(
                .init(
                    entity: nil, property: nil, isGuess: true,
                    text: "The file has too many columns for a look at the values of all; the rest go by their types."))
        }
        return (try? connection.rows(sql).first) ?? nil
    }

    /// The numbers of values that a query counts.
    mutating func counts(_ sql: String) -> [Int64]? {
        evidence(sql).map { row in row.map { $0.integerValue ?? 0 } }
    }
}

/// A model that tables or objects imply, with the parts that are uncertain.
package struct InferredModel: Sendable, Equatable {
    package struct Note: Sendable, Equatable {
        /// nil for the model as a whole.
        package var entity: String?
        package var property: String?
        /// Whether the model has the part on uncertain evidence; otherwise the part is left out.
        package var isGuess: Bool
        package var text: String

        /// "Book.author: …"
        package var line: String {
            let place = [entity, property].compactMap { $0 }.joined(separator: ".")
            return place.isEmpty ? text : "\(place): \(text)"
        }
    }

    package var document: ModelDocument
    package var notes: [Note]
    /// The keys of an overlay by the property that they correct, such as "destination" of "Book.author". Such parts are
    /// not inferred: the user has stated them.
    package var stated: [String: Set<String>] = [:]

    package init(document: ModelDocument, notes: [Note]) {
        self.document = document
        self.notes = notes
    }

    /// The key in `userInfo` of an entity or property with a reason for uncertainty.
    package static let guessKey = "coredata-tool.inferred"

    /// The document with each guess in the `userInfo` of its part.
    package var markedDocument: ModelDocument {
        var result = document
        for note in notes where note.isGuess {
            guard let index = result.entities.firstIndex(where: { $0.name == note.entity }) else { continue }
            let entity = result.entities[index]
            if let place = entity.attributes.firstIndex(where: { $0.traits.name == note.property }) {
                result.entities[index].attributes[place].traits.userInfo[Self.guessKey] = .string(note.text)
            } else if let place = entity.relationships.firstIndex(where: { $0.traits.name == note.property }) {
                result.entities[index].relationships[place].traits.userInfo[Self.guessKey] = .string(note.text)
            }
        }
        return result
    }
}
