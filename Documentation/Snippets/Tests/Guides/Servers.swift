// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the guide to servers.

import CoreDataModeling
import Foundation
import Testing

// snippet: service
struct TagService: Sendable {
    let container: NSPersistentContainer

    init(at url: URL) async throws {
        container = NSPersistentContainer(name: "Notebook", managedObjectModel: Notebook.model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        try await container.loadPersistentStores()
    }

    /// Finds the tag of a name, or makes it. Parallel requests for one name get one tag.
    func tag(named name: String) async throws -> URL {
        try await container.performBackgroundTask { context in
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            let request = Tag.fetchRequest()
            request.predicate = NSPredicate(format: "name == %@", name)
            request.fetchLimit = 1
            if let tag = try context.fetch(request).first { return tag.objectID.uriRepresentation() }
            let tag = Tag(context: context)
            tag.name = name
            try context.save()  // name is unique: if another request was faster, its record is the one that stays
            return tag.objectID.uriRepresentation()
        }
    }

    /// Closes the files. Requests that still run get their answer, or error 134070.
    func close() throws {
        let coordinator = container.persistentStoreCoordinator
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
}
// end

// snippet: status
/// The HTTP status of an error: 422 for values that the model refuses, 409 for a conflict, 503 for a busy store.
func status(of error: any Error) -> Int {
    guard let error = error as? CocoaError else { return 500 }
    switch error.code.rawValue {
    case 1550...1690: return 422
    case NSManagedObjectMergeError, NSManagedObjectConstraintMergeError: return 409
    case NSPersistentStoreTimeoutError: return 503
    default: return 500
    }
}

/// One sentence for each broken rule, by the name of the property.
func brokenRules(_ error: CocoaError) -> [String: String] {
    let details = error.userInfo[NSDetailedErrorsKey] as? [CocoaError] ?? [error]
    return Dictionary(details.map { ($0.validationKey ?? "", $0.localizedDescription) }) { first, _ in first }
}
// end

@Suite("Guide: servers") struct Servers {
    @Test("parallel requests for one name make one record") func findOrCreate() async throws {
        let folder = try EmptyFolder()
        let service = try await TagService(at: folder.url.appending(path: "Notebook.sqlite"))
        try await withThrowingTaskGroup(of: URL.self) { group in
            for number in 0..<40 { group.addTask { try await service.tag(named: "tag \(number % 4)") } }
            for try await _ in group {}
        }
        let names = try await service.container.performBackgroundTask { context in
            try context.fetch(Tag.fetchRequest()).map(\.name).sorted()
        }
        #expect(names == ["tag 0", "tag 1", "tag 2", "tag 3"])
        try service.close()
    }

    @Test("a broken rule is 422, with the property") func refused() async throws {
        let folder = try EmptyFolder()
        let service = try await TagService(at: folder.url.appending(path: "Notebook.sqlite"))
        let error = await #expect(throws: CocoaError.self) { _ = try await service.tag(named: "") }
        let refused = try #require(error)
        #expect(status(of: refused) == 422)
        #expect(brokenRules(refused).keys.sorted() == ["name"])
    }
}
