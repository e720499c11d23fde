// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The measured migrations by statements, each compared with the best SQL for the same outcome.

import CoreData
import Foundation

/// M1 to M9.
struct MigrationJob: Sendable {
    /// The limit for the time of a migration.
    enum Bound: Sendable {
        /// Milliseconds, for any number of rows.
        case milliseconds(Double)
        /// The ratio to the statements of the twin, without the verification.
        case ratio(Double)
    }

    let name: String
    let title: String
    let bound: Bound
    /// The tables whose verification is measured in addition.
    let written: [String]
    let old: @Sendable () -> NSManagedObjectModel
    let new: @Sendable () -> NSManagedObjectModel
    /// The statements of the twin. Indexes that differ between the versions are dropped before and made after them.
    let statements: @Sendable (FileSchema) -> [String]

    private init(
        _ name: String, _ title: String, _ bound: Bound, writing written: [String] = ["ZITEM"],
        old: @escaping @Sendable () -> NSManagedObjectModel = { MigrationModels.items() },
        new: @escaping @Sendable () -> NSManagedObjectModel, _ statements: @escaping @Sendable (FileSchema) -> [String]
    ) {
        (self.name, self.title, self.bound, self.written) = (name, title, bound, written)
        (self.old, self.new, self.statements) = (old, new, statements)
    }

    static let all: [MigrationJob] = [
        MigrationJob("M1", "add an attribute", .milliseconds(25), writing: []) {
            MigrationModels.items { $0.add(LibraryModel.attribute("extra", .integer64AttributeType)) }
        } _: { _ in
            ["ALTER TABLE ZITEM ADD COLUMN ZEXTRA INTEGER"]
        },
        MigrationJob("M2", "fill a default", .ratio(1.15)) {
            MigrationModels.items { items in
                let kind = LibraryModel.attribute("kind", .stringAttributeType)
                kind.defaultValue = "new"
                items.add(kind)
            }
        } _: { _ in
            ["ALTER TABLE ZITEM ADD COLUMN ZKIND VARCHAR", "UPDATE ZITEM SET ZKIND = 'new'"]
        },
        MigrationJob("M3", "remove an attribute", .ratio(1.15)) {
            MigrationModels.items { $0.remove("note") }
        } _: { _ in
            ["ALTER TABLE ZITEM DROP COLUMN ZNOTE"]
        },
        MigrationJob("M4", "rename an attribute", .milliseconds(25), writing: []) {
            MigrationModels.items { items in
                items.remove("text")
                let body = LibraryModel.attribute("body", .stringAttributeType)
                body.renamingIdentifier = "text"
                items.add(body)
            }
        } _: { _ in
            ["ALTER TABLE ZITEM RENAME COLUMN ZTEXT TO ZBODY"]
        },
        MigrationJob("M5", "rename an entity", .ratio(1.15), writing: []) {
            MigrationModels.items { items in
                items.item.name = "Itemized"
                items.item.renamingIdentifier = "Item"
            }
        } _: { _ in
            ["ALTER TABLE ZITEM RENAME TO ZITEMIZED"]
        },
        MigrationJob(
            "M6", "number ten tables anew", .ratio(1.15), writing: (0..<10).map { "ZKIND\($0)" },
            old: { MigrationModels.ten(addingFirst: false) }
        ) {
            MigrationModels.ten(addingFirst: true)
        } _: { schema in
            (0..<10).map { "UPDATE ZKIND\($0) SET Z_ENT = \($0 + 2)" }
                + [schema.creation(of: "ZAARDVARK") ?? ""]
        },
        MigrationJob("M7", "retype", .ratio(1.3)) {
            MigrationModels.items { items in
                items.remove("amount")
                items.add(LibraryModel.attribute("amount", .doubleAttributeType))
            }
        } _: { schema in
            let columns = schema.columns(of: "ZITEM").joined(separator: ", ")
            return [
                schema.creation(of: "ZITEM")?.replacing("ZITEM", with: "ZNEW", maxReplacements: 1) ?? "",
                "INSERT INTO ZNEW (\(columns)) SELECT \(columns) FROM ZITEM ORDER BY Z_PK", "DROP TABLE ZITEM",
                "ALTER TABLE ZNEW RENAME TO ZITEM",
            ]
        },
        MigrationJob("M8", "to-one to to-many", .ratio(1.3)) {
            MigrationModels.items { $0.item.relationshipsByName["owner"]?.maxCount = 0 }
        } _: { schema in
            guard let join = schema.tables.first(where: { $0.hasPrefix("Z_1") || $0.hasPrefix("Z_2") }) else {
                return []
            }
            let columns = schema.columns(of: join).sorted { $0.hasPrefix("Z_1") && !$1.hasPrefix("Z_1") }
            return [
                schema.creation(of: join) ?? "",
                "INSERT INTO \(join) (\(columns.joined(separator: ", "))) SELECT Z_PK, ZOWNER FROM ZITEM "
                    + "WHERE ZOWNER IS NOT NULL ORDER BY "
                    + (schema.columns(of: join)[0] == columns[0] ? "1, 2" : "2, 1"),
                "ALTER TABLE ZITEM DROP COLUMN ZOWNER",
            ]
        },
        MigrationJob("M9", "set to ordered", .ratio(1.3)) {
            MigrationModels.items { $0.owner.relationshipsByName["items"]?.isOrdered = true }
        } _: { _ in
            [
                "ALTER TABLE ZITEM ADD COLUMN Z_FOK_OWNER INTEGER",
                "UPDATE ZITEM SET Z_FOK_OWNER = next_order(ZOWNER)",
            ]
        },
    ]
}
