// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Infers attributes from columns: names, and types by declared types and values.

import CoreData
import CoreDataFoundation
import CoreDataModelFiles
import SQLiteDriver

extension SchemaModel {
    /// Adds the attributes of a table, and collects the columns that may be references.
    mutating func addColumns(of known: StoreFile.KnownEntity) {
        let table = "Z" + known.name.uppercased()
        let columns = tables[table] ?? []
        let names = Set(columns.map(\.name))
        for column in columns {
            guard let name = propertyName(column.name, in: table) else {
                noteUnusable(column.name, known.number, names)
                continue
            }
            if column.type.uppercased() == "INTEGER", addReference(column.name, name, known.number, table, names) {
                continue
            }
            add(attribute(name, column, known.number, in: table), to: known.number)
        }
    }

    /// nil for columns that are not properties: keys, order keys, entities of destinations, and names that no model
    /// maps onto the column (4).
    func propertyName(_ column: String, in table: String) -> String? {
        guard column.hasPrefix("Z"), !column.hasPrefix("Z_") else { return nil }
        let name = spellings[table]?[column] ?? column.dropFirst().lowercased()
        guard Self.isName(name), "Z" + name.uppercased() == column else { return nil }
        return name
    }

    private mutating func noteUnusable(_ column: String, _ number: Int64, _ names: Set<String>) {
        if ["Z_PK", "Z_ENT", "Z_OPT"].contains(column) || Self.ownedColumn(column) != nil { return }
        if column.hasPrefix("Z_FOK_"), names.contains("Z" + column.dropFirst(6)) { return }
        if let (_, rest) = Self.discriminator(column), names.contains("Z" + rest) { return }
        note(number, nil, isGuess: false, "The column \(column.debugDescription) is no property, so it is left out.")
    }

    /// "Z34_ASSET" is 34 and "ASSET".
    static func discriminator(_ column: String) -> (number: Int64, name: String)? {
        guard column.hasPrefix("Z") else { return nil }
        let digits = column.dropFirst().prefix { $0.isASCII && $0.isNumber }
        let rest = column.dropFirst(1 + digits.count)
        guard let number = Int64(digits), rest.hasPrefix("_"), rest.count > 1 else { return nil }
        return (number, String(rest.dropFirst()))
    }

    private mutating func attribute(
        _ name: String, _ column: SchemaColumn, _ number: Int64, in table: String
    ) -> ModelDocument.Attribute {
        let type: AttributeKind =
            switch column.type.uppercased() {
            case "INTEGER": .integer64
            case "FLOAT", "DOUBLE", "REAL": .double
            case "TIMESTAMP": .date
            case "DECIMAL": .decimal
            case "BLOB": .binary
            default: .string
            }
        var attribute = ModelDocument.Attribute(name: name, type: type.rawValue)
        attribute.traits.isOptional = true
        if type == .binary { refine(&attribute, column.name, number, table) }
        let index = searchIndexes.first { $0.content == table && $0.columns.contains(column.name) }
        if let index, type == .string {
            attribute.traits.isIndexedBySpotlight = true
            if index.tokenizer != .words {
                attribute.traits.userInfo[NSAttributeDescription.searchTokenizerKey] = .string(index.tokenizer.rawValue)
            }
        }
        return attribute
    }

    /// Data may be data in files (certain), UUIDs (all have 16 bytes) or archives (6).
    private mutating func refine(
        _ attribute: inout ModelDocument.Attribute, _ column: String, _ number: Int64, _ table: String
    ) {
        let (value, place) = (column.sqlName, table.sqlName)
        let name = attribute.traits.name
        // "2", the text of a UUID, and a byte 0.
        let isFile =
            "LENGTH(\(value)) = 38 AND SUBSTR(\(value), 1, 1) = x'02' AND SUBSTR(\(value), 38) = x'00' "
            + "AND CAST(SUBSTR(\(value), 2, 36) AS TEXT) GLOB '\(Self.uuidPattern)'"
        if evidence("SELECT 1 FROM \(place) WHERE TYPEOF(\(value)) = 'blob' AND \(isFile) LIMIT 1") != nil {
            attribute.allowsExternalBinaryDataStorage = true
            return
        }
        let sample = "FROM (SELECT \(value) AS V FROM \(place) WHERE \(value) IS NOT NULL LIMIT 200)"
        let isArchive = "SUBSTR(V, 1, 8) = x'62706C6973743030' AND INSTR(V, CAST('$archiver' AS BLOB)) > 0"
        guard
            let found = counts(
                "SELECT COUNT(*), SUM(TYPEOF(V) = 'blob' AND LENGTH(V) = 16), SUM(\(isArchive)) \(sample)"),
            found[0] > 0
        else { return }
        // A value that is no UUID would read as nil, so all values are looked at. Without an answer it is data.
        if found[1] == found[0],
            counts(
                "SELECT EXISTS (SELECT 1 FROM \(place) WHERE \(value) IS NOT NULL AND (TYPEOF(\(value)) <> 'blob' "
                    + "OR LENGTH(\(value)) <> 16))") == [0]
        {
            attribute.type = AttributeKind.uuid.rawValue
            note(number, name, isGuess: true, "All values have 16 bytes, as UUIDs have.")
        } else if found[2] * 5 >= found[0] * 4 {
            attribute.type = AttributeKind.transformable.rawValue
            note(
                number, name, isGuess: true, "Most values are keyed archives, as those of transformable attributes are."
            )
        }
    }

    private static let uuidPattern =
        [8, 4, 4, 4, 12].map { String(repeating: "[0-9A-Fa-f]", count: $0) }.joined(separator: "-")
}
