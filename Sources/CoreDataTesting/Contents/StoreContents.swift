// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes all objects of a store as text that does not depend on keys, for comparisons in tests.

public import CoreData
import Foundation

/// The objects of a store, or of a context, as text: equal texts mean equal contents, whatever the kind of the store.
///
/// ```swift
/// try StoreContents(of: container).verify(
///     """
///     Memo "Groceries"
///       isPinned: true
///       title: "Groceries"
///     """)
/// ```
///
/// An object begins with its entity and its name; its values follow by the names of the properties. Values that are nil
/// and empty relationships are left out. Members of ordered relationships are in brackets, in their order. Dates are
/// ISO 8601 in UTC. Data above 32 bytes is its size and a hash. Keys, identifiers of stores, versions of rows and
/// transient attributes are not in the text.
///
/// The name of an object is the value of its first unique constraint, else of an attribute such as `name` or `title`.
/// An object without a name, and one with the name of another, has a number. Numbers follow from the values and the
/// relationships of the objects, so they are equal in stores with equal contents.
///
/// - Complexity: reads all objects into memory. Made for the stores of tests: up to some thousand objects.
public struct StoreContents: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The lines of the text, without a line break at the end.
    public let text: String

    /// The same as `text`.
    public var description: String { text }

    /// Contents from a text, as a test expects them.
    public init(stringLiteral value: String) { text = value }

    /// Contents from a text, as a file contains them.
    public init(text: String) { self.text = text }

    /// Reads the saved objects of a container.
    ///
    /// ```swift
    /// let contents = try StoreContents(of: container, leavingOut: ["Memo.created"])
    /// ```
    ///
    /// - Parameters:
    ///   - container: its stores are open.
    ///   - entities: names of the entities to read, with their subentities; nil reads all.
    ///   - names: properties that are left out, such as times: "Memo.created" of an entity and its subentities, or
    ///     "created" of all entities.
    /// - Throws: the errors of fetches.
    public init(
        of container: NSPersistentContainer, entities: [String]? = nil, leavingOut names: Set<String> = []
    ) throws {
        try self.init(of: container.persistentStoreCoordinator, entities: entities, leavingOut: names)
    }

    /// Reads the saved objects of a coordinator's stores. The parameters are those of the form for containers.
    public init(
        of coordinator: NSPersistentStoreCoordinator, entities: [String]? = nil, leavingOut names: Set<String> = []
    ) throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        text = try context.performAndWait {
            try ContentsText(context, coordinator.managedObjectModel, entities, leavingOut: names).text
        }
    }

    /// Reads the objects of a context as its fetches find them, unsaved changes included.
    ///
    /// - Important: call it on the context's queue. The parameters are those of the form for containers.
    public init(
        of context: NSManagedObjectContext, entities: [String]? = nil, leavingOut names: Set<String> = []
    ) throws {
        let model = context.persistentStoreCoordinator?.managedObjectModel ?? NSManagedObjectModel()
        text = try ContentsText(context, model, entities, leavingOut: names).text
    }

    /// Compares the text with an expected one.
    ///
    /// - Throws: `ContentsDifference` with the lines that differ.
    public func verify(_ expected: StoreContents) throws {
        guard self != expected else { return }
        throw ContentsDifference(lines: difference(from: expected))
    }

    /// The lines that differ: "- " begins a line that only the other text has, "+ " one that only this text has. The
    /// heads of their objects are without a sign.
    ///
    /// ```swift
    /// for line in after.difference(from: before) { print(line) }
    /// ```
    ///
    /// - Returns: no lines for equal texts.
    public func difference(from other: StoreContents) -> [String] {
        ContentsLines(text).difference(from: ContentsLines(other.text))
    }
}

/// The contents of a store are not the expected ones.
public struct ContentsDifference: Error, Sendable, Hashable, CustomStringConvertible {
    /// The lines that differ, as `StoreContents.difference(from:)` gives them.
    public let lines: [String]

    /// A sentence and the lines.
    public var description: String {
        "The contents differ. Lines with '-' were expected, lines with '+' are in the store:\n"
            + lines.joined(separator: "\n")
    }
}
