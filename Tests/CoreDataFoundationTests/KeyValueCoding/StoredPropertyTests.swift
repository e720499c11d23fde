// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Objects of classes without key-value coding, read by the names of their stored properties.

import Foundation
import Testing

@testable import CoreDataFoundation

private class Animal: NSObject {
    let name: String
    var legs: Int?
    init(_ name: String, legs: Int? = nil) {
        self.name = name
        self.legs = legs
    }
}

private final class Dog: Animal {
    weak var owner: Animal?
    var friends: [Animal] = []
    lazy var rank = 7
    var isOld: Bool { true }
}

@Suite("Objects without key-value coding") struct StoredPropertyTests {
    private let dogs: [Dog] = {
        let rex = Dog("Rex", legs: 4)
        let ada = Dog("Ada", legs: 3)
        let tom = Dog("Tom")
        rex.friends = [ada, tom]
        rex.owner = ada
        rex.rank = 1
        return [rex, ada, tom]
    }()

    private func names(_ format: String) -> [String] {
        let predicate = NSPredicate(format: format)
        return dogs.filter { predicate.evaluate(with: $0) }.map(\.name)
    }

    @Test("are read by predicates through stored properties, inherited and optional ones too")
    func predicates() {
        #expect(names("name BEGINSWITH 'R'") == ["Rex"])
        #expect(names("legs == nil") == ["Tom"])
        #expect(names("legs < 4") == ["Ada"])
        #expect(names("rank == 1") == ["Rex"])
        #expect(names("SELF.name == 'Ada' AND legs != nil") == ["Ada"])
    }

    @Test("are followed along key paths, over collections and through operators")
    func keyPaths() throws {
        #expect(names("owner.name == 'Ada'") == ["Rex"])
        #expect(names("ANY friends.legs == 3") == ["Rex"])
        #expect(names("friends.@count == 2") == ["Rex"])
        #expect(try value(atKeyPath: "friends.name", of: dogs[0]) as? [String] == ["Ada", "Tom"])
        #expect(NSArray(array: dogs).value(forKeyPath: "@sum.legs") as? NSNumber == 7)
    }

    @Test("are sorted by key, those without a value first")
    func sorting() {
        let byLegs = NSSortDescriptor(key: "legs", ascending: true)
        #expect((NSArray(array: dogs).sortedArray(using: [byLegs]) as? [Dog])?.map(\.name) == ["Tom", "Ada", "Rex"])
        #expect(NSArray(array: dogs).filtered(using: NSPredicate(format: "legs > 3")).count == 1)
    }

    @Test("a computed property is no stored one, and the message names the protocol that gives it")
    func computed() {
        let error = #expect(throws: KeyValueError.self) { try value(atKeyPath: "isOld", of: dogs[0]) }
        let text = error?.description ?? ""
        #expect(text.contains("'isOld'") && text.contains("Dog") && text.contains("KeyValueCoding"), "\(text)")
    }
}
