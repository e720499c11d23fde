// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Limits the statements of a connection to reading some tables and calling some functions.

import CSQLite

/// What statements may read and call. All names are in lower case.
package struct ReadPermission: Sendable {
    /// The tables whose columns may be read.
    package let tables: Set<String>
    /// Further names of which no column is read, such as common table expressions.
    package let unread: Set<String>
    package let functions: Set<String>

    package init(tables: Set<String>, unread: Set<String>, functions: Set<String>) {
        self.tables = tables
        self.unread = unread
        self.functions = functions
    }
}

/// Answers SQLite's questions about one statement, and remembers the first refusal.
package final class ReadAuthorizer {
    private let permission: ReadPermission
    /// In words for a message; nil if nothing was refused.
    package private(set) var refusal: String?

    init(_ permission: ReadPermission) { self.permission = permission }

    fileprivate func allows(_ action: Int32, _ first: String, _ second: String) -> Bool {
        switch action {
        case SQLITE_SELECT, SQLITE_RECURSIVE: return true
        case SQLITE_READ:
            let table = first.lowercased()
            if permission.tables.contains(table) { return true }
            if second.isEmpty, permission.unread.contains(table) { return true }
            return refuse("Reading of '\(first)'")
        case SQLITE_FUNCTION:
            if permission.functions.contains(second.lowercased()) { return true }
            return refuse("The function '\(second)'")
        case SQLITE_ATTACH, SQLITE_DETACH: return refuse("ATTACH or DETACH")
        case SQLITE_PRAGMA: return refuse("PRAGMA")
        case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE: return refuse("Writing to '\(first)'")
        case SQLITE_TRANSACTION, SQLITE_SAVEPOINT: return refuse("A transaction")
        default: return refuse("A change of the database")
        }
    }

    private func refuse(_ words: String) -> Bool {
        if refusal == nil { refusal = words }
        return false
    }
}

extension Connection {
    /// Calls the body while statements that are prepared, or prepared again, may do only what the permission allows.
    /// Other statements fail.
    ///
    /// - Parameter body: receives the authorizer, which knows what was refused.
    package func limited<Result>(to permission: ReadPermission, _ body: (ReadAuthorizer) throws -> Result) throws
        -> Result
    {
        let authorizer = ReadAuthorizer(permission)
        sqlite3_set_authorizer(
            handle,
            { context, action, first, second, _, _ in
                guard let context else { return SQLITE_DENY }
                let authorizer = CallbackObject.object(at: context, as: ReadAuthorizer.self)
                let first = first.map { String(cString: $0) } ?? ""
                let second = second.map { String(cString: $0) } ?? ""
                return authorizer.allows(action, first, second) ? SQLITE_OK : SQLITE_DENY
            }, CallbackObject.address(of: authorizer))
        defer { sqlite3_set_authorizer(handle, nil, nil) }
        return try withExtendedLifetime(authorizer) { try body(authorizer) }
    }
}
