// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reports the statements of a store to a program, for tests that count them.

public import Foundation

/// Store option: a `StatementObserver` that is called with each SQL statement of the store. Stores without SQL ignore
/// it.
public let NSStatementObserverOption = "OpenCoreDataStatementObserver"

/// Receives the text of each SQL statement that a store runs, after its end.
///
/// ```swift
/// let observer = StatementObserver { sql in print(sql) }
/// let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
/// description.setOption(observer, forKey: NSStatementObserverOption)
/// ```
///
/// For tests and measurements: the product `CoreDataTesting` counts statements with it. Texts have placeholders instead
/// of values. Statements that begin and end transactions are reported, too, and on SQLite those of triggers are not.
///
/// - Important: the block is called on the thread that runs the statement, with the store's connection in use: it must
///   not use the store.
/// - Complexity: a store without the option does no work for it. With the option each statement costs a few
///   microseconds.
public final class StatementObserver: NSObject, Sendable {
    package let body: @Sendable (String) -> Void

    /// Creates an observer. It may observe several stores.
    ///
    /// - Parameter body: called with the text of a statement, on any thread.
    public init(_ body: @escaping @Sendable (String) -> Void) { self.body = body }

    /// The observer that the options of a store contain.
    package static func value(_ options: [AnyHashable: Any]?) -> StatementObserver? {
        options?[NSStatementObserverOption] as? StatementObserver
    }
}
