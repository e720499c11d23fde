// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The memory of the keys of released objects.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("Identity maps") struct IdentityMapTests {
    @Test("the memory of objects that are gone is given back, but for two pages") func pages() throws {
        let stack = try Stack(.sqlite, PhotoModel.make())
        var (unsaved, saved): (IdentityMap?, IdentityMap?) = (nil, nil)
        for _ in 0..<4 {
            let photos = (0..<600).map { _ in
                NSEntityDescription.insertNewObject(forEntityName: "Photo", into: stack.context)
            }
            unsaved = photos[0].table.identityMap
            #expect(unsaved?.pageCount ?? 0 >= 3)
            try stack.context.save()
            saved = photos[0].table.identityMap
            #expect(saved?.pageCount ?? 0 >= 3)
            for photo in photos { stack.context.delete(photo) }
            try stack.context.save()
            stack.context.reset()
        }
        #expect(try #require(unsaved).pageCount <= 2)
        #expect(try #require(saved).pageCount <= 2)
        let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: stack.context)
        try stack.context.save()
        #expect(try stack.context.existingObject(with: photo.objectID) === photo)
    }
}
