// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the plans of statements that observers have seen. PostgreSQL-Q1 to Q4.

import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

@Suite("Plans of statements on a server", .needsServer) struct StatementPlanTests {
    private let log = OperationLog()

    private func shop(_ options: [AnyHashable: Any]? = nil) throws -> Stack {
        let stack = try Stack(.postgresql, BookshopModel.make(), options: options, observers: [log])
        for title in ["Dune", "Emma"] {
            let book = Book(context: stack.context)
            book.title = title
            book.chapters = [Chapter(context: stack.context)]
        }
        try stack.context.save()
        return stack
    }

    private func statements() -> [String] { log.take().of(.statement).compactMap(\.operation.statement) }

    /// Proves: PostgreSQL-Q1, PostgreSQL-Q2
    @Test("a fetch that an observer has seen has a plan, without values, and the question is not observed")
    func fetch() throws {
        let stack = try shop()
        _ = log.take()
        let request = Book.request()
        request.predicate = NSPredicate(format: "title == 'Dune' AND pages IN {1, 2, 3}")
        _ = try stack.context.fetch(request)
        let text = try #require(statements().first { $0.contains("title") })
        let plan = try stack.store.queryPlan(ofStatement: text)
        #expect(plan.contains { $0.contains("Scan") } && plan.contains { $0.contains("$1") })
        #expect(!plan.contains { $0.contains("Dune") })
        #expect(log.take().isEmpty)
        #expect(stack.store.condition?.connectionsInUse == 0)
    }

    /// Proves: PostgreSQL-Q2
    @Test("statements that write have a plan, and do not run for it") func writing() throws {
        let stack = try shop()
        let table = try table("Book", stack)
        let texts = [
            "Insert on": "INSERT INTO \(table) (title) VALUES ($1)",
            "Update on": "UPDATE \(table) SET title = $1 WHERE pages = $2",
            "Delete on": "DELETE FROM \(table) WHERE pages = $1",
        ]
        for (step, text) in texts {
            #expect(try stack.store.queryPlan(ofStatement: text).contains { $0.contains(step) }, "\(text)")
        }
        #expect(try stack.newContext().count(for: Book.request()) == 2)
    }

    /// Proves: PostgreSQL-Q4
    @Test("objects are read and written by their keys, also in a table that was empty when that began")
    func growing() throws {
        let stack = try Stack(.postgresql, BookshopModel.make(), options: [NSStoreConnectionLimitOption: 1])
        let context = stack.context
        let few = (0..<10).map { _ in Book(context: context) }
        for book in few { book.title = "First" }
        try context.save()
        func readAndWrite() throws {
            let request = Book.request()
            request.predicate = NSPredicate(format: "self IN %@", few.map(\.objectID))
            request.shouldRefreshRefetchedObjects = true
            #expect(try context.fetch(request).count == 10)
            for book in few { book.pages += 1 }
            try context.save()
        }
        for _ in 0..<8 { try readAndWrite() }
        for number in 0..<20_000 { Book(context: context).title = "\(number)" }
        try context.save()
        let before = try rowsReadInTableScans(stack)
        try readAndWrite()
        #expect(try rowsReadInTableScans(stack) - before < 20_000)
    }

    /// The rows of books that the server has read by reading their table from its beginning.
    private func rowsReadInTableScans(_ stack: Stack) throws -> Int64 {
        let opened = try stack.server
        return try opened.readPrimary { connection in
            let deadline = opened.sessions.deadline
            try connection.run(Statement("SELECT pg_stat_force_next_flush()", isReused: false), deadline)
            let question = Statement(
                "SELECT seq_tup_read FROM pg_stat_user_tables WHERE relid = $1::text::regclass",
                [.text(try table("Book", stack))], isReused: false)
            return try #require(try connection.run(question, deadline).first(\.integer))
        }
    }

    private func table(_ entity: String, _ stack: Stack) throws -> String {
        let schema = try stack.server.schema
        let layout = try #require(schema.model.layout(named: entity))
        return try #require(schema.mapping(layout)).table.sql
    }

    /// Proves: PostgreSQL-Q2
    @Test(
        "a text that is no statement, several, or without types throws 134070 and changes nothing",
        arguments: ["COMMIT", "SELECT 1; DROP SCHEMA public CASCADE", "SELECT no_such_column", "", "SELECT unnest($1)"])
    func refused(text: String) throws {
        let stack = try shop()
        let error = #expect(throws: CocoaError.self) { try stack.store.queryPlan(ofStatement: text) }
        #expect(error?.code == .persistentStoreOperation)
        #expect(try stack.newContext().count(for: Book.request()) == 2)
    }

    /// Proves: PostgreSQL-Q3
    @Test("the question ends in time while a table is locked") func locked() throws {
        let stack = try shop()
        let opened = try stack.server
        let table = try table("Book", stack)
        let other = try opened.sessions.make()
        defer { other.close() }
        try other.run(Statement("BEGIN", isReused: false), opened.sessions.deadline)
        try other.run(Statement("LOCK TABLE \(table)", isReused: false), opened.sessions.deadline)
        let error = #expect(throws: CocoaError.self) {
            try stack.store.queryPlan(ofStatement: "SELECT * FROM \(table)")
        }
        let cause = error?.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(cause?.userInfo[NSPostgreSQLStateErrorKey] as? String == "57014")
    }

    /// Proves: PostgreSQL-Q3
    @Test("a store without prepared statements has no plans, and other stores none at all") func without() throws {
        let stack = try shop([NSPostgreSQLPreparedStatementsOption: false])
        let memory = try Stack(.inMemory, BookshopModel.make())
        for store in [stack.store, memory.store] {
            let error = #expect(throws: CocoaError.self) { try store.queryPlan(ofStatement: "SELECT 1") }
            #expect(error?.code == .persistentStoreOperation)
        }
    }
}
