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
            Tag(context: context).name = name
            try context.save()
            // Name is unique: if another request was faster, its record stays, and the object above is gone.
            guard let tag = try context.fetch(request).first else {
                throw CocoaError(.managedObjectReferentialIntegrity)
            }
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

// snippet: writer
/// Changes go through one context: its queue orders them, so requests of this process never conflict.
struct Writer: Sendable {
    private let context: NSManagedObjectContext

    init(_ container: NSPersistentContainer) {
        context = container.newBackgroundContext()
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump  // for the saves of other processes
    }

    /// Runs a block, and saves what it changed. The result must be a value, and no object.
    func change<Value: Sendable>(
        _ block: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        try await context.perform { [context] in
            defer { context.reset() }  // lets go of the objects, and of changes that were refused
            let value = try block(context)
            try context.save()
            return value
        }
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
        let found = try await withThrowingTaskGroup(of: (String, URL).self) { group in
            for number in 0..<40 {
                let name = "tag \(number % 4)"
                group.addTask { (name, try await service.tag(named: name)) }
            }
            return try await group.reduce(into: [String: Set<URL>]()) { $0[$1.0, default: []].insert($1.1) }
        }
        #expect(found.values.map(\.count) == [1, 1, 1, 1])  // each request for a name has the same link
        let links = found.mapValues { $0.first }
        let names = try await service.container.performBackgroundTask { context in
            try links.values.compactMap { $0 }.map { link in
                let id = context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: link)
                return try id.map { try context.existingObject(with: $0) as? Tag }??.name
            }
        }
        #expect(names.compactMap { $0 }.sorted() == ["tag 0", "tag 1", "tag 2", "tag 3"])
        let count = try await service.container.performBackgroundTask { try $0.count(for: Tag.fetchRequest()) }
        #expect(count == 4)
        try service.close()
    }

    @Test("many requests add members to one object") func oneWriter() async throws {
        let folder = try EmptyFolder()
        let container = try await Notebook(at: folder.url.appending(path: "Notebook.sqlite")).container
        let writer = Writer(container)
        let id = try await writer.change { context in
            let home = Folder(context: context)
            home.name = "Home"
            try context.obtainPermanentIDs(for: [home])
            return home.objectID
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    // snippet: change
                    try await writer.change { context in
                        let note = Memo(context: context)
                        note.title = "Memo \(number)"
                        note.folder = try context.existingObject(with: id) as? Folder
                    }
                    // end
                }
            }
            try await group.waitForAll()
        }
        let count = try await container.performBackgroundTask { context in
            (try context.existingObject(with: id) as? Folder)?.notes.count
        }
        #expect(count == 200)
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
