// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Inspects the finished store: metadata without a model, counts, and groups with aggregates.

import CoreData
import Foundation

/// Prints the contents of a store, and the commands that look further into it.
struct Inspection {
    let library: PackageLibrary
    let store: URL

    func run() async throws {
        try metadata()
        try await library.container.performBackgroundTask { context in
            try Self.counts(context)
            try Self.groups(context)
        }
        Report.line("store: \(store.path)")
        Report.line("look into it: swift run coredata-tool describe \(store.relativePath)")
    }

    /// A store says which model wrote it before anything is opened.
    private func metadata() throws {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: store, options: nil)
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        for (entity, hash) in hashes.sorted(by: { $0.key < $1.key }) {
            Report.line("version of \(entity): \(hash.prefix(8).map { String(format: "%02x", $0) }.joined())…")
        }
    }

    private static func counts(_ context: NSManagedObjectContext) throws {
        let entities = context.persistentStoreCoordinator?.managedObjectModel.entitiesByName.keys.sorted() ?? []
        for name in entities {
            let count = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: name))
            Report.line("\(name): \(count) objects")
        }
    }

    /// One statement that groups in the store: dictionaries in place of objects.
    private static func groups(_ context: NSManagedObjectContext) throws {
        let size = NSExpressionDescription()
        size.name = "size"
        size.expression = NSExpression(
            forFunction: "sum:", arguments: [NSExpression(forKeyPath: "installedSize")])
        size.expressionResultType = .integer64AttributeType
        let request = NSFetchRequest<NSDictionary>(entityName: "Package")
        request.resultType = .dictionaryResultType
        request.propertiesToGroupBy = ["architecture"]
        request.propertiesToFetch = ["architecture", size]
        request.sortDescriptors = [NSSortDescriptor(key: "architecture", ascending: true)]
        for group in try context.fetch(request) {
            let name = group["architecture"] as? String ?? "unknown"
            let kilobytes = group["size"] as? Int64 ?? 0
            Report.line("installed for \(name): \(kilobytes / 1024) MB")
        }
    }
}
