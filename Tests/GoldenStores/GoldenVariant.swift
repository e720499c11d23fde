// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The kinds and options of golden stores, and their writing.

public import CoreData
import Foundation

/// A kind of store with options. A new option that changes files is a new variant here.
public enum GoldenVariant: String, CaseIterable, Sendable {
    case plain, history, fullText, values, rollback, log, external, migrated, xml, binary

    public var type: String {
        switch self {
        case .xml: NSXMLStoreType
        case .binary: NSBinaryStoreType
        default: NSSQLiteStoreType
        }
    }

    public var fileName: String { rawValue + (type == NSSQLiteStoreType ? ".sqlite" : ".store") }

    public var isSQLite: Bool { type == NSSQLiteStoreType }

    /// The options that the store is written and opened with.
    public var options: [AnyHashable: Any] {
        var pragmas: [String: String] = [:]
        // Small files; the plain one has the size that stores have unless set.
        if isSQLite, self != .plain { pragmas["page_size"] = "1024" }
        if self == .rollback { pragmas["journal_mode"] = "DELETE" }
        var options: [AnyHashable: Any] = pragmas.isEmpty ? [:] : [NSSQLitePragmasOption: pragmas]
        if self == .history { options[NSPersistentHistoryTrackingKey] = true }
        // NSFullTextIndexOption, which early commits do not have.
        if self == .fullText { options["OpenCoreDataFullTextIndex"] = true }
        // NSValueIndexOption, likewise.
        if self == .values { options["OpenCoreDataValueIndex"] = true }
        return options
    }

    /// Whether the store has the second version of the model.
    public var isMigrated: Bool { self == .migrated }

    public var model: NSManagedObjectModel {
        let model = isMigrated ? GoldenModel.second() : GoldenModel.first()
        // A user info is no part of the version hash.
        let words = model.entitiesByName["Book"]?.attributesByName["words"]
        if self == .values { words?.userInfo = ["indexedPaths": "first"] }
        return model
    }

    /// Writes the store into a folder, and closes it.
    public func write(in folder: URL) throws {
        let url = folder.appendingPathComponent(fileName)
        // The copy of an open store has a log.
        let place =
            self == .log
            ? FileManager.default.temporaryDirectory.appendingPathComponent("golden-\(UUID().uuidString)") : nil
        if let place { try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true) }
        defer { if let place { try? FileManager.default.removeItem(at: place) } }
        let written = place?.appendingPathComponent(fileName) ?? url
        try Self.open(written, type, options, isMigrated ? GoldenModel.first() : model) { context in
            try GoldenPopulation.fill(context, hasLargeData: self == .external)
            guard place != nil else { return }
            for ending in ["", "-wal"] {
                try FileManager.default.copyItem(
                    at: URL(fileURLWithPath: written.path + ending), to: URL(fileURLWithPath: url.path + ending))
            }
        }
        if isMigrated { try Self.open(url, type, Self.migrating(options), model) { _ in } }
    }

    public static func migrating(_ options: [AnyHashable: Any]) -> [AnyHashable: Any] {
        options.merging([
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]) { $1 }
    }

    /// Opens a store, calls the body on the queue of a context, and closes the store.
    public static func open<T>(
        _ url: URL, _ type: String, _ options: [AnyHashable: Any], _ model: NSManagedObjectModel,
        _ body: (NSManagedObjectContext) throws -> T
    ) throws -> T {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let result = try context.performAndWait { () throws -> T in
            defer { context.reset() }
            return try body(context)
        }
        try coordinator.remove(store)
        return result
    }
}
