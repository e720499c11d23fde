// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the guide to custom stores: the variables of the environment as objects.

import CoreDataModeling
import Foundation
import Testing

// snippet: store
/// Shows the environment of the process, one object for each variable. It cannot be saved to.
final class EnvironmentStore: NSIncrementalStore {
    static let type = NSPersistentStore.StoreType(rawValue: "Environment")

    override func loadMetadata() throws {
        metadata = [NSStoreTypeKey: Self.type.rawValue, NSStoreUUIDKey: "environment"]
    }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        guard let fetch = request as? NSFetchRequest<any NSFetchRequestResult>, let entity = fetch.entity else {
            throw CocoaError(.persistentStoreUnsupportedRequestType)
        }
        let names = ProcessInfo.processInfo.environment.keys.sorted()
        let ids = names.map { newObjectID(for: entity, referenceObject: $0) }
        return try results(of: fetch, among: ids, with: context)  // predicate, order and window, in memory
    }

    override func newValuesForObject(with objectID: NSManagedObjectID, with context: NSManagedObjectContext) throws
        -> NSIncrementalStoreNode
    {
        let name = referenceObject(for: objectID) as? String ?? ""
        guard let value = ProcessInfo.processInfo.environment[name] else {
            throw CocoaError(.managedObjectReferentialIntegrity)
        }
        return NSIncrementalStoreNode(objectID: objectID, withValues: ["name": name, "value": value], version: 1)
    }
}

@ManagedObject final class Variable: NSManagedObject {
    var name: String = ""
    var value: String = ""
}
// end

@Suite("Guide: a custom store") struct CustomStore {
    @Test("the environment answers fetches") func fetch() async throws {
        // snippet: use
        NSPersistentStoreCoordinator.registerStoreClass(EnvironmentStore.self, type: EnvironmentStore.type)
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/environment"))
        description.type = EnvironmentStore.type.rawValue

        let model = try NSManagedObjectModel(classes: [Variable.self])
        let container = NSPersistentContainer(name: "Environment", managedObjectModel: model)
        container.persistentStoreDescriptions = [description]
        try await container.loadPersistentStores()
        let paths = try await container.performBackgroundTask { context in
            let request = Variable.fetchRequest()
            request.predicate = NSPredicate(format: "name == 'PATH'")
            return try context.fetch(request).map(\.value)
        }
        // end
        #expect(paths == [ProcessInfo.processInfo.environment["PATH"] ?? ""])
    }
}
