// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One full-text index of a store: the table of its tokens, and the triggers that report rows of other writers.

import CoreData
import CoreDataFoundation
import Foundation

/// The tokens of the searched attributes of one table, one entry for each row. A value: it runs no statement.
///
/// # States (ServerSearch-2)
///     pending: no tokens, no numbers ──tokens are written──▶ known ──another program changes a text──▶ pending
///     too long for a tsvector: numbers, but no tokens
struct SearchTable: Sendable {
    /// The version of the function, of the triggers, and of the form of tokens. Another version is another index.
    private static let version = 1
    /// The beginning of the names of all parts.
    static let prefix = "ocd_search_"

    /// A column with texts, and its way to make tokens.
    struct Column: Hashable, Sendable {
        let name: String
        let tokenizer: SearchTokenizer
    }

    let table: EntityTable
    let columns: [Column]
    /// The slots of each entity of the table, by the entity's index, with the places of their columns.
    let slots: [Int: [(slot: Int, column: Int)]]
    /// The places of the columns of each attribute. Attributes of two subentities may have one name.
    private let places: [SearchColumn: [Int]]
    /// Derived attributes, which are searched and not indexed (ServerSearch-6).
    private let derived: Set<String>
    let name: String
    private let dialect: PostgreSQLDialect

    /// nil for a table without searched attributes.
    init?(_ table: EntityTable, _ schema: Schema, _ dialect: PostgreSQLDialect) {
        var found: [(entity: Int, slot: Int, searched: SearchColumn, column: Column)] = []
        var slots: [Int: [(slot: Int, column: Int)]] = [:]
        var derived: Set<String> = []
        for mapping in schema.entities where mapping.table === table {
            slots[mapping.layout.index] = []
            for searched in mapping.layout.entity.searchedAttributes {
                guard let slot = mapping.layout.slot(searched.name), !mapping.layout[slot].isDerived,
                    case .attribute(let column) = mapping.storage[slot], case .string = column.coding
                else {
                    derived.insert(searched.name)
                    continue
                }
                let place = Column(name: column.name, tokenizer: searched.tokenizer)
                found.append((mapping.layout.index, slot, searched.column, place))
            }
        }
        if found.isEmpty { return nil }
        self.table = table
        self.dialect = dialect
        self.derived = derived
        columns = Set(found.map(\.column)).sorted {
            ($0.name, $0.tokenizer.rawValue) < ($1.name, $1.tokenizer.rawValue)
        }
        var places: [SearchColumn: [Int]] = [:]
        for (entity, slot, searched, column) in found {
            guard let place = columns.firstIndex(of: column) else { continue }
            slots[entity, default: []].append((slot, place))
            if places[searched]?.contains(place) != true { places[searched, default: []].append(place) }
        }
        (self.slots, self.places) = (slots, places)
        let form = columns.map { "\($0.name)=\($0.tokenizer.rawValue)" }.joined(separator: ",")
        var start = table.name
        while start.utf8.count > 25 { start.removeLast() }
        name = "\(Self.prefix)\(start)_\(SnakeNames.checksum("\(Self.version):\(table.name)(\(form))"))"
    }

    /// Those of a schema. Mapped tables have none, because a store does not change them; nor have tables with rows of
    /// several tenants, because no index of tokens serves a query with row security (ServerSearch-7).
    static func all(_ schema: Schema, _ dialect: PostgreSQLDialect) -> [SearchTable] {
        if dialect.hasTenants { return [] }
        return schema.tables.filter { dialect.mapped[$0.name] == nil }.compactMap { SearchTable($0, schema, dialect) }
    }

    var sql: String { dialect.qualified(name) }
    /// Whether all searched attributes of the table have tokens here.
    var isWhole: Bool { derived.isEmpty }

    /// The places of the columns of an attribute; nil if the index does not have all of them.
    func places(of attribute: String, _ tokenizer: SearchTokenizer) -> [Int]? {
        if derived.contains(attribute) { return nil }
        return places[SearchColumn(name: attribute, tokenizer: tokenizer)]
    }

    // MARK: Statements

    /// Makes the table with a pending entry for each row.
    var creation: [String] {
        [
            "CREATE TABLE \(sql) (id bigint PRIMARY KEY, tokens tsvector, words integer, trigrams integer)",
            "COMMENT ON TABLE \(sql) IS 'OpenCoreData'",
            "CREATE INDEX \(dialect.quoted(name + "_rest")) ON \(sql) (id) WHERE tokens IS NULL",
            // The sums of the numbers are then read without the tokens.
            "CREATE INDEX \(dialect.quoted(name + "_size")) ON \(sql) (words, trigrams)",
        ] + triggers + ["INSERT INTO \(sql) (id) SELECT t.id FROM \(table.sql) AS t"]
    }

    /// Made when the tokens are there, which is much faster. Each search reads the whole list of entries that the
    /// server has not sorted in yet, so the list is shorter than by default.
    var tokenIndex: String {
        "CREATE INDEX IF NOT EXISTS \(dialect.quoted(tokenIndexName)) ON \(sql) USING gin (tokens) "
            + "WITH (gin_pending_list_limit = 1024)"
    }
    var tokenIndexName: String { name + "_tokens" }

    var triggerNames: [String] { ["insert", "update", "delete", "truncate"].map { "\(name)_\($0)" } }

    /// Saves of stores that write the tokens themselves name the index in a setting of their transaction. Rows of
    /// insertions and updates are then not reported.
    private var triggers: [String] {
        let foreign =
            "WHEN (position(\(PostgreSQLDialect.literal(mark)) IN "
            + "coalesce(current_setting('\(Self.setting)', true), '')) = 0) "
        let arguments = ([name] + columns.map(\.name)).map(PostgreSQLDialect.literal).joined(separator: ", ")
        let events = [
            ("INSERT", "REFERENCING NEW TABLE AS new_rows ", foreign),
            ("UPDATE", "REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows ", foreign),
            ("DELETE", "REFERENCING OLD TABLE AS old_rows ", ""), ("TRUNCATE", "", ""),
        ]
        return zip(triggerNames, events).map { trigger, event in
            "CREATE TRIGGER \(dialect.quoted(trigger)) AFTER \(event.0) ON \(table.sql) \(event.1)FOR EACH STATEMENT "
                + "\(event.2)EXECUTE FUNCTION \(Self.function(dialect))(\(arguments))"
        }
    }

    // MARK: The function of the triggers

    /// The name in the setting of a transaction.
    var mark: String { ";\(name);" }

    /// The setting of a transaction with the names of the indexes that it writes tokens of.
    static let setting = "ocd.search"

    /// Where this function is, the store has full-text indexes, or gets them when it is opened (ServerSearch-8).
    static func function(_ dialect: PostgreSQLDialect) -> String { dialect.qualified(prefix + "note") }

    /// It runs with the rights of its owner: a program that may write rows needs no right on the index. Only the owner
    /// may make triggers with it. Names that a trigger gives are quoted.
    static func functionStatements(_ dialect: PostgreSQLDialect) -> [String] {
        let pending = "ON CONFLICT (id) DO UPDATE SET tokens = NULL, words = NULL, trigrams = NULL"
        return [
            """
            CREATE OR REPLACE FUNCTION \(function(dialect))() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
            SET search_path = pg_catalog, pg_temp AS $ocd$
            DECLARE
                place text := format('%I.%I', TG_TABLE_SCHEMA, TG_ARGV[0]);
                known text[];
                changed text := 'true';
            BEGIN
                IF TG_OP = 'INSERT' THEN
                    EXECUTE 'INSERT INTO ' || place || ' (id) SELECT n.id FROM new_rows AS n \(pending)';
                ELSIF TG_OP = 'UPDATE' THEN
                    SELECT array_agg(a.attname::text) INTO known FROM pg_attribute AS a
                        WHERE a.attrelid = TG_RELID AND a.attname::text = ANY (TG_ARGV[1:]) AND NOT a.attisdropped;
                    -- A column that is gone has another name now: each row counts as changed.
                    IF cardinality(known) = (SELECT count(DISTINCT c) FROM unnest(TG_ARGV[1:]) AS c) THEN
                        SELECT string_agg(format('o.%1$I IS DISTINCT FROM n.%1$I', c), ' OR ') INTO changed
                            FROM unnest(known) AS c;
                    END IF;
                    EXECUTE 'DELETE FROM ' || place
                        || ' WHERE id IN (SELECT o.id FROM old_rows AS o EXCEPT SELECT n.id FROM new_rows AS n)';
                    EXECUTE 'INSERT INTO ' || place || ' (id) SELECT n.id FROM new_rows AS n LEFT JOIN old_rows AS o '
                        || 'ON o.id = n.id WHERE o.id IS NULL OR ' || changed || ' \(pending)';
                ELSIF TG_OP = 'DELETE' THEN
                    EXECUTE 'DELETE FROM ' || place || ' WHERE id IN (SELECT o.id FROM old_rows AS o)';
                ELSE
                    EXECUTE 'DELETE FROM ' || place;
                END IF;
                RETURN NULL;
            END
            $ocd$
            """,
            "REVOKE ALL ON FUNCTION \(function(dialect))() FROM PUBLIC",
        ]
    }
}
