// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Translates a statement: common table expressions for the entities that it names, and paths as their columns.

import Foundation
import SQLiteDriver

/// NamedSQL-1 to NamedSQL-7.
struct NamedTranslation {
    let query: SQLQuery
    let tables: NamedTables
    let tokens: [SQLToken]
    let outline: SQLOutline
    /// The named entities and links, by names in lower case, in the order in which the statement names them.
    private var used: [(key: String, extra: [String: ExtraColumn])] = []
    private var replacements: [Int: String] = [:]
    private var entities: [String] = []
    private var files: Set<String> = []
    private var joins: [String: [Join]] = [:]

    /// A column beyond those of the properties: a path, or the entity of an object.
    private struct ExtraColumn {
        let sql: String
        let order: Int
    }

    private struct Join {
        let path: String
        let alias: String
        let sql: String
    }

    /// - Parameter allowsExplain: whether the statement may begin with EXPLAIN.
    /// - Throws: a `SQLQueryError`.
    static func statement(
        _ query: SQLQuery, _ tables: NamedTables, objects: Set<Int> = [], allowsExplain: Bool = false
    ) throws -> NamedStatement {
        let tokens = try SQLScanner.tokens(query)
        var translation = NamedTranslation(query, tables, tokens)
        try translation.checkForm(allowsExplain)
        return try translation.run(objects)
    }

    private init(_ query: SQLQuery, _ tables: NamedTables, _ tokens: [SQLToken]) {
        self.query = query
        self.tables = tables
        self.tokens = tokens
        outline = SQLOutline(tokens)
    }

    private mutating func run(_ objects: Set<Int>) throws -> NamedStatement {
        try nameTables()
        for (place, token) in tokens.enumerated() {
            if case .quotedName = token.kind { replacements[place] = NamedQuoting.quoted(token.name) }
        }
        for chain in outline.chains where chain.tokens.count > 1 && !chain.isCall { try translate(chain) }
        var arguments: [SQLArgument] = []
        try NamedComparisons(self).check()
        for value in query.values { arguments += try checked(value) }
        var extra: [String] = []
        var columns: [Int: NamedStatement.ObjectColumn] = [:]
        for place in objects.sorted() {
            let (column, sql) = try objectColumn(place, extra.count)
            columns[place] = column
            if let sql { extra.append(sql) }
        }
        let (sql, places) = written(extra)
        return NamedStatement(
            sql: sql, arguments: arguments, entities: entities, files: files, objects: columns,
            knownNames: knownNames, definitions: outline.definitions.union(used.map(\.key)), places: places,
            text: query.text)
    }

    // MARK: Form

    private func checkForm(_ allowsExplain: Bool) throws {
        guard let first = tokens.first else { throw fault(.notOneSelect, nil, "it is empty.") }
        if outline.start > 0, !allowsExplain {
            throw fault(.notOneSelect, 0, "a plan has no typed rows: call `explain`.")
        }
        let begin = tokens.indices.contains(outline.start) ? tokens[outline.start] : first
        guard ["SELECT", "WITH", "VALUES"].contains(where: { begin.isWord($0) }) else {
            throw fault(.notOneSelect, outline.start, "it is not a SELECT statement.")
        }
        if let end = tokens.firstIndex(where: { $0.isSign(";") }),
            let next = tokens[end...].firstIndex(where: { !$0.isSign(";") })
        {
            throw fault(.notOneSelect, next, "a second statement begins here.")
        }
        for place in outline.databaseNames where !tables.allowsFileTables {
            throw fault(.refused, place, "the names of databases cannot be used.")
        }
        for place in outline.stringNames {
            throw fault(.invalidStatement, place, "a string is no name of a table.")
        }
    }

    func fault(_ reason: SQLQueryError.Reason, _ place: Int?, _ sentence: String) -> SQLQueryError {
        let token = place.flatMap { tokens.indices.contains($0) ? tokens[$0] : nil }
        return SQLQueryError(
            reason, at: token.map { .init($0.range.lowerBound, in: query.text) },
            name: token.flatMap { $0.isName ? $0.name : nil }, sentence)
    }

    // MARK: Tables

    private mutating func nameTables() throws {
        for scope in outline.scopes {
            for reference in scope.references {
                guard let place = reference.token, !outline.definitions.contains(reference.name.lowercased()) else {
                    continue
                }
                if let table = tables.table(reference.name), !reference.isCall {
                    use(table)
                } else if !NamedTableFunctions.all.contains(reference.name.lowercased()), !tables.allowsFileTables {
                    throw unknownTable(reference.name, place)
                }
            }
        }
    }

    private func unknownTable(_ name: String, _ place: Int) -> SQLQueryError {
        let names = tables.all.map(\.name)
        return fault(
            .unknownName, place,
            "there is no entity '\(name)'.\(name.hint(among: names)) The entities are "
                + "\(tables.tables.entities.map(\.name).sorted().joined(separator: ", ")).")
    }

    private mutating func use(_ table: NamedTables.Table) {
        guard !used.contains(where: { $0.key == table.name.lowercased() }) else { return }
        used.append((table.name.lowercased(), [:]))
        note(table)
    }

    private mutating func note(_ table: NamedTables.Table) {
        files.formUnion(table.files.map { $0.lowercased() })
        let ends = table.entity.map { [$0.name] } ?? table.columns.compactMap { $0.target?.entity }
        for end in ends where !entities.contains(end) { entities.append(end) }
    }

    /// The entity or link that a table of a FROM clause is; nil for subqueries and expressions of the statement.
    private func table(_ reference: SQLOutline.Reference) -> NamedTables.Table? {
        guard reference.token != nil, !reference.isCall,
            !outline.definitions.contains(reference.name.lowercased())
        else { return nil }
        return tables.table(reference.name)
    }

    private var knownNames: [String] {
        var names = Set(outline.scopes.flatMap(\.references).map(\.name)).filter { !$0.isEmpty }
        for (key, _) in used { names.formUnion(tables.table(key)?.columns.map(\.name) ?? []) }
        if used.isEmpty { names.formUnion(tables.all.map(\.name)) }
        return names.sorted()
    }

    // MARK: Paths

    /// A column that a chain names.
    struct Named {
        let table: NamedTables.Table
        /// From a to-one relationship or an attribute of the table.
        let path: [String]
        /// The place of the first name of the path in the chain.
        let start: Int
    }

    /// The table and path of a chain; nil if SQLite must find its meaning.
    ///
    /// - Throws: a `SQLQueryError` if two tables have the relationship.
    func named(_ chain: SQLOutline.Chain) throws -> Named? {
        let parts = chain.tokens.map { tokens[$0].name }
        let reach = outline.reach(of: chain.scope)
        if parts.count > 1 {
            for scope in reach {
                let qualified = scope.references.filter { $0.qualifier == parts[0].lowercased() }
                guard let reference = qualified.first else { continue }
                return table(reference).map { Named(table: $0, path: Array(parts.dropFirst()), start: 1) }
            }
        }
        for scope in reach {
            let found = scope.references.compactMap { table($0) }.filter { $0.column(parts[0]) != nil }
            if found.count > 1, parts.count > 1 {
                throw fault(
                    .invalidStatement, chain.first,
                    "several tables have '\(parts[0])': write the name or alias of one before it.")
            }
            if let table = found.first { return Named(table: table, path: parts, start: 0) }
        }
        return nil
    }

    private mutating func translate(_ chain: SQLOutline.Chain) throws {
        guard let named = try named(chain) else {
            let qualifiers = outline.reach(of: chain.scope).flatMap(\.references).map(\.qualifier)
            if qualifiers.contains(tokens[chain.first].name.lowercased()) { return }
            throw unknownQualifier(chain)
        }
        if named.path.count == 1 {
            // `alias.column`: an unknown one is an error of SQLite, with the nearest names.
            return
        }
        let name = try addPath(named, chain)
        let first = chain.tokens[named.start]
        for place in first...chain.last { replacements[place] = "" }
        replacements[first] = NamedQuoting.quoted(name)
    }

    private func unknownQualifier(_ chain: SQLOutline.Chain) -> SQLQueryError {
        let name = tokens[chain.first].name
        let references = outline.reach(of: chain.scope).flatMap(\.references)
        let names =
            references.map(\.name)
            + references.compactMap { table($0) }.flatMap { $0.columns.filter { $0.target != nil }.map(\.name) }
        return fault(
            .unknownName, chain.first,
            "'\(name)' is neither a table of this SELECT nor a to-one relationship of one.\(name.hint(among: names))")
    }

    /// Adds the column of a path to the common table expression of its table; returns the name of the column.
    private mutating func addPath(_ named: Named, _ chain: SQLOutline.Chain) throws -> String {
        let end = try pathEnd(named, chain, addingTo: named.table)
        let name = end.steps.joined(separator: ".")
        add(name, end.column.sql(end.alias), to: named.table)
        return name
    }

    private mutating func add(_ name: String, _ sql: String, to table: NamedTables.Table) {
        guard let place = used.firstIndex(where: { $0.key == table.name.lowercased() }) else { return }
        if used[place].extra[name] == nil {
            used[place].extra[name] = ExtraColumn(sql: sql, order: used[place].extra.count)
        }
    }

    /// Follows the to-one relationships of a path.
    ///
    /// - Returns: the last column, the alias of its table, and the names as the model spells them.
    private mutating func pathEnd(
        _ named: Named, _ chain: SQLOutline.Chain, addingTo owner: NamedTables.Table
    ) throws -> (column: NamedTables.Column, alias: String, steps: [String]) {
        var (table, alias, steps) = (named.table, "R", [String]())
        for (offset, name) in named.path.enumerated() {
            let place = chain.tokens[named.start + offset]
            guard let column = table.column(name) else { throw unknownProperty(name, of: table, place) }
            steps.append(column.name)
            if offset == named.path.count - 1 { return (column, alias, steps) }
            guard let target = column.target, column.name != "objectID", let next = tables.table(target.entity) else {
                throw fault(
                    .unknownName, place,
                    "'\(table.name).\(column.name)' is no to-one relationship, so no path follows it.")
            }
            alias = join(next, steps.joined(separator: "."), column.sql(alias), of: owner)
            table = next
        }
        throw fault(.unknownName, chain.first, "the path is empty.")
    }

    private mutating func join(
        _ next: NamedTables.Table, _ path: String, _ key: String, of owner: NamedTables.Table
    ) -> String {
        note(next)
        var list = joins[owner.name] ?? []
        if let known = list.first(where: { $0.path == path }) { return known.alias }
        let alias = "R\(list.count + 1)"
        list.append(
            Join(path: path, alias: alias, sql: " LEFT JOIN \(next.source) AS \(alias) ON \(alias).Z_PK = \(key)"))
        joins[owner.name] = list
        return alias
    }

    private func unknownProperty(_ name: String, of table: NamedTables.Table, _ place: Int) -> SQLQueryError {
        if let entity = table.entity {
            if let many = entity.toManys.first(where: { $0.name.lowercased() == name.lowercased() }) {
                return fault(
                    .unknownName, place,
                    "'\(table.name).\(many.name)' is a to-many relationship: join '\(many.destination)' in place of it."
                )
            }
            if let attribute = entity.attributes.first(where: { $0.name.lowercased() == name.lowercased() }) {
                return fault(
                    .unknownName, place,
                    "'\(table.name).\(attribute.name)' has external storage, or elements: queries read no files, and name "
                        + "elements as `\(attribute.name)_element`.")
            }
        }
        let names = table.columns.map(\.name)
        return fault(
            .unknownName, place,
            "'\(table.name)' has no '\(name)'.\(name.hint(among: names)) It has \(names.joined(separator: ", ")).")
    }

    // MARK: Objects

    /// The column of a chain, with its target; nil if SQLite must find its meaning.
    func column(_ chain: SQLOutline.Chain) throws -> NamedTables.Column? {
        guard !chain.isCall, let named = try named(chain) else { return nil }
        var copy = self
        return try? copy.pathEnd(named, chain, addingTo: named.table).column
    }

    private mutating func objectColumn(_ place: Int, _ next: Int) throws -> (NamedStatement.ObjectColumn, String?) {
        let wanted = "Column \(place + 1) is an object in the result, so it must be `objectID` or a to-one relationship"
        guard outline.items.indices.contains(place) else {
            throw fault(
                .wrongColumns, nil,
                "\(wanted) of the outermost SELECT, which must not be compound or have fewer columns.")
        }
        let before = outline.items[...place].contains { item in
            item.tokens.contains { tokens[$0].isSign("*") && $0 == item.tokens.upperBound - 1 }
        }
        let item = outline.items[place].tokens
        guard !before, let chain = outline.chains.first(where: { $0.first == item.lowerBound }),
            isOnlyAlias(chain.last + 1..<max(item.upperBound, chain.last + 1)), let named = try named(chain),
            let target = try pathEnd(named, chain, addingTo: named.table).column.target
        else { throw fault(.wrongColumns, item.lowerBound, "\(wanted), with nothing but an alias after it.") }
        guard let family = tables.tables.entity(target.entity)?.family else {
            throw fault(.wrongColumns, item.lowerBound, "\(wanted).")
        }
        if family.count == 1 { return (.init(entity: family[0], addedColumn: nil), nil) }
        guard let entitySQL = target.entitySQL else {
            throw fault(
                .wrongColumns, item.lowerBound,
                "a link does not contain the entity of its object: join '\(target.entity)', and select its `objectID`.")
        }
        let end = try pathEnd(named, chain, addingTo: named.table)
        let name = "\(end.steps.joined(separator: ".")) entity"
        add(name, "\(end.alias).\(entitySQL)", to: named.table)
        let qualifier = named.start > 0 ? NamedQuoting.quoted(tokens[chain.first].name) + "." : ""
        return (.init(entity: nil, addedColumn: next), qualifier + NamedQuoting.quoted(name))
    }

    private func isOnlyAlias(_ places: Range<Int>) -> Bool {
        let rest = tokens[places]
        guard let first = rest.first else { return true }
        if first.isWord("AS") { return rest.count == 2 }
        return rest.count == 1 && first.isName && !SQLOutline.isKeyword(first)
    }

    // MARK: Values

    private func checked(_ value: SQLQuery.Value) throws -> [SQLArgument] {
        for argument in value.arguments {
            var sentence: String?
            switch argument.content {
            case .unsupported(let reason): sentence = reason
            case .object(let id) where id.isTemporaryID:
                sentence = "An object of '\(id.entity.name ?? "")' is unsaved, so no row of the store refers to it."
            default: break
            }
            if let sentence {
                throw SQLQueryError(.unsupportedValue, at: .init(value.offset, in: query.text), sentence)
            }
        }
        return LongList(value).map { [$0.argument] } ?? value.arguments
    }

    // MARK: Text

    private func written(_ extra: [String]) -> (String, [(translated: Int, original: Int)]) {
        let bytes = Array(query.text.utf8)
        var sql = ""
        var places: [(translated: Int, original: Int)] = []
        var length = 0
        var done = 0
        func put(_ text: String, at original: Int) {
            places.append((length, original))
            sql += text
            length += text.utf8.count
        }
        let expressions = used.compactMap { key, extra in
            tables.table(key).map { expression($0, extra.sorted { $0.value.order < $1.value.order }) }
        }
        for place in 0...tokens.count {
            let start = place < tokens.count ? tokens[place].range.lowerBound : bytes.count
            put(String(decoding: bytes[done..<start], as: UTF8.self), at: done)
            done = start
            if place == outline.start, outline.definitionsStart == nil, !expressions.isEmpty {
                put("WITH \(expressions.joined(separator: ", ")) ", at: start)
            }
            if place == outline.definitionsStart, !expressions.isEmpty {
                put(expressions.joined(separator: ", ") + ", ", at: start)
            }
            if place == outline.itemsEnd, !extra.isEmpty { put(", \(extra.joined(separator: ", ")) ", at: start) }
            guard place < tokens.count else { break }
            let token = tokens[place]
            if case .value(let number) = token.kind {
                let value = query.values[number]
                put(LongList(value) == nil ? Self.placeholders(value) : LongList.sql, at: start)
            } else if let replacement = replacements[place] {
                put(replacement, at: start)
            } else {
                put(String(decoding: bytes[token.range], as: UTF8.self), at: start)
            }
            done = token.range.upperBound
        }
        return (sql, places)
    }

    private static func placeholders(_ value: SQLQuery.Value) -> String {
        value.isList ? "(\(Array(repeating: "?", count: value.arguments.count).joined(separator: ", ")))" : "?"
    }

    private func expression(
        _ table: NamedTables.Table, _ extra: [Dictionary<String, ExtraColumn>.Element]
    ) -> String {
        var columns = table.columns.map { "\($0.sql("R")) AS \(NamedQuoting.quoted($0.name))" }
        columns += extra.map { "\($0.value.sql) AS \(NamedQuoting.quoted($0.key))" }
        let joins = (joins[table.name] ?? []).map(\.sql).joined()
        var condition = ""
        if let entity = table.entity {
            let numbers = entity.family.map(String.init).joined(separator: ", ")
            // With the sign SQLite cannot take the condition for a range of keys, which it would prefer to an index.
            condition = " WHERE R.Z_ENT IN (\(numbers)) AND +R.Z_PK > 0"
        }
        // Without the hint SQLite would copy the rows of an entity that a statement names twice.
        return "\(NamedQuoting.quoted(table.name)) AS \(Self.hint)(SELECT \(columns.joined(separator: ", ")) FROM "
            + "\(table.source) AS R\(joins)\(condition))"
    }

    private static let hint = Connection.libraryVersion >= 3_035_000 ? "NOT MATERIALIZED " : ""
}

/// A list of whole numbers or objects that is too long for placeholders, as one text.
private struct LongList {
    static let sql = "(SELECT value FROM json_each(?))"
    let argument: SQLArgument

    /// nil for short lists, and for those of other values.
    init?(_ value: SQLQuery.Value) {
        guard value.isList, value.arguments.count > 500 else { return nil }
        var keys: [Int64] = []
        for argument in value.arguments {
            switch argument.content {
            case .integer(let key): keys.append(key)
            case .object(let id): keys.append(id.key)
            default: return nil
            }
        }
        argument = .text(KeyList.text(keys))
    }
}
