// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.

import CoreDataModeling
import Testing

@ManagedObject private final class Ship: NSManagedObject {
    @Relationship(inverse: nil) var cargo: Set<Crate>
}

private final class Crate: NSManagedObject {}

@ManagedObject private final class Port: NSManagedObject {
    @Relationship(inverse: nil) var ships: Set<Lighthouse>
}

@ManagedObject private final class Lighthouse: NSManagedObject {
    var height: Int = 0
}

@ManagedObject(entity: "Lighthouse") private final class Beacon: NSManagedObject {
    var height: Int = 0
}

@ManagedObject private final class Fleet: NSManagedObject {
    @Relationship(inverse: "nothing") var harbour: Harbour?
    @Attribute(rules: ["SELF >"]) var name: String = ""
}

@ManagedObject(uniqueness: [["name", "rank"]], indexes: [["age"]]) private final class Harbour: NSManagedObject {
    var name: String = ""
}

@Suite("Classes that make no model") struct FaultyModelTests {
    private func faults(_ classes: NSManagedObject.Type...) -> [String] {
        do throws(ClassModelError) {
            _ = try NSManagedObjectModel(classes: classes)
            return []
        } catch {
            return error.faults.map { "\($0.className ?? "-").\($0.property ?? "-")" }
        }
    }

    @Test("a class without the macro, in the list and as a destination") func undeclared() {
        #expect(faults(Crate.self) == ["Crate.-"])
        #expect(faults(Ship.self) == ["Ship.cargo"])
    }

    @Test("a destination that is not in the list") func unknownDestination() {
        #expect(faults(Port.self) == ["Port.ships"])
        #expect(faults(Port.self, Lighthouse.self) == [])
    }

    @Test("two classes for one entity") func sameName() {
        #expect(faults(Beacon.self, Lighthouse.self).contains { $0.hasSuffix(".-") })
    }

    @Test("a configuration with a class that the model lacks") func configuration() {
        #expect(throws: ClassModelError.self) {
            _ = try NSManagedObjectModel(classes: [Lighthouse.self], configurations: ["A": [Port.self]])
        }
    }

    @Test("missing inverses, rules that cannot be read, unknown names: all at once") func all() throws {
        do {
            _ = try NSManagedObjectModel(classes: [Fleet.self, Harbour.self])
            Issue.record("the model has faults")
        } catch {
            let found = error.faults.map(\.description)
            #expect(found.contains { $0.hasPrefix("Fleet.harbour: its inverse 'Harbour.nothing'") }, "\(found)")
            #expect(found.contains { $0.hasPrefix("Fleet.name: its rule 'SELF >'") }, "\(found)")
            #expect(found.contains { $0.hasPrefix("Harbour: ") && $0.contains("'rank'") }, "\(found)")
            #expect(found.contains { $0.hasPrefix("Harbour: ") && $0.contains("'age'") }, "\(found)")
            #expect("\(error)".hasPrefix("The classes make no model:\n- Fleet"))
        }
    }
}
