// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States SQLite's plans for the statements of fetches: which indexes serve them, and which steps sort.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

/// Each test runs `EXPLAIN QUERY PLAN` for the statement that a fetch has really run.
@Suite("Indexes serve fetches") struct QueryPlanTests {
    @Test(
        "a condition on an indexed attribute searches its index",
        arguments: [
            ("name == 'n3'", "Z_Person_byName (ZNAME=?)"),
            ("name IN {'n3', 'n4'}", "Z_Person_byName (ZNAME=?)"),
            ("name BEGINSWITH 'n3'", "Z_Person_byName (ZNAME>? AND ZNAME<?)"),
            ("name LIKE 'n3*'", "Z_Person_byName (ZNAME>? AND ZNAME<?)"),
            ("name == nil", "Z_Person_byName (ZNAME=?)"),
            ("age > 30", "Z_Person_byAge (ZAGE>?)"),
            ("age BETWEEN {30, 40}", "Z_Person_byAge (ZAGE>? AND ZAGE<?)"),
            ("age == 30 AND name != 'n3'", "Z_Person_byAge (ZAGE=?)"),
            ("team.name == 't1'", "Z_Team_byName (ZNAME=?)"),
        ])
    func conditions(predicate: String, index: String) throws {
        let plan = try Roster().plan(predicate)
        #expect(plan.contains { $0.contains("SEARCH") && $0.contains(index) }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
    }

    @Test("related objects are found by the index of the relationship") func relationships() throws {
        let roster = try Roster()
        let team = try #require(try roster.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Team")).first)
        let members = try roster.plan("team == %@", [team])
        #expect(members.contains { $0.contains("ZPERSON_ZTEAM_INDEX (ZTEAM=?)") }, "\(members)")
        for predicate in ["ANY members.age > 30", "members.@count > 2", "SUBQUERY(members, $m, $m.age > 3).@count > 1"]
        {
            let plan = try roster.plan("Team", predicate)
            #expect(plan.contains { $0.contains("ZPERSON_ZTEAM_INDEX (ZTEAM=?)") }, "\(predicate): \(plan)")
        }
    }

    @Test("objects and ids are looked up by primary key, any number of them", arguments: [1, 40, 5_000])
    func keys(count: Int) throws {
        let roster = try Roster()
        let person = try #require(try roster.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")).first)
        let plan = try roster.plan("SELF IN %@", [Array(repeating: person.objectID, count: count)])
        #expect(plan.contains { $0.contains("USING INTEGER PRIMARY KEY (rowid=?)") }, "\(plan)")
    }

    @Test("an order that an index has is not sorted", arguments: [true, false]) func order(ascending: Bool) throws {
        let roster = try Roster()
        let sorted = try roster.plan(sortedBy: [NSSortDescriptor(key: "age", ascending: ascending)])
        #expect(sorted.contains { $0.contains("Z_Person_byAge") }, "\(sorted)")
        #expect(!sorted.contains { $0.contains("USE TEMP B-TREE") }, "\(sorted)")
        let window = try roster.plan(
            "age > 30", sortedBy: [NSSortDescriptor(key: "age", ascending: ascending)], limit: 10)
        #expect(!window.contains { $0.contains("USE TEMP B-TREE") }, "\(window)")
        let other = try roster.plan(sortedBy: [NSSortDescriptor(key: "salary", ascending: ascending)])
        #expect(other.contains { $0.contains("USE TEMP B-TREE FOR ORDER BY") }, "\(other)")
    }

    @Test("a key path that several conditions and the order go through is one join") func joins() throws {
        let roster = try Roster()
        let joined = try roster.statement(
            "Person", "team.name BEGINSWITH 't' AND team.rank > 1",
            sortedBy: [NSSortDescriptor(key: "team.rank", ascending: true)])
        #expect(joined.ranges(of: "JOIN").count == 1, "\(joined)")
        let unjoined = try roster.statement("Person", "team != nil AND age > 3")
        #expect(!unjoined.contains("JOIN"))
    }

    @Test("rows that compare equal are in the same order each time, across pages") func ties() throws {
        let roster = try Roster()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.sortDescriptors = [NSSortDescriptor(key: "salary", ascending: false)]
        let whole = try roster.context.fetch(request).map(\.objectID)
        request.fetchLimit = 7
        var pages: [NSManagedObjectID] = []
        for offset in stride(from: 0, to: whole.count, by: 7) {
            request.fetchOffset = offset
            pages += try roster.context.fetch(request).map(\.objectID)
        }
        #expect(pages == whole)
    }
}

/// Two hundred people in teams, with indexes on some attributes.
private final class Roster {
    let stack: Stack
    let counter: StatementCounter
    var context: NSManagedObjectContext { stack.context }

    init() throws {
        let (person, team) = (NSEntityDescription("Person"), NSEntityDescription("Team"))
        let name = person.attribute("name", .stringAttributeType)
        let age = person.attribute("age", .integer32AttributeType)
        person.attribute("salary", .doubleAttributeType)
        let teamName = team.attribute("name", .stringAttributeType)
        team.attribute("rank", .integer16AttributeType)
        person.relate("team", .one, .nullifyDeleteRule, to: team, inverse: "members", .many, .nullifyDeleteRule)
        person.indexes = [Self.index("byName", name), Self.index("byAge", age)]
        team.indexes = [Self.index("byName", teamName)]
        let stack = try Stack(.sqlite, NSManagedObjectModel(person, team))
        let teams = (0..<5).map { number in
            let object = NSManagedObject(entity: team, insertInto: stack.context)
            object.setValuesForKeys(["name": "t\(number)", "rank": number])
            return object
        }
        for number in 0..<200 {
            let object = NSManagedObject(entity: person, insertInto: stack.context)
            object.setValuesForKeys([
                "name": "n\(number)", "age": number % 60, "salary": Double(number % 4), "team": teams[number % 5],
            ])
        }
        try stack.context.save()
        counter = try StatementCounter(stack.store)
        self.stack = stack
    }

    private static func index(_ name: String, _ attribute: NSAttributeDescription) -> NSFetchIndexDescription {
        NSFetchIndexDescription(
            name: name, elements: [NSFetchIndexElementDescription(property: attribute, collationType: .binary)])
    }

    /// The statement that a fetch of objects runs.
    func statement(
        _ entity: String = "Person", _ predicate: String? = nil, _ arguments: [Any] = [],
        sortedBy order: [NSSortDescriptor] = [], limit: Int = 0
    ) throws -> String {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate.map { NSPredicate(format: $0, argumentArray: arguments) }
        request.sortDescriptors = order
        request.fetchLimit = limit
        let before = counter.statements.count
        _ = try context.fetch(request)
        let made = counter.statements[before...].filter { $0.hasPrefix("SELECT") }
        #expect(made.count == 1, "\(made)")
        return made.first ?? ""
    }

    func plan(
        _ entity: String, _ predicate: String?, _ arguments: [Any] = [], sortedBy order: [NSSortDescriptor] = [],
        limit: Int = 0
    ) throws -> [String] {
        let sql = try statement(entity, predicate, arguments, sortedBy: order, limit: limit)
        let store = try #require(stack.store as? SQLiteStore)
        let values = [SQLiteValue](repeating: .integer(1), count: sql.count { $0 == "?" })
        let rows = try store.opened().pool.read(in: nil, since: 0) { try $0.rows("EXPLAIN QUERY PLAN " + sql, values) }
        return rows.compactMap { row in
            guard case .text(let detail)? = row.last else { return nil }
            return detail
        }
    }

    func plan(
        _ predicate: String? = nil, _ arguments: [Any] = [], sortedBy order: [NSSortDescriptor] = [], limit: Int = 0
    ) throws -> [String] {
        try plan("Person", predicate, arguments, sortedBy: order, limit: limit)
    }
}
