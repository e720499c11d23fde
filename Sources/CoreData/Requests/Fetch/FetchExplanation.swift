// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Describes how a fetch would be carried out, without executing it.

/// How a fetch request would be answered: for each store the SQL, the query plan, and the work that remains in memory.
/// `NSFetchRequest.explain(in:)` returns it; `print` shows all of it.
///
/// It contains the types of the predicate's values, but not the values: it may be stored and sent.
public struct FetchExplanation: Sendable, Hashable, CustomStringConvertible {
    /// The form in which SQLite receives a value.
    public enum ValueType: String, Sendable, Hashable {
        /// NULL, for nil.
        case null
        /// A whole number: numbers, Booleans, and the row ids of objects.
        case integer
        /// A floating-point number: numbers with a fraction, and dates as seconds since the start of 2001.
        case real
        /// A text: strings and URLs.
        case text
        /// Bytes: data and UUIDs.
        case blob
    }

    /// A part of the fetch that is not done in SQL.
    public struct InMemoryPart: Sendable, Hashable, CustomStringConvertible {
        /// The kind of work.
        public enum Kind: String, Sendable, Hashable {
            /// The predicate is evaluated for each row; `subject` is the part of it that SQL cannot evaluate.
            case predicate
            /// Rows are sorted in memory, and then limit and offset are applied.
            case order
            /// Rows are compared with the position of a cursor; `subject` has the sort keys.
            case position
            /// Dictionaries are computed from rows: expressions, groups, conditions on groups.
            case dictionaries
        }

        /// The kind of work that is done in memory.
        public let kind: Kind
        /// A part of the predicate, with `$value` in place of values; or sort keys, or names of columns.
        public let subject: String
        /// The reason: the part that SQL cannot express.
        public let reason: String

        package init(kind: Kind, subject: String, reason: String) {
            self.kind = kind
            self.subject = subject
            self.reason = reason
        }

        /// One line: kind, subject and reason.
        public var description: String { "\(kind.rawValue) \(subject): \(reason)" }
    }

    /// The work of one store.
    public struct Store: Sendable, Hashable {
        /// The UUID of the store.
        public let identifier: String
        /// As `NSPersistentStore.type`.
        public let type: String
        /// The statement, with a `?` for each value; nil for stores without SQL.
        public let sql: String?
        /// The types of the values, in the order of their places in `sql`.
        public let valueTypes: [ValueType]
        /// The lines of SQLite's EXPLAIN QUERY PLAN, each indented by two blanks below the one it is part of.
        public let queryPlan: [String]
        /// The work in memory on the rows that the statement returns, or on all rows if there is no statement.
        public let inMemory: [InMemoryPart]
        /// The number of rows of the entity's table that fetches skip, because their `Z_ENT` or `Z_PK` belongs to no
        /// object. Only damaged and hand-edited files have such rows; other kinds of stores have none.
        public internal(set) var skippedRows = 0

        package init(
            identifier: String, type: String, sql: String?, valueTypes: [ValueType], queryPlan: [String],
            inMemory: [InMemoryPart], skippedRows: Int = 0
        ) {
            self.identifier = identifier
            self.type = type
            self.sql = sql
            self.valueTypes = valueTypes
            self.queryPlan = queryPlan
            self.inMemory = inMemory
            self.skippedRows = skippedRows
        }
    }

    /// The entity of the request.
    public let entityName: String
    /// The stores that take part, in the order in which they were added to the coordinator.
    public let stores: [Store]
    /// The work of contexts on the results, one sentence for each step. Empty if they only create objects.
    public let contextWork: [String]

    /// Whether SQL does all the work: nothing is filtered, sorted or shaped in memory.
    public var isAnsweredBySQL: Bool { stores.allSatisfy { $0.sql != nil && $0.inMemory.isEmpty } }

    /// The whole explanation as indented lines, for logs and tests.
    public var description: String {
        let context = contextWork.map { "\n  context: \($0)" }.joined()
        return "fetch of \(entityName)" + stores.map(\.lines).joined() + context
    }
}

extension FetchExplanation.Store {
    fileprivate var lines: String {
        var lines = ["store \(identifier) (\(type))"]
        if let sql { lines.append("  sql: \(sql)") }
        if !valueTypes.isEmpty { lines.append("  values: " + valueTypes.map(\.rawValue).joined(separator: ", ")) }
        lines += queryPlan.map { "  plan: \($0)" }
        lines += inMemory.map { "  in memory: \($0)" }
        if skippedRows > 0 { lines.append("  passed over: \(skippedRows) rows that belong to no object") }
        return lines.map { "\n  \($0)" }.joined()
    }
}
