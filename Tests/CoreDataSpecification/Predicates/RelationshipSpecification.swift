// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the results of predicates over relationships: key paths, ANY and ALL, counts, subqueries, objects.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Predicates over relationships") struct RelationshipSpecification {
    @Test("key paths go through to-one relationships, and stop at nil", arguments: StoreKind.all)
    func keyPaths(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        try firm.expect("department.name == 'Sales'", finds: ["bob", "Élodie", "elodie", "İpek"])
        try firm.expect("department.floor < 2", finds: ["Ada", "Bob"])
        try firm.expect("boss.name == 'Ada'", finds: ["Bob", "bob", "İpek"])
        try firm.expect("boss.boss.name == 'Ada'", finds: ["Élodie", "elodie", "STRASSE"])
        try firm.expect("boss.department.name == 'Research'", finds: ["Bob", "bob", "Élodie", "elodie", "İpek"])
        try firm.expect("department.name == nil", finds: ["Straße", "STRASSE"])
        try firm.expect("department.name != 'Sales'", finds: ["Ada", "Bob", "Straße", "STRASSE"])
        try firm.expect("NOT (boss.department.floor == 1)", finds: ["Ada", "Straße", "STRASSE"])
        try firm.expect("boss.department.name == department.name", finds: ["Bob", "Straße"])
    }

    /// Proves: F54
    @Test("ANY holds where one member does, ALL where none does not, NONE where none does", arguments: StoreKind.all)
    func quantifiers(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        try firm.expect("ANY projects.name == 'Apollo'", finds: ["Ada", "Bob", "elodie"])
        try firm.expect("ANY projects.cost < 50", finds: ["Ada", "bob", "elodie", "STRASSE"])
        try firm.expect("SOME projects.name == 'Idle'", finds: ["STRASSE"])
        try firm.expect("NONE projects.name == 'Apollo'", finds: ["bob", "Élodie", "Straße", "STRASSE", "İpek"])
        try firm.expect(
            "NOT (ANY projects.name == 'Apollo')", finds: ["bob", "Élodie", "Straße", "STRASSE", "İpek"])
        try firm.expect("ALL projects.cost > 50", finds: ["Bob", "Élodie", "Straße", "İpek"])
        try firm.expect("NOT (ALL projects.cost > 50)", finds: ["Ada", "bob", "elodie", "STRASSE"])
        try firm.expect("ANY reports.age > 60", finds: ["Bob"])
        try firm.expect("ANY reports.department.name == 'Research'", finds: ["Ada"])
        try firm.expect("ANY projects.name IN %@", ["Idle", "Zephyr"], finds: ["Ada", "bob", "elodie", "STRASSE"])
        try firm.expect("ANY projects.name BEGINSWITH[c] 'ze'", finds: ["Ada", "bob", "elodie"])
        try firm.expect("ANY reports.nickname == nil", finds: ["Ada"])
        try firm.expect("ANY people.age == 20", in: "Department", finds: ["Research", "Sales"])
        try firm.expect("ALL people.age > 10", in: "Department", finds: ["Research", "Sales", "Empty"])
        try firm.expect("ANY members.department.floor == 2", in: "Project", finds: ["Apollo", "Zephyr"])
    }

    @Test("@count counts members", arguments: StoreKind.all)
    func counts(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        try firm.expect("projects.@count == 0", finds: ["Élodie", "Straße", "İpek"])
        try firm.expect("projects.@count > 1", finds: ["Ada", "elodie"])
        try firm.expect("reports.@count == 3", finds: ["Ada"])
        try firm.expect("people.@count >= 2", in: "Department", finds: ["Research", "Sales"])
        try firm.expect("department.people.@count == 2", finds: ["Ada", "Bob"])
        try firm.expect("boss.reports.@count == 2", finds: ["Élodie", "elodie"])
        try firm.expect("projects.@count < reports.@count", finds: ["Ada", "Bob"])
    }

    @Test("@sum, @avg, @min and @max over members", arguments: StoreKind.all)
    func aggregates(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        try firm.expect("projects.@sum.cost > 100", finds: ["Ada", "elodie"])
        try firm.expect("reports.@max.age > 60", finds: ["Bob"])
        try firm.expect("reports.@min.age == 20", finds: ["Ada", "Bob"])
        try firm.expect("people.@avg.age == 28", in: "Department", finds: ["Research"])
        try firm.expect("people.@max.age == nil", in: "Department", finds: ["Empty"])
        try firm.expect("projects.@sum.cost == 0", finds: ["Élodie", "Straße", "İpek"])
    }

    /// Proves: F50
    @Test("SUBQUERY gives the members for which several things hold at once", arguments: StoreKind.all)
    func subqueries(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        try firm.expect(
            "SUBQUERY(projects, $p, $p.cost > 50 AND $p.name BEGINSWITH 'A').@count > 0",
            finds: ["Ada", "Bob", "elodie"])
        try firm.expect("SUBQUERY(reports, $r, $r.age == 20).@count == 1", finds: ["Ada", "Bob"])
        try firm.expect(
            "SUBQUERY(projects, $p, $p.cost < 50).@count == 0", finds: ["Bob", "Élodie", "Straße", "İpek"])
        try firm.expect(
            "SUBQUERY(people, $p, $p.age > 30 AND $p.isActive == YES).@count == 2", in: "Department", finds: ["Sales"])
        try firm.expect(
            "SUBQUERY(people, $p, ANY $p.projects.name == 'Apollo').@count == 2", in: "Department", finds: ["Research"])
        try firm.expect(
            "SUBQUERY(people, $p, SUBQUERY($p.projects, $q, $q.cost < 50).@count > 0).@count > 1", in: "Department",
            finds: ["Sales"])
        try firm.expect("SUBQUERY(reports, $r, $r.department == SELF.department).@count > 0", finds: ["Ada"])
    }

    /// Proves: F53
    @Test("objects and ids are arguments", arguments: StoreKind.all)
    func objects(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let sales = firm.department("Sales")
        try firm.expect("department == %@", sales, finds: ["bob", "Élodie", "elodie", "İpek"])
        try firm.expect("department == %@", sales.objectID, finds: ["bob", "Élodie", "elodie", "İpek"])
        try firm.expect("department != %@", sales, finds: ["Ada", "Bob", "Straße", "STRASSE"])
        try firm.expect("%@ == department", sales, finds: ["bob", "Élodie", "elodie", "İpek"])
        try firm.expect(
            "department IN %@", [sales, firm.department("Empty")], finds: ["bob", "Élodie", "elodie", "İpek"])
        try firm.expect("boss.boss == %@", firm.person("Ada"), finds: ["Élodie", "elodie", "STRASSE"])
        try firm.expect("SELF == %@", firm.person("Ada"), finds: ["Ada"])
        try firm.expect("SELF == %@", firm.person("Ada").objectID, finds: ["Ada"])
        try firm.expect("SELF != %@ AND department.name == 'Research'", firm.person("Ada"), finds: ["Bob"])
        try firm.expect("SELF IN %@", [firm.person("Ada"), firm.person("bob")], finds: ["Ada", "bob"])
        try firm.expect("SELF IN %@", NSSet(array: [firm.person("Ada")]), finds: ["Ada"])
        try firm.expect("SELF IN %@", [firm.person("Ada").objectID], finds: ["Ada"])
        try firm.expect("objectID IN %@", [firm.person("Ada").objectID], finds: ["Ada"])
        try firm.expect("objectID == %@", firm.person("Ada").objectID, finds: ["Ada"])
        #expect(try firm.find(NSPredicate(format: "NOT (SELF IN %@)", [firm.person("Ada")])).count == 7)
        try firm.expect("ANY projects == %@", firm.projects["Idle"]!, finds: ["STRASSE"])
        try firm.expect("projects CONTAINS %@", firm.projects["Idle"]!, finds: ["STRASSE"])
        try firm.expect("%@ IN projects", firm.projects["Idle"]!, finds: ["STRASSE"])
        try firm.expect("ANY people == %@", firm.person("Ada"), in: "Department", finds: ["Research"])
    }

    @Test("an object that no store has equals no object of the store", arguments: StoreKind.all)
    func strangers(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let request = Firm.request(
            "Person", NSPredicate(format: "department == %@", firm.insert("Department", ["name": "New"])))
        #expect(try firm.context.fetch(request).isEmpty)
        let others = try Firm(in: kind)
        let other = Firm.request("Person", NSPredicate(format: "SELF == %@", others.person("Ada")))
        #expect(try firm.context.fetch(other).isEmpty)
        let outside = Firm.request("Person", NSPredicate(format: "SELF != %@", others.person("Ada")))
        #expect(try firm.context.count(for: outside) == 8)
    }

    /// Decided by `fetch(_:)` with `entity == %@`, for an entity with subentities.
    @Test("the entity can be asked for", .tags(.assumed), arguments: StoreKind.all)
    func entities(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let entities = firm.stack.model.entitiesByName
        try firm.expect("entity == %@", entities["Employee"]!, finds: ["Bob", "bob"])
        try firm.expect(
            "entity IN %@", [entities["Person"]!, entities["Manager"]!],
            finds: ["Ada", "İpek", "Élodie", "elodie", "Straße", "STRASSE"])
    }
}
