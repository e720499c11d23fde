// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the names of the records of incremental stores, and the form of their URIs.

import Foundation
import Testing

@testable import CoreData

@Suite("References of records") struct ReferenceTests {
    static let values: [ReferenceValue] = [
        .integer(17), .integer(-3), .integer(0), .integer(.max), .integer(.min), .string("17"), .string("007"),
        .string("a/b"), .string("~"), .string("~17"), .string(""), .string("50 % of ü\u{0}\n?#"), .string("p1"),
        .uuid(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!),
        .string("E621E1F8-C36C-495A-93FC-0C247A3E6E5F"), .string("e621e1f8-c36c-495a-93fc-0c247a3e6e5f"),
    ]

    @Test("the text of a reference has no slash, and gives the reference back; no two references have one text")
    func texts() {
        let texts = Self.values.map(\.text)
        #expect(Set(texts).count == Self.values.count)
        #expect(!texts.contains { $0.contains("/") })
        #expect(texts.map { ReferenceValue(text: $0[...]) } == Self.values)
    }

    @Test("plain references read in a URI as they are")
    func plain() {
        #expect(ReferenceValue.integer(17).text == "17")
        #expect(ReferenceValue.string("dune-1").text == "dune-1")
        #expect(ReferenceValue.string("17").text == "~17")
        #expect(ReferenceValue.string("a/b").text == "a%2Fb")
    }

    @Test("only a string, a whole number or a UUID is a reference")
    func others() {
        #expect(ReferenceValue(1.5) == nil)
        #expect(ReferenceValue(Data()) == nil)
        #expect(ReferenceValue(Date()) == nil)
        #expect(ReferenceValue(7 as Int16) == .integer(7))
        #expect(ReferenceValue(NSNumber(value: 7)) == .integer(7))
        #expect(ReferenceValue("seven" as NSString) == .string("seven"))
    }

    @Test("an id's URI leads back to the id, and the id to the reference")
    func roundTrip() throws {
        let shop = try ShelfShop()
        let book = shop.coordinator.managedObjectModel.entitiesByName["Book"]!
        for value in Self.values {
            let id = shop.store.newObjectID(for: book, referenceObject: value.object)
            let uri = id.uriRepresentation()
            #expect(shop.coordinator.managedObjectID(forURIRepresentation: uri) == id, "\(uri)")
            #expect(id.reference == value)
            #expect(!id.isTemporaryID)
        }
        let id = shop.store.newObjectID(for: book, referenceObject: "a/b")
        #expect(id.uriRepresentation().absoluteString == "x-coredata://\(shop.store.identifier!)/Book/pa%2Fb")
        #expect(shop.store.referenceObject(for: id) as? String == "a/b")
    }

    @Test("a URI that names no entity, no store or no reference gives nil")
    func wrongURIs() throws {
        let shop = try ShelfShop()
        let start = "x-coredata://\(shop.store.identifier!)"
        for text in [
            "\(start)/Novel/p1", "\(start)/Book/t1", "\(start)/Book", "\(start)/Book/p1/2", "x-coredata://none/Book/p1",
        ] {
            #expect(shop.coordinator.managedObjectID(forURIRepresentation: URL(string: text)!) == nil, "\(text)")
        }
    }

    @Test("references that none can be stop the program, with a sentence")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            let shop = try ShelfShop()
            _ = shop.store.newObjectID(
                for: shop.coordinator.managedObjectModel.entitiesByName["Book"]!, referenceObject: 1.5)
        }
    }
}
