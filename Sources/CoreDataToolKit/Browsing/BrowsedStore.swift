// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store for display and editing: the public face of this module for programs that show stores.

public import CoreData
import CoreDataModelFiles
import Foundation

/// A store opened with the model it keeps, or with a given one.
///
/// ```swift
/// let store = try BrowsedStore(path: "Shop.sqlite", isWritable: true)
/// let books = try await store.context.perform { try store.context.fetch(NSFetchRequest(entityName: "Book")) }
/// ```
/// A store for reading changes no file, not even those next to it. A store for writing obeys the rules of its model:
/// validation, delete rules and unique values. The program needs none of the model's classes: all objects are plain
/// ones. The values of transformable attributes are their bytes. May be used on any thread.
public final class BrowsedStore: Sendable {
    let opened: OpenedStore
    /// Whether the store was opened for writing.
    public let isWritable: Bool
    /// The model file that the store was opened with; nil for the model that the store keeps.
    public let modelURL: URL?
    /// The corrections of the inferred model of a store that keeps none.
    let inference: ModelInference

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - model: the path of an `.xcdatamodeld`, `.momd` or similar, instead of the model in the store.
    ///   - modelVersion: the version of that model; nil for its current one.
    ///   - overlay: the path of a file that corrects the inferred model of a store that keeps none; nil for none.
    ///   - observer: receives the operations of the store; nil for none.
    /// - Throws: `BrowsingError` for a file that is missing, damaged, or not a store, and for another model.
    public init(
        path: String, model: String? = nil, modelVersion: String? = nil, overlay: String? = nil,
        isWritable: Bool = false, observer: (any StoreObserver)? = nil
    ) throws(BrowsingError) {
        self.isWritable = isWritable
        modelURL = model.map { URL(fileURLWithPath: $0) }
        inference = ModelInference(overlay: overlay.map { URL(fileURLWithPath: $0) })
        do {
            opened = try OpenedStore(
                URL(fileURLWithPath: path), model: modelURL, version: modelVersion, isWritable: isWritable,
                isEditable: isWritable, inference: inference, observer: observer)
        } catch {
            throw BrowsingError(error)
        }
    }

    /// The location of the store's file.
    public var url: URL { opened.url }

    /// The type, for example `NSSQLiteStoreType`.
    public var type: String { opened.type }

    /// The context of all objects. It has a private queue: use it in `perform`.
    public var context: NSManagedObjectContext { opened.context }

    /// The model that the store was opened with. It lacks transient properties and the names of classes.
    public var model: NSManagedObjectModel { opened.model }

    /// Facts about the file, such as its identifier and the origin of its model, as titles and values.
    public var facts: [(title: String, value: String)] {
        var facts = [("File", url.path), ("Type", type)]
        if let uuid = opened.file.uuid { facts.append(("Identifier", uuid)) }
        if let version = opened.file.frameworkVersion { facts.append(("Framework version", "\(version)")) }
        facts.append(("Model", opened.origin.rawValue))
        let identifiers = opened.file.versionIdentifiers
        if !identifiers.isEmpty { facts.append(("Version identifiers", identifiers.joined(separator: ", "))) }
        return facts
    }

    /// The entities of the store as their model describes them, by name.
    public var outlines: [EntityOutline] {
        ModelSummary.entities(of: opened.document, hashes: opened.file.hashes)
            .filter { opened.model.entitiesByName[$0.name] != nil }.map(EntityOutline.init)
    }

    /// Whether the attribute is transformable in the model, so that its value is read as bytes.
    public static func isTransformable(_ attribute: NSAttributeDescription) -> Bool {
        WorkingModel.isTransformable(attribute)
    }

    /// The text attribute by which people know the objects of an entity: a name, a title or a label, else the first
    /// unique text, else the first required text.
    ///
    /// - Returns: nil for an entity without such a text: its objects are known by their numbers.
    public static func namingAttribute(of entity: NSEntityDescription) -> String? {
        WorkingModel.namingAttribute(of: entity)
    }

    /// The id of an object by its short name, such as "Car/3", or its URI.
    ///
    /// - Returns: nil for malformed text, an unknown entity, and the URI of another store. The object need not exist.
    public func objectID(_ text: String) -> NSManagedObjectID? {
        let name = text.hasPrefix("x-coredata://") ? nil : text.split(separator: "/").first.map(String.init)
        if let name {
            guard let entity = opened.model.entitiesByName[name] else { return nil }
            return (try? opened.objectID(text, of: entity)) ?? nil
        }
        guard let url = URL(string: text) else { return nil }
        return opened.context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: url)
    }
}

/// A failure with a sentence for the user.
public struct BrowsingError: Error, Sendable, CustomStringConvertible {
    /// The sentence.
    public let description: String

    init(_ error: any Error) { description = ToolError.text(of: error) }

    /// The sentence for any error of the framework or of this module, without the name of its type.
    public static func text(of error: any Error) -> String {
        (error as? BrowsingError)?.description ?? ToolError.text(of: error)
    }
}
