// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the tables of entities and links, and their sequences, by their comments, and the privileges on them.

import CoreData
import Foundation
import PostgreSQLDriver

struct ServerRelations {
    /// A privilege of a role on a table or a sequence.
    struct Right {
        let relation: String
        /// The role as written in a statement.
        let role: String
        /// nil for the owner.
        let privilege: String?
        let isGrantable: Bool
    }

    /// The tables of the store without rows of objects.
    private static let kept = Set(ServerHistoryTables.names + ["ocd_store", "ocd_transaction"])

    let schema: String
    let tables: [String]
    let sequences: [String]

    /// - Parameter all: whether the tables without rows of objects are among them.
    init(of schema: String, all: Bool = false, _ connection: Connection, _ deadline: Deadline) throws {
        self.schema = schema
        var (tables, sequences): ([String], [String]) = ([], [])
        try connection.run(
            Statement(
                "SELECT c.relname::text, c.relkind::text FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace "
                    + "WHERE n.nspname = $1 AND obj_description(c.oid, 'pg_class') = 'OpenCoreData' "
                    + "AND c.relkind IN ('r', 'S') ORDER BY 1",
                [.text(schema)], isReused: false), deadline
        ).forEachRow { row in
            guard let name = row[0].text, all || !Self.kept.contains(name) else { return }
            if row[1].text == "S" { sequences.append(name) } else { tables.append(name) }
        }
        (self.tables, self.sequences) = (tables, sequences)
    }

    func hasForeignKeys(_ connection: Connection, _ deadline: Deadline) throws -> Bool {
        let answer = try connection.run(
            Statement(
                "SELECT count(*) FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid "
                    + "JOIN pg_namespace AS n ON n.oid = c.relnamespace "
                    + "WHERE n.nspname = $1 AND k.contype = 'f' AND c.relname = ANY($2)",
                [.text(schema), .texts(tables)], isReused: false), deadline)
        return (answer.first(\.integer) ?? 0) > 0
    }

    /// The owners come first.
    func rights(_ connection: Connection, _ deadline: Deadline) throws -> [Right] {
        var result: [Right] = []
        let wanted =
            "FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace AND n.nspname = $1 "
            + "AND c.relname = ANY($2) "
        for question in [
            "SELECT c.relname::text, quote_ident(pg_get_userbyid(c.relowner)), NULL::text, false \(wanted)",
            "SELECT c.relname::text, CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END, "
                + "a.privilege_type, a.is_grantable \(wanted), aclexplode(c.relacl) AS a WHERE a.grantee <> c.relowner",
        ] {
            try connection.run(
                Statement(question, [.text(schema), .texts(tables + sequences)], isReused: false), deadline
            ).forEachRow { row in
                guard let relation = row[0].text, let role = row[1].text else { return }
                result.append(
                    Right(relation: relation, role: role, privilege: row[2].text, isGrantable: row[3].integer == 1))
            }
        }
        return result
    }

    // MARK: Statements

    private static func list(_ names: [String], _ dialect: PostgreSQLDialect) -> String {
        names.map(dialect.qualified).joined(separator: ", ")
    }

    /// Locks the tables and the metadata table, which is read.
    func lock(_ mode: String, _ dialect: PostgreSQLDialect) -> String {
        "LOCK TABLE \(Self.list(tables + ["ocd_store"], dialect)) IN \(mode) MODE"
    }

    /// - Parameter cascades: whether views of other programs over the tables are dropped, too.
    func drops(_ dialect: PostgreSQLDialect, cascades: Bool = false) -> [String] {
        (tables.isEmpty ? [] : ["DROP TABLE \(Self.list(tables, dialect))\(cascades ? " CASCADE" : "")"])
            + (sequences.isEmpty ? [] : ["DROP SEQUENCE \(Self.list(sequences, dialect))"])
    }

    /// Indexes, constraints and identity sequences move with their tables.
    func moves(_ dialect: PostgreSQLDialect, to schema: String) -> [String] {
        tables.map { "ALTER TABLE \(dialect.qualified($0)) SET SCHEMA \(dialect.quoted(schema))" }
            + sequences.map { "ALTER SEQUENCE \(dialect.qualified($0)) SET SCHEMA \(dialect.quoted(schema))" }
    }

    /// Gives tables and sequences the owners and privileges of the old ones with the same names.
    func granting(_ rights: [Right], _ dialect: PostgreSQLDialect) -> [String] {
        rights.compactMap { right in
            let isTable = tables.contains(right.relation)
            guard isTable || sequences.contains(right.relation) else { return nil }
            let kind = isTable ? "TABLE" : "SEQUENCE"
            let place = dialect.qualified(right.relation)
            guard let privilege = right.privilege else { return "ALTER \(kind) \(place) OWNER TO \(right.role)" }
            return "GRANT \(privilege) ON \(kind) \(place) TO \(right.role)"
                + (right.isGrantable ? " WITH GRANT OPTION" : "")
        }
    }
}
