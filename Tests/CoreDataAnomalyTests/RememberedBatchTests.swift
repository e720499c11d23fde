// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The end of a store that remembers a batch request whose commit is unknown.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

extension PassingFailures {
    /// Proves: Stores-K21
    @Suite("A store that remembers a batch request with an unknown end") struct RememberedBatchTests {
        @Test("ends with its coordinator") func end() throws {
            JournalSync.install()
            weak var store: NSPersistentStore?
            do {
                let stack = try Stack(
                    .sqlite, PhotoModel.make(),
                    options: [NSSQLitePragmasOption: ["journal_mode": "TRUNCATE", "synchronous": "FULL"]])
                JournalSync.watch(for: stack.url.path + "-journal")
                let request = NSBatchInsertRequest(entityName: "Photo", objects: [["name": "one"]])
                let (error, count) = JournalSync.failing(isLasting: true) {
                    failure { _ = try stack.context.execute(request) }
                }
                #expect(count == 1)
                #expect(error != nil)
                store = stack.coordinator.persistentStores.first
                #expect(store != nil)
            }
            #expect(store == nil)
        }
    }
}
