// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Describes the work of a fetch without doing it.

/// How a fetch request would be answered: for each store the SQL, the plan of the database for it, and what is left to
/// be done in memory. `NSFetchRequest.explain(in:)` gives it; `print` shows it whole.
///
/// Values of the predicate are not in it, only their types: it may be kept and sent.
public struct FetchExplanation: Sendable, Hashable, CustomStringConvertible {
    /// The form in which SQLite gets a value.
    public enum ValueType: String, Sendable, Hashable {
        /// NULL, for nil.
        case null
        /// A whole number: numbers, truth values, and the row ids of objects.
        case integer
        /// A floating-point number: numbers with a fraction, and dates as seconds since the start of 2001.
        case real
        /// A text: strings and URLs.
        case text
        /// Bytes: data and UUIDs.
        case blob
    }

    /// Something that is not done in SQL.
    public struct InMemoryPart: Sendable, Hashable, CustomStringConvertible {
        /// The kind of work.
        public enum Kind: String, Sendable, Hashable {
            /// Rows are asked whether they match; what matters in the predicate is the `subject`.
            case predicate
            /// Rows are sorted, and cut to limit and offset afterwards.
            case order
            /// Dictionaries are made of rows: expressions, groups, conditions on groups.
            case dictionaries
        }

        /// The kind of work that is done in memory.
        public let kind: Kind
        /// A part of the predicate, with `$value` in place of values; sort keys; names of columns.
        public let subject: String
        /// Why: what it is that SQL does not have.
        public let reason: String

        package init(kind: Kind, subject: String, reason: String) {
            self.kind = kind
            self.subject = subject
            self.reason = reason
        }

        /// One line: kind, subject and reason.
        public var description: String { "\(kind.rawValue) \(subject): \(reason)" }
    }

    /// What one store is asked.
    public struct Store: Sendable, Hashable {
        /// The UUID of the store.
        public let identifier: String
        /// As `NSPersistentStore.type`.
        public let type: String
        /// The statement, a `?` for each value; nil for stores that know no SQL.
        public let sql: String?
        /// The types of the values, in the order of their places in `sql`.
        public let valueTypes: [ValueType]
        /// The lines of SQLite's EXPLAIN QUERY PLAN, each indented by two blanks below the one it is part of.
        public let queryPlan: [String]
        /// What is done in memory with the rows that the statement gives; with all rows, where there is none.
        public let inMemory: [InMemoryPart]
        /// How many rows of the entity's table fetches pass over, because their `Z_ENT` or `Z_PK` belongs to no object.
        /// Only damaged and hand-edited files have such rows; other kinds of stores have none.
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
    /// The stores asked, in the order in which they were added to the coordinator.
    public let stores: [Store]
    /// What contexts do with the answers: a sentence for each thing. Empty where they are just made objects.
    public let contextWork: [String]

    /// Whether SQL answers it all: nothing is filtered, sorted or shaped in memory.
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
