// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store that is filled once, and copied for each test.

public import CoreData
public import Foundation
import Synchronization

/// A store with data that tests start from: filled once, then copied for each test.
///
/// ```swift
/// static let shop = StoreTemplate(ShopModel.model) { context in
///     var fixture = Fixture(in: context, seed: 1)
///     try fixture.populate(["Customer": 1_000])
/// }
///
/// @Test func ordersAreListed() throws {
///     let container = try Self.shop.makeContainer()
///     …
/// }
/// ```
///
/// The template is a closed SQLite file in a temporary folder, without a log. A copy shares its blocks on file systems
/// that can (Btrfs, XFS); others copy them in the kernel. Copies never change the template. Its folder is removed when
/// the template is released, and stays when the program ends with it: static templates leave it to the system's
/// cleaning of temporary files.
///
/// All copies have the identifier of the template's store, so object ids are equal among them.
public final class StoreTemplate: Sendable {
    private let model: NSManagedObjectModel
    private let options: Handed<[String: NSObject]>
    private let seed: @Sendable (NSManagedObjectContext) throws -> Void
    /// The folder with the files, once it is made.
    private let folder = Mutex<URL?>(nil)

    /// Describes a template. Nothing is made before the first copy.
    ///
    /// - Parameters:
    ///   - model: the model of the stores.
    ///   - options: options of the template's store and its copies.
    ///   - seed: inserts the objects; called once, on the queue of a context, which is saved afterwards.
    public init(
        _ model: NSManagedObjectModel, options: [String: NSObject] = [:],
        _ seed: @escaping @Sendable (NSManagedObjectContext) throws -> Void
    ) {
        self.model = model
        self.options = Handed(options)
        self.seed = seed
    }

    deinit {
        if let folder = folder.withLock({ $0 }) { try? FileManager.default.removeItem(at: folder) }
    }

    /// A container with a copy of the template's store.
    ///
    /// - Throws: the errors of the seed and its save, of opening the store, and of the file system. After an error the
    ///   next call makes the template again.
    /// - Important: may be called by parallel tests; the first call fills the template, and others wait for it.
    /// - Complexity: the first call fills the store. Others copy its files and open them.
    public func makeContainer() throws -> TestContainer {
        let template = try filled()
        let place = try OwnPlace(.file)
        guard let folder = place.folder else { throw TestingError.unusablePlace("There is no temporary folder.") }
        do {
            try FileClone.copyFolder(template, to: folder)
            return try TestContainer(model, place, options.value)
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    /// The folder of the filled template.
    private func filled() throws -> URL {
        try folder.withLock { folder in
            if let folder { return folder }
            let place = try OwnPlace(.file)
            guard let new = place.folder else { throw TestingError.unusablePlace("There is no temporary folder.") }
            do {
                try fill(place)
            } catch {
                try? FileManager.default.removeItem(at: new)
                throw error
            }
            folder = new
            return new
        }
    }

    /// Closing the only connection to a database empties its log.
    private func fill(_ place: OwnPlace) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: place.type, configurationName: nil, at: place.url, options: options.value)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let result = Result {
            try context.performAndWait {
                try seed(context)
                if context.hasChanges { try context.save() }
                context.reset()
            }
        }
        try coordinator.remove(store)
        try result.get()
    }
}

/// Passes a value that is not changed after its making.
struct Handed<Value>: @unchecked Sendable {  // `value` is a constant
    let value: Value

    init(_ value: Value) { self.value = value }
}
