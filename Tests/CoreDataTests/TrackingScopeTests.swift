// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// White box: reads cost nothing where nobody tracks, and are tracked even where a cheap check is impossible.

import CRuntime
import CoreDataTestSupport
import Observation
import Testing

@testable import CoreData

@Suite("Noticing tracking scopes", .serialized) struct TrackingScopeTests {
    @Test("inside of a scope reads may be tracked, outside they are not")
    func scopes() throws {
        try #require(TrackingScope.isWordKnown)
        #expect(!TrackingScope.mayBeActive)
        let inside = withObservationTracking {
            TrackingScope.mayBeActive
        } onChange: {
        }
        #expect(inside)
        #expect(!TrackingScope.mayBeActive)
    }

    @Test("an object that nobody tracks has no observers, however often it is read")
    func noCost() throws {
        try #require(TrackingScope.isWordKnown)
        let shop = try Bookshop(in: .inMemory)
        let book = shop.book("Dune")
        _ = (book.title, book.value(forKey: "pages"), book.tags)
        #expect(book.rare?.observers == nil)
        withObservationTracking {
            _ = book.title
        } onChange: {
        }
        #expect(book.rare?.observers != nil)
        #expect(book.flags.contains(.observed))
    }

    @Test("without the word every read is offered to the registrar")
    func unknownWord() throws {
        try #require(TrackingScope.isWordKnown)
        let word = ocd_get_tracking_word()
        ocd_set_tracking_word(0)
        defer { ocd_set_tracking_word(word) }
        let shop = try Bookshop(in: .inMemory)
        let book = shop.book("Dune")
        let log = ValueLog<Void>()
        _ = book.title
        #expect(book.rare?.observers != nil)
        withObservationTracking {
            _ = book.title
        } onChange: {
            log.add(())
        }
        book.title = "Emma"
        #expect(log.count == 1)
    }

    @Test("an object takes its observers along into a fault, and leaves them at a reset")
    func keeping() throws {
        let shop = try Bookshop(in: .inMemory)
        let book = shop.book("Dune")
        try shop.context.save()
        let token = book.observe(\.title) { _, _ in }
        shop.context.refresh(book, mergeChanges: false)
        #expect(book.isFault)
        #expect(book.rare?.observers != nil)
        shop.context.reset()
        #expect(book.rare?.observers == nil)
        #expect(!book.flags.contains(.observed))
        token.invalidate()
    }
}
