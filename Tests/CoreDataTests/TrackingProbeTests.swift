// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// White box: untracked reads leave no observers.

import CRuntime
import CoreDataTestSupport
import Foundation
import Observation
import Synchronization
import Testing

@testable import CoreData

@Suite("Noticing tracking scopes", .serialized) struct TrackingProbeTests {
    @Test("a probe distinguishes the inside of a scope from the outside")
    func scopes() {
        let probe = TrackingProbe()
        #expect(!probe.isInScope())
        let inside = withObservationTracking {
            (probe.isInScope(), probe.isInScope(), TrackingProbe(after: probe).isInScope())
        } onChange: {
        }
        #expect(inside == (true, true, true))
        #expect(!probe.isInScope())
    }

    @Test("an untracked object has no observers, however often it is read")
    func noCost() throws {
        let shop = try Bookshop(in: .inMemory)
        let (book, other) = (shop.book("Dune"), shop.book("Emma"))
        _ = (book.title, book.value(forKey: "pages"), book.tags)
        #expect(book.objectExtension?.observers == nil)
        withObservationTracking {
            _ = book.title
        } onChange: {
        }
        #expect(book.objectExtension?.observers != nil)
        #expect(book.flags.contains(.observed))
        _ = other.title
        #expect(other.objectExtension?.observers == nil)
    }

    @Test("a program that imports nothing but models of Observation is known") func imports() {
        let registrar = "$s11Observation0A9Registrar"
        #expect(ocd_may_track_reads())
        #if !OCD_PORTABLE
            // No image of this process imports such a symbol.
            #expect(!imports("$s11Nonexistent", except: []))
        #endif
        #expect(imports("$s11Observation", except: []))
        #expect(imports("$s11Observation", except: [registrar]))
    }

    private func imports(_ prefix: String, except exceptions: [String]) -> Bool {
        let copies = exceptions.compactMap { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return ocd_imports(prefix, copies.map { UnsafePointer($0) }, copies.count)
    }

    @Test("objects that a scope keeps for its handler end with the objects that were read in it")
    func end() throws {
        let shop = try Bookshop(in: .inMemory)
        weak var kept: Handler?
        do {
            let (dune, emma) = (shop.book("Dune"), shop.book("Emma"))
            let handler = Handler()
            withObservationTracking {
                _ = (dune.title, emma.pages, dune.title)
            } onChange: {
                handler.call()
            }
            kept = handler
        }
        #expect(kept != nil)
        shop.context.reset()
        #expect(kept == nil)
        _ = shop.book("Orlando").title
    }

    @Test("a recorder on one thread leaves the reads of others to their tracking scopes")
    func recorders() throws {
        let shop = try Bookshop(in: .inMemory)
        let book = shop.book("Dune")
        let log = ValueLog<Void>()
        ocd_count_recorders(1)
        defer { ocd_count_recorders(-1) }
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
        #expect(book.objectExtension?.observers != nil)
        shop.context.reset()
        #expect(book.objectExtension?.observers == nil)
        #expect(!book.flags.contains(.observed))
        token.invalidate()
    }
}

private final class Handler: Sendable {
    func call() {}
}
