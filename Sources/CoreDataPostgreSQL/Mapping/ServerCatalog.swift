// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The catalog of a database: tables, columns, types, keys, constraints, indexes, sequences.

import Foundation
package import PostgreSQLDriver

/// Tables of some schemas, read in one round trip.
package struct ServerCatalog {
    package struct Column {
        package let number: Int64
        package let name: String
        /// The type as the server writes it in SQL, for example `character varying(10)`.
        package let type: String
        /// The type without a length, for casts.
        package let plainType: String
        /// The name of the type, or of the base type of a domain: `varchar`.
        package let base: String
        /// `b`, `e` (enum), `c`, `d`, `r`.
        package let kind: String
        /// The length or precision, as the server packs it; -1 for no limit.
        package let modifier: Int64
        package let isNotNull: Bool
        /// nil for types without a collation.
        package let collation: String?
        package let isDeterministic: Bool
        /// Whether the server computes the values.
        package let isGenerated: Bool
        /// Whether an insertion must override the server's key (GENERATED ALWAYS).
        package let isAlwaysIdentity: Bool
        package let hasDefault: Bool
        /// The SQL of the default.
        package let defaultText: String?
        package let isArray: Bool
        package let comment: String?

        /// Of `varchar(n)` and `char(n)`.
        package var length: Int? { ["varchar", "bpchar"].contains(base) && modifier > 4 ? Int(modifier - 4) : nil }
        /// Of `numeric(p, s)`.
        package var precision: (digits: Int, scale: Int)? {
            guard base == "numeric", modifier > 4 else { return nil }
            let packed = Int(modifier - 4)
            let scale = packed & 0x7ff
            return (packed >> 16 & 0xffff, scale >= 1_024 ? scale - 2_048 : scale)
        }
    }

    package struct Constraint {
        package enum Kind: String { case primary = "p", unique = "u", foreign = "f", check = "c", exclusion = "x" }

        package let name: String
        package let kind: Kind
        package let columns: [Int64]
        /// The oid of the table to which a foreign key refers, and its columns.
        package let destination: Int64
        package let destinationColumns: [Int64]
        /// `a` no action, `r` restrict, `c` cascade, `n` set null, `d` set default.
        package let deletion: String
        package let definition: String
    }

    package struct Index {
        package let name: String
        package let columns: [Int64]
        package let isUnique: Bool
        package let isPrimary: Bool
        /// Whether it is checked at the end of a statement or later, not for each row.
        package let isDeferrable: Bool
        /// Whether it has neither a condition nor expressions.
        package let isPlain: Bool
    }

    package struct Sequence {
        /// The name as written in a statement.
        package let name: String
        package let increment: Int64
    }

    package struct Table {
        package let oid: Int64
        package let schema: String
        package let name: String
        /// `r` table, `p` partitioned, `v` view, `m` materialized view, `f` foreign.
        package let kind: String
        package let comment: String?
        package fileprivate(set) var columns: [Column] = []
        package fileprivate(set) var constraints: [Constraint] = []
        package fileprivate(set) var indexes: [Index] = []
        /// By the number of the column.
        package fileprivate(set) var sequences: [Int64: Sequence] = [:]

        package func column(_ name: String) -> Column? { columns.first { $0.name == name } }
        package func column(_ number: Int64) -> Column? { columns.first { $0.number == number } }
        /// The columns of the primary key.
        package var key: [Int64] { constraints.first { $0.kind == .primary }?.columns ?? [] }
        package var hasDeferrableRules: Bool { indexes.contains { $0.isUnique && $0.isDeferrable } }
        /// Whether the columns together are unique, in any order.
        package func isUnique(_ numbers: [Int64]) -> Bool {
            indexes.contains { $0.isUnique && $0.isPlain && Set($0.columns) == Set(numbers) }
        }
    }

    /// By oid.
    package private(set) var tables: [Int64: Table] = [:]
    /// The labels of enums, by the name of the type in SQL.
    package private(set) var labels: [String: [String]] = [:]

    package func table(_ schema: String, _ name: String) -> Table? {
        tables.values.first { $0.schema == schema && $0.name == name }
    }

    /// - Parameter names: the names of the tables; empty for all tables of the schemas.
    package init(
        _ connection: Connection, schemas: [String], names: [String] = [], _ deadline: Deadline
    ) throws {
        let values: [Parameter] = [.texts(schemas), .texts(names)]
        let wanted =
            "pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace AND n.nspname = ANY($1) "
            + "AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND (cardinality($2) = 0 OR c.relname = ANY($2)) "
        let answers = try connection.run(
            Self.questions(wanted).map { Statement($0, values, isReused: false) }, deadline)
        answers[0].forEachRow { row in
            guard let oid = row[0].integer, let schema = row[1].text, let name = row[2].text, let kind = row[3].text
            else { return }
            tables[oid] = Table(oid: oid, schema: schema, name: name, kind: kind, comment: row[4].text)
        }
        answers[1].forEachRow { row in if let table = row[0].integer { add(Self.column(row), table) } }
        answers[2].forEachRow { row in
            guard let table = row[0].integer, let kind = row[2].text.flatMap(Constraint.Kind.init) else { return }
            tables[table]?.constraints.append(
                Constraint(
                    name: row[1].text ?? "", kind: kind, columns: Self.numbers(row[3].text),
                    destination: row[4].integer ?? 0, destinationColumns: Self.numbers(row[5].text),
                    deletion: row[6].text ?? "a", definition: row[7].text ?? ""))
        }
        answers[3].forEachRow { row in
            guard let table = row[0].integer else { return }
            tables[table]?.indexes.append(
                Index(
                    name: row[1].text ?? "", columns: Self.numbers(row[2].text), isUnique: row[3].integer == 1,
                    isPrimary: row[4].integer == 1, isDeferrable: row[6].integer == 1, isPlain: row[5].integer == 1))
        }
        answers[4].forEachRow { row in
            guard let table = row[0].integer, let column = row[1].integer, let name = row[2].text else { return }
            tables[table]?.sequences[column] = Sequence(name: name, increment: row[3].integer ?? 1)
        }
        answers[5].forEachRow { row in
            if let type = row[0].text, let label = row[1].text { labels[type, default: []].append(label) }
        }
    }

    private mutating func add(_ column: Column, _ table: Int64) { tables[table]?.columns.append(column) }

    private static func column(_ row: CellRow) -> Column {
        Column(
            number: row[1].integer ?? 0, name: row[2].text ?? "", type: row[3].text ?? "", plainType: row[4].text ?? "",
            base: row[5].text ?? "", kind: row[6].text ?? "", modifier: row[7].integer ?? -1,
            isNotNull: row[8].integer == 1, collation: row[9].text, isDeterministic: row[10].integer == 1,
            isGenerated: row[11].integer == 1, isAlwaysIdentity: row[12].integer == 1, hasDefault: row[13].integer == 1,
            defaultText: row[16].text, isArray: row[14].integer == 1, comment: row[15].text)
    }

    private static func numbers(_ text: String?) -> [Int64] {
        (text ?? "").split(whereSeparator: { $0 == "," || $0 == " " }).compactMap { Int64($0) }
    }

    /// - Parameter wanted: a subquery of the requested tables, for FROM.
    private static func questions(_ wanted: String) -> [String] {
        [
            "SELECT c.oid::bigint, n.nspname::text, c.relname::text, c.relkind::text, obj_description(c.oid, 'pg_class') "
                + "FROM \(wanted)",
            // A domain is treated as its base type, with its length limit.
            "SELECT c.oid::bigint, a.attnum::bigint, a.attname::text, format_type(a.atttypid, a.atttypmod), "
                + "format_type(a.atttypid, NULL), coalesce(b.typname, t.typname)::text, "
                + "coalesce(b.typtype, t.typtype)::text, "
                + "(CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END)::bigint, "
                + "a.attnotnull OR t.typnotnull, "
                + "CASE WHEN l.collname = 'default' THEN coalesce((SELECT CASE WHEN d.datcollate IN ('C', 'POSIX') "
                + "THEN 'C' ELSE d.datcollate END FROM pg_database AS d WHERE d.datname = current_database()), 'default') "
                + "ELSE l.collname END::text, coalesce(l.collisdeterministic, true), a.attgenerated <> '', "
                + "a.attidentity = 'a', a.atthasdef OR a.attidentity <> '', t.typcategory = 'A', "
                + "col_description(c.oid, a.attnum), "
                + "(SELECT pg_get_expr(f.adbin, f.adrelid) FROM pg_attrdef AS f WHERE f.adrelid = c.oid AND f.adnum = a.attnum) "
                + "FROM \(wanted)JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
                + "JOIN pg_type AS t ON t.oid = a.atttypid LEFT JOIN pg_type AS b ON b.oid = t.typbasetype AND t.typtype = 'd' "
                + "LEFT JOIN pg_collation AS l ON l.oid = a.attcollation ORDER BY 1, 2",
            "SELECT c.oid::bigint, k.conname::text, k.contype::text, array_to_string(k.conkey, ','), "
                + "k.confrelid::bigint, array_to_string(k.confkey, ','), k.confdeltype::text, pg_get_constraintdef(k.oid) "
                + "FROM \(wanted)JOIN pg_constraint AS k ON k.conrelid = c.oid ORDER BY 1, 2",
            "SELECT c.oid::bigint, x.relname::text, "
                + "array_to_string((i.indkey::int2[])[0:i.indnkeyatts - 1], ','), i.indisunique, i.indisprimary, "
                + "i.indpred IS NULL AND i.indexprs IS NULL, NOT i.indimmediate "
                + "FROM \(wanted)JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisvalid "
                + "JOIN pg_class AS x ON x.oid = i.indexrelid ORDER BY 1, 2",
            // A sequence belongs to its column (serial, identity), or the default names it.
            "SELECT c.oid::bigint, s.number::bigint, quote_ident(m.nspname) || '.' || quote_ident(q.relname), "
                + "p.seqincrement FROM \(wanted)JOIN (SELECT d.refobjid AS relation, d.refobjsubid AS number, d.objid AS sequence "
                + "FROM pg_depend AS d WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass "
                + "AND d.refobjsubid > 0 AND d.deptype IN ('a', 'i') UNION SELECT f.adrelid, f.adnum, d.refobjid "
                + "FROM pg_depend AS d JOIN pg_attrdef AS f ON f.oid = d.objid WHERE d.classid = 'pg_attrdef'::regclass "
                + "AND d.refclassid = 'pg_class'::regclass) AS s ON s.relation = c.oid "
                + "JOIN pg_class AS q ON q.oid = s.sequence AND q.relkind = 'S' "
                + "JOIN pg_namespace AS m ON m.oid = q.relnamespace JOIN pg_sequence AS p ON p.seqrelid = q.oid",
            "SELECT format_type(t.oid, NULL), e.enumlabel::text FROM pg_enum AS e JOIN pg_type AS t ON t.oid = e.enumtypid "
                + "WHERE EXISTS (SELECT 1 FROM \(wanted)JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.atttypid = t.oid) "
                + "ORDER BY 1, e.enumsortorder",
        ]
    }
}
