// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes the full-text indexes that a model asks for, and removes the others.

import CoreData
import Foundation
import PostgreSQLDriver

/// Compares the indexes of a database with those of a model. The function of the triggers says whether a store has
/// indexes at all (ServerSearch-8).
struct SearchSettlement {
    let schema: Schema
    let dialect: PostgreSQLDialect
    let connection: Connection
    let sessions: Sessions

    /// An index that the database has.
    private struct Found {
        let name: String
        let isReadable: Bool
        let isWritable: Bool
    }

    /// - Parameter wish: the option of the store; nil if it is absent.
    /// - Returns: the indexes to use.
    /// - Throws: the server's errors. If the option is absent, a user without the right to make indexes does without.
    func run(wish: Bool?, isReadOnly: Bool) throws -> ServerSearches {
        let wanted = SearchTable.all(schema, dialect)
        if dialect.hasTenants { return ServerSearches() }
        let isOn = try isOn()
        guard wish ?? isOn || isReadOnly && isOn else {
            if isOn, !isReadOnly { try transaction { try remove() } }
            return ServerSearches()
        }
        if !isReadOnly {
            do {
                if try !isSettled(wanted) { try transaction { try make(wanted) } }
                for index in wanted { try fill(index) }
            } catch let error as PostgreSQLError where error.code == "42501" && wish == nil {
                connection.rollBack(sessions.deadline)
            }
        }
        let found = Dictionary(try found().map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let triggers = try triggers()
        let kept = wanted.filter { found[$0.name]?.isReadable == true && isKept($0, triggers) }
        return ServerSearches(
            tables: kept, written: isReadOnly ? [] : kept.filter { found[$0.name]?.isWritable == true },
            missing: wanted.filter { index in !kept.contains { $0.name == index.name } })
    }

    /// Removes the triggers and the tables of all indexes within a transaction that has locked the tables of the
    /// entities. The next opening makes the indexes of the new version.
    func leaveToNextOpening() throws {
        guard !dialect.hasTenants, try isOn() else { return }
        try remove()
        try execute(SearchTable.functionStatements(dialect))
    }

    // MARK: The database

    private func isOn() throws -> Bool {
        try connection.run(
            Statement(
                "SELECT to_regprocedure($1) IS NOT NULL", [.text(SearchTable.function(dialect) + "()")], isReused: false
            ),
            sessions.deadline
        ).first(\.integer) == 1
    }

    private func found() throws -> [Found] {
        var result: [Found] = []
        try connection.run(
            Statement(
                "SELECT c.relname::text, has_table_privilege(c.oid, 'SELECT'), has_table_privilege(c.oid, 'INSERT') "
                    + "AND has_table_privilege(c.oid, 'UPDATE') FROM pg_class AS c "
                    + "JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r' "
                    + "AND starts_with(c.relname::text, $2) AND obj_description(c.oid, 'pg_class') = 'OpenCoreData'",
                [.text(dialect.schema), .text(SearchTable.prefix)], isReused: false), sessions.deadline
        ).forEachRow { row in
            guard let name = row[0].text else { return }
            result.append(Found(name: name, isReadable: row[1].integer == 1, isWritable: row[2].integer == 1))
        }
        return result
    }

    /// The names of the enabled triggers of each table.
    private func triggers() throws -> [String: Set<String>] {
        var result: [String: Set<String>] = [:]
        try connection.run(
            Statement(
                "SELECT c.relname::text, t.tgname::text FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid "
                    + "JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND NOT t.tgisinternal "
                    + "AND t.tgenabled IN ('O', 'A') AND starts_with(t.tgname::text, $2)",
                [.text(dialect.schema), .text(SearchTable.prefix)], isReused: false), sessions.deadline
        ).forEachRow { row in
            if let table = row[0].text, let name = row[1].text { result[table, default: []].insert(name) }
        }
        return result
    }

    private func isKept(_ index: SearchTable, _ triggers: [String: Set<String>]) -> Bool {
        triggers[index.table.name]?.isSuperset(of: index.triggerNames) == true
    }

    /// Whether the database has exactly these indexes, each with its triggers.
    private func isSettled(_ wanted: [SearchTable]) throws -> Bool {
        let (names, triggers) = (Set(try found().map(\.name)), try triggers())
        return try names == Set(wanted.map(\.name)) && wanted.allSatisfy { isKept($0, triggers) }
            && (try isOn() || wanted.isEmpty)
    }

    // MARK: Statements

    private func execute(_ statements: [String]) throws {
        for statement in statements { try connection.run(Statement(statement, isReused: false), sessions.unbounded) }
    }

    /// Runs the body while no other program makes or removes indexes.
    ///
    /// - Parameter locksSaves: whether no save runs, either.
    private func transaction(locksSaves: Bool = true, _ body: () throws -> Void) throws {
        do {
            try execute(["BEGIN ISOLATION LEVEL READ COMMITTED"])
            try connection.run(
                Statement(
                    "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [.text("ocd:" + dialect.schema)],
                    isReused: false), sessions.deadline)
            // The table of the tokens of saves comes first, as in saves.
            if locksSaves {
                try execute(["LOCK TABLE \(dialect.qualified("ocd_transaction")) IN SHARE ROW EXCLUSIVE MODE"])
            }
            try body()
            try connection.run(Statement("COMMIT", isReused: false), sessions.deadline)
        } catch {
            connection.rollBack(sessions.deadline)
            throw error
        }
    }

    /// The triggers go with the function.
    private func remove() throws {
        let names = try found().map { dialect.qualified($0.name) }
        try execute(["DROP FUNCTION IF EXISTS \(SearchTable.function(dialect))() CASCADE"])
        if !names.isEmpty { try execute(["DROP TABLE \(names.joined(separator: ", "))"]) }
    }

    /// Makes the indexes with a pending entry for each row; those that are there already are kept.
    private func make(_ wanted: [SearchTable]) throws {
        // Another program may have made the same indexes since the first look.
        if try isSettled(wanted) { return }
        try execute(SearchTable.functionStatements(dialect))
        let (names, triggers) = (try found().map(\.name), try triggers())
        let kept = Set(wanted.filter { names.contains($0.name) && isKept($0, triggers) }.map(\.name))
        for (table, own) in triggers.sorted(by: { $0.key < $1.key }) {
            let known = Set(wanted.filter { kept.contains($0.name) }.flatMap(\.triggerNames))
            for name in own.subtracting(known).sorted() {
                try execute(["DROP TRIGGER \(dialect.quoted(name)) ON \(dialect.qualified(table))"])
            }
        }
        for name in names where !kept.contains(name) { try execute(["DROP TABLE \(dialect.qualified(name))"]) }
        for index in wanted where !kept.contains(index.name) { try execute(index.creation) }
    }

    /// Writes the tokens of all pending rows, then makes the index of the tokens. After a kill the next opening goes
    /// on.
    private func fill(_ index: SearchTable) throws {
        try index.indexPending(connection, sessions)
        func hasTokens() throws -> Bool {
            try connection.run(
                Statement(
                    "SELECT to_regclass($1) IS NOT NULL", [.text(dialect.qualified(index.tokenIndexName))],
                    isReused: false), sessions.deadline
            ).first(\.integer) == 1
        }
        if try hasTokens() { return }
        try transaction(locksSaves: false) { if try !hasTokens() { try execute([index.tokenIndex]) } }
        // The plans of searches and the sums of tokens depend on it.
        try execute(["VACUUM (ANALYZE) \(index.sql)"])
    }
}
