// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which object a reference of an unsaved object finds.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("References of unsaved objects") struct ReferenceLookupTests {
    @Test("both lookups, with and without making a fault, find the same object", arguments: StoreKind.all)
    func registered(kind: StoreKind) throws {
        let stack = try Stack(kind, BookshopModel.make())
        let author = Author(context: stack.context)
        author.name = "Ada"
        try stack.context.save()
        let book = Book(context: stack.context)
        let reference = Reference(entityIndex: author.table.layout.index, key: author.key)
        #expect(book.table.home == nil)
        #expect(stack.context.object(at: reference, from: book) === author)
        #expect(stack.context.registeredObject(at: reference, from: book) === author)
    }
}
