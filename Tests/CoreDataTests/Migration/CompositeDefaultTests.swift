// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests the default values of the elements of composite attributes: in new objects, and in rows that a migration fills.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("Defaults of composite attributes") struct CompositeDefaultTests {
    /// - Parameter hasAddress: nil leaves the attribute out.
    private func model(hasAddress isMandatory: Bool?, withCountry: Bool = false) -> NSManagedObjectModel {
        version { model in
            model.entity("Person") { person in
                person.attribute("name", .stringAttributeType)
                guard let isMandatory else { return }
                let address = person.composite(
                    "address", ["city": .stringAttributeType, "zip": .integer32AttributeType])
                address.isOptional = !isMandatory
                address.elements[0].defaultValue = "Bern"
                let place = NSEntityDescription("Place").composite("place", ["floor": .integer16AttributeType])
                place.elements[0].defaultValue = 2
                address.elements.append(place)
                if withCountry {
                    let land = NSEntityDescription("Land").composite("land", ["country": .stringAttributeType])
                    land.elements[0].defaultValue = "CH"
                    address.elements.append(land)
                }
            }
        }
    }

    private func value(_ context: NSManagedObjectContext, _ name: String, _ path: String) throws -> String? {
        let person = try #require(try context.all("Person").first { $0.value(forKey: "name") as? String == name })
        return person.value(forKeyPath: path).map { "\($0)" }
    }

    /// Proves: M3
    @Test("a new object has those of the elements")
    func newObject() throws {
        let store = try MigratingStore()
        let context = try store.open(model(hasAddress: true), options: nil)
        context.make("Person", ["name": "Ann"])
        try context.save()
        #expect(try value(context, "Ann", "address.city") == "Bern")
        #expect(try value(context, "Ann", "address.place.floor") == "2")
        #expect(try value(context, "Ann", "address.zip") == nil)
    }

    /// Proves: G19
    @Test(
        "a migration fills the rows of a version without the attribute", arguments: [StoreKind.sqlite, .xml, .binary])
    func added(kind: StoreKind) throws {
        let old = model(hasAddress: nil)
        let store = try MigratingStore(old, in: kind) { $0.make("Person", ["name": "Ann"]) }
        let options = MigratingStore.migrating.merging([MigrationOption.versions: [old]]) { $1 }
        let context = try store.open(model(hasAddress: true), options: options)
        #expect(try value(context, "Ann", "address.city") == "Bern")
        #expect(try value(context, "Ann", "address.place.floor") == "2")
        #expect(try value(context, "Ann", "address.zip") == nil)
        try context.all("Person").first?.setValue("Anna", forKey: "name")
        try context.save()
    }

    /// Proves: G19, G21
    @Test("a mandatory one keeps the values of rows that have any, and fills the others and its new members")
    func mandatory() throws {
        let store = try MigratingStore(model(hasAddress: false)) { context in
            context.make("Person", ["name": "Ann", "address": ["zip": 7] as [String: Any]])
            context.make("Person", ["name": "Bob"]).setValue(nil, forKey: "address")
        }
        let context = try store.open(model(hasAddress: true, withCountry: true))
        #expect(try value(context, "Ann", "address.city") == nil)
        #expect(try value(context, "Ann", "address.zip") == "7")
        #expect(try value(context, "Ann", "address.land.country") == "CH")
        #expect(try value(context, "Bob", "address.city") == "Bern")
        #expect(try value(context, "Bob", "address.land.country") == "CH")
    }

    /// Proves: M3
    @Test("a mandatory one without a value in any element is saved, fetched and saved again")
    func empty() throws {
        let model = model(hasAddress: true)
        let store = try MigratingStore(model) { context in
            context.make("Person", ["name": "Ann", "address": [String: Any]()])
        }
        let context = try store.open(model, options: nil)
        let person = try #require(try context.all("Person").first)
        #expect((person.value(forKey: "address") as? [String: Any])?.isEmpty == true)
        person.setValue("Anna", forKey: "name")
        try context.save()
    }
}
