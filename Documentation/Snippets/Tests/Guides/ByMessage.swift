// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the page that begins with messages.

import CoreDataModeling
import Foundation
import Testing

@Suite("Page: by message") struct ByMessage {
    @Test("a task loads, and gets the first error") func load() async throws {
        let folder = try EmptyFolder()
        let container = NSPersistentContainer(name: "Notebook", managedObjectModel: Notebook.model)
        let url = folder.url.appending(path: "Notebook.sqlite")
        try Data("no database, whatever its length is, and it is long enough for a header of a file".utf8).write(
            to: url)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        var failure: CocoaError?
        // snippet: load
        do {
            try await container.loadPersistentStores()
        } catch let error as CocoaError {
            failure = error
        }
        // end
        #expect(failure?.code == .fileReadCorruptFile)
    }
}
