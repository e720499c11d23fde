// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A translated statement, and the places of its text in the text of the query.

import SQLiteDriver

/// A statement with the names of the file.
struct NamedStatement {
    /// A column of the result that is the key of an object.
    struct ObjectColumn {
        /// The number of the entity; nil if an added column has it.
        let entity: Int64?
        /// The place of that column among the added ones.
        let addedColumn: Int?
    }

    let sql: String
    /// In the order of the placeholders.
    let arguments: [SQLArgument]
    /// The named entities, and those that paths lead to.
    let entities: [String]
    /// The tables of the file that the statement reads, in lower case.
    let files: Set<String>
    /// The columns of the result that are objects, by their places.
    let objects: [Int: ObjectColumn]
    /// The names that a statement may use, for hints.
    let knownNames: [String]
    /// The names of all common table expressions, in lower case.
    let definitions: Set<String>
    /// Pairs of places in the translated and in the original text, ascending.
    fileprivate let places: [(translated: Int, original: Int)]
    private let text: String

    init(
        sql: String, arguments: [SQLArgument], entities: [String], files: Set<String>, objects: [Int: ObjectColumn],
        knownNames: [String], definitions: Set<String>, places: [(translated: Int, original: Int)], text: String
    ) {
        self.sql = sql
        self.arguments = arguments
        self.entities = entities
        self.files = files
        self.objects = objects
        self.knownNames = knownNames
        self.definitions = definitions
        self.places = places
        self.text = text
    }

    /// Reads nothing but the named tables, and calls harmless functions only. NamedSQL-8.
    ///
    /// - Parameters:
    ///   - inFile: the tables of the file, in lower case. No name that the statement defines opens one of them.
    ///   - readsAllTables: whether the statement may read all of them.
    func permission(_ inFile: Set<String>, _ readsAllTables: Bool) -> ReadPermission {
        let system = ["sqlite_", "pragma_", "dbstat", "bytecode", "tables_used", "fts"]
        let unread = definitions.filter { name in !inFile.contains(name) && !system.contains { name.hasPrefix($0) } }
        return ReadPermission(
            tables: files.union(NamedTableFunctions.all).union(readsAllTables ? inFile.union(["sqlite_master"]) : []),
            unread: unread, functions: NamedFunctions.all)
    }

    /// The error of a failed preparation or step, as an error of the query; nil for errors of the file.
    ///
    /// - Parameter refusal: what the authorizer refused.
    func error(_ error: SQLiteError, refusal: String?) -> SQLQueryError? {
        let position = error.offset.map { SQLQueryError.Position(original($0), in: text) }
        if let refusal {
            return SQLQueryError(
                .refused, at: position, name: refusal,
                "\(refusal) is refused. A query reads entities of the model, and calls functions of SQLite that neither "
                    + "write nor read files.")
        }
        guard error.isGeneric || error.isTooBig || error.isAboutLimits || error.isMismatch else { return nil }
        for (beginning, names) in [
            ("no such column: ", knownNames), ("no such function: ", NamedFunctions.all.sorted()),
            ("no such table: ", knownNames), ("ambiguous column name: ", []),
        ] where error.message.hasPrefix(beginning) {
            let name = String(error.message.dropFirst(beginning.count))
            let word = name.split(separator: ".").last.map(String.init) ?? name
            return SQLQueryError(
                beginning.hasPrefix("ambiguous") ? .invalidStatement : .unknownName, at: position, name: name,
                "\(error.message).\(word.hint(among: names))")
        }
        return SQLQueryError(.invalidStatement, at: position, "SQLite reports: \(error.message).")
    }

    private func original(_ offset: Int) -> Int {
        guard let place = places.last(where: { $0.translated <= offset }) else { return 0 }
        return place.original + offset - place.translated
    }
}

/// The table-valued functions that a statement may read.
enum NamedTableFunctions {
    static let all: Set<String> = ["json_each", "json_tree", "generate_series"]
}

/// The functions that a statement may call: those of SQLite that depend on their arguments, the time or chance only.
enum NamedFunctions {
    static let all: Set<String> = [
        "abs", "char", "coalesce", "concat", "concat_ws", "format", "glob", "hex", "ifnull", "iif", "if", "instr",
        "length", "like", "likelihood", "likely", "lower", "ltrim", "max", "min", "nullif", "octet_length", "printf",
        "quote", "random", "randomblob", "replace", "round", "rtrim", "sign", "soundex", "substr", "substring", "trim",
        "typeof", "unhex", "unicode", "unlikely", "upper", "zeroblob", "date", "time", "datetime", "julianday",
        "unixepoch", "strftime", "timediff", "current_date", "current_time", "current_timestamp", "avg", "count",
        "group_concat", "string_agg", "sum", "total", "row_number", "rank", "dense_rank", "percent_rank", "cume_dist",
        "ntile", "lag", "lead", "first_value", "last_value", "nth_value", "acos", "acosh", "asin", "asinh", "atan",
        "atan2", "atanh", "ceil", "ceiling", "cos", "cosh", "degrees", "exp", "floor", "ln", "log", "log10", "log2",
        "mod", "pi", "pow", "power", "radians", "sin", "sinh", "sqrt", "tan", "tanh", "trunc", "->", "->>", "json",
        "json_array", "json_array_length", "json_error_position", "json_extract", "json_group_array",
        "json_group_object", "json_insert", "json_object", "json_patch", "json_pretty", "json_quote", "json_remove",
        "json_replace", "json_set", "json_type", "json_valid", NamedTables.dateFunction.lowercased(),
    ]
}
