// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Examines a whole SQLite store: pages, structure, rows, references, and files of large data.

import Foundation
import SQLiteDriver

/// A defect of a store.
package struct StoreDefect: Sendable, Equatable {
    package enum Kind: String, Sendable {
        /// Damaged pages or indexes.
        case damage
        /// A difference from a new store of the same version.
        case schema
        /// Rows of an unknown entity, or with a key that is used twice.
        case row
        /// Dangling references.
        case reference
        /// Missing files of large data.
        case largeData
    }

    package let kind: Kind
    /// A sentence that describes the defect.
    package let text: String

    package init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}

/// Reads every page and every reference of a store. Called by the command line.
package struct StoreExamination {
    private let connection: Connection
    private let url: URL
    private let schema: Schema

    /// Finds the defects of a store of the given version.
    ///
    /// - Parameters:
    ///   - configuration: the configuration with the entities of the store; nil for all entities.
    ///   - leavesNoTrace: whether reading must not create any file.
    /// - Throws: 134100 for a store of another version, 134080 for an unknown configuration, 259 and similar codes for
    ///   a file that is not a store.
    package static func defects(
        ofStoreAt url: URL, model: NSManagedObjectModel, configuration: String? = nil, leavesNoTrace: Bool = false
    ) throws -> [StoreDefect] {
        let layout = try model.compiledLayout()
        guard let entities = model.entitiesOfStore(configuration: configuration) else {
            throw CoreDataError.cannotOpenStore(
                url: url, reason: "The model has no configuration '\(configuration ?? "")'.")
        }
        let target = MigrationTarget(layout: layout, entities: entities)
        do {
            let connection = try SQLiteStoreFile(url: url, leavesNoTrace: leavesNoTrace).inspector()
            defer { try? connection.close() }
            return try connection.read { try defects(url, target, connection) }
        } catch {
            throw SQLiteStoreErrors.opening(error, url: url)
        }
    }

    private static func defects(
        _ url: URL, _ target: MigrationTarget, _ connection: Connection
    ) throws -> [StoreDefect] {
        // Contents read from a damaged file prove nothing.
        let damage = try connection.integrityCheck()
        guard damage.isEmpty else { return damage.map { StoreDefect(.damage, $0) } }
        let metadata = try StoreMetadata.read(connection, url: url)
        let hashes = NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) ?? [:]
        // Hashes of entities with derived attributes differ between frameworks, so they are treated as equal.
        let isFit = { (entity: NSEntityDescription) in
            hashes[entity.name ?? ""].map { $0 == entity.versionHash || entity.hasDerivedAttributes } ?? false
        }
        guard target.names == Set(hashes.keys), target.entities.allSatisfy(isFit) else {
            throw CoreDataError.incompatibleModel(
                storeHashes: hashes, modelHashes: target.hashes, url: url, metadata: metadata)
        }
        let outline = try DatabaseOutline(connection)
        let differences = try SchemaComparison(target.schema(like: outline.inventory), outline).differences
        let result = differences.map { StoreDefect(.schema, $0 + ".") }
        guard let schema = try? Schema(model: target.layout, entities: target.names, in: outline.inventory) else {
            return result
        }
        let examination = StoreExamination(connection: connection, url: url, schema: schema)
        return try result + examination.rows() + examination.references() + examination.largeData()
    }

    private func count(_ query: String) throws -> Int64 { try connection.value(query)?.integerValue ?? 0 }

    private static func rows(_ count: Int64) -> String { "\(count) row\(count == 1 ? "" : "s")" }

    // MARK: Rows

    private func rows() throws -> [StoreDefect] {
        var result: [StoreDefect] = []
        for table in schema.tables {
            let known = schema.entities.filter { $0.table === table && !$0.layout.isAbstract }.map(\.number)
            let strange = try count(
                "SELECT COUNT(*) FROM \(table.sql) WHERE Z_ENT IS NULL OR Z_ENT NOT IN \(RowExpression.list(known))")
            if strange > 0 {
                result.append(
                    StoreDefect(.row, "\(table.name): \(Self.rows(strange)) of no entity of the table."))
            }
            guard let root = schema.mapping(table.root) else { continue }
            let highest = try count("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(root.number)")
            let used = try count("SELECT MAX(Z_PK) FROM \(table.sql)")
            if used > highest {
                result.append(
                    StoreDefect(
                        .row,
                        "\(table.name): the highest key is \(used), and Z_PRIMARYKEY would give keys anew from "
                            + "\(highest + 1)."))
            }
        }
        return result
    }

    // MARK: References

    private func references() throws -> [StoreDefect] {
        var result: [StoreDefect] = []
        for mapping in schema.entities {
            for slot in inheritedCount(mapping)..<mapping.layout.slotCount {
                guard case .toOne(let columns) = mapping.storage[slot],
                    let destination = schema.mapping(Int(mapping.layout[slot].destination))
                else { continue }
                let key = SchemaNaming.quoted(columns.key)
                let lost = try count(
                    "SELECT COUNT(*) FROM \(mapping.table.sql) AS R WHERE R.Z_ENT IN \(family(mapping)) AND "
                        + missing("R.\(key)", destination))
                guard lost > 0 else { continue }
                let name = "\(mapping.layout.name).\(mapping.layout.properties[slot].name)"
                result.append(StoreDefect(.reference, "\(name): \(Self.rows(lost)) with a reference to no object."))
            }
        }
        return try result + links()
    }

    private func links() throws -> [StoreDefect] {
        try schema.joinTables.flatMap { join in
            try [(join.ownerColumn, join.owner), (join.memberColumn, join.member)].compactMap { column, layout in
                guard let end = schema.mapping(layout) else { return nil }
                let key = SchemaNaming.quoted(column)
                let lost = try count(
                    "SELECT COUNT(*) FROM \(join.sql) AS R WHERE R.\(key) IS NULL OR " + missing("R.\(key)", end))
                let name = "\(join.owner.name).\(join.owner.properties[join.ownerSlot].name)"
                return lost > 0
                    ? StoreDefect(
                        .reference, "\(name): \(Self.rows(lost)) of \(join.name) with a reference to no \(layout.name)."
                    )
                    : nil
            }
        }
    }

    /// The condition that a key is not nil and refers to no object of an entity or its subentities.
    private func missing(_ key: String, _ destination: EntityMapping) -> String {
        "\(key) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(destination.table.sql) AS D WHERE D.Z_PK = \(key) "
            + "AND D.Z_ENT IN \(family(destination)))"
    }

    private func family(_ mapping: EntityMapping) -> String {
        RowExpression.list(mapping.layout.familyIndexes.compactMap { schema.mapping($0)?.number })
    }

    private func inheritedCount(_ mapping: EntityMapping) -> Int {
        mapping.layout.superIndex >= 0 ? schema.mapping(mapping.layout.superIndex)?.layout.slotCount ?? 0 : 0
    }

    // MARK: Large data

    private func largeData() throws -> [StoreDefect] {
        let folder = ExternalFiles.folder(of: url)
        var result: [StoreDefect] = []
        for mapping in schema.entities {
            for slot in inheritedCount(mapping)..<mapping.layout.slotCount {
                for column in mapping.storage[slot].externalColumns {
                    let name = SchemaNaming.quoted(column)
                    let lost = try connection.rows(
                        "SELECT \(name) FROM \(mapping.table.sql) WHERE Z_ENT IN \(family(mapping)) "
                            + "AND substr(\(name), 1, 1) = x'02'"
                    ).count { row in
                        guard let file = row[0].blobValue.flatMap(ExternalColumn.fileName) else { return false }
                        return !FileManager.default.fileExists(atPath: folder.appendingPathComponent(file).path)
                    }
                    guard lost > 0 else { continue }
                    let property = "\(mapping.layout.name).\(mapping.layout.properties[slot].name)"
                    result.append(
                        StoreDefect(.largeData, "\(property): \(Self.rows(Int64(lost))) without the file of the data."))
                }
            }
        }
        return result
    }
}
