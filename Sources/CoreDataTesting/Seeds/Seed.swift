// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Objects for tests as values: by name, with references to one another.

public import CoreData
import CoreDataExchange
import Foundation

/// Objects by name, with their values and references.
///
/// ```swift
/// let seed: Seed = [
///     "Author/herbert": ["name": "Frank Herbert"],
///     "Book/dune": ["title": "Dune", "pages": 412, "author": "Author/herbert"],
/// ]
/// let objects = try seed.insert(into: context)
/// let dune = objects["Book/dune"]
/// ```
///
/// A name is the entity, a slash, and any text. The values of relationships are names of objects of the seed: one, or a
/// list of them. Values of attributes are Swift values of their types, or the values of JSON: dates may be
/// `"2024-05-01T12:30:00Z"`, UUIDs texts, data `["base64": "…"]`.
///
/// A file of JSON Lines has the same objects, one in a line, in the form that `coredata-tool export` writes. The names
/// in an export are keys:
///
/// ```json
/// {"objectID": "Book/dune", "title": "Dune", "author": "Author/herbert"}
/// ```
public struct Seed: Sendable, ExpressibleByDictionaryLiteral {
    /// The values of an object by the names of its properties.
    public typealias Values = [String: any Sendable]

    private struct Record: Sendable {
        let id: String
        let values: Handed<[String: Any]>
        /// "books.jsonl:3", or nil for an object of a literal.
        let place: String?
    }

    private var records: [Record]
    /// The folder of data files.
    private let folder: URL

    /// The names of the objects, in their order.
    public var names: [String] { records.map(\.id) }

    /// Describes objects in their order.
    public init(dictionaryLiteral elements: (String, Values)...) {
        records = elements.map { id, values in
            Record(id: id, values: Handed(values.mapValues { $0 as Any }), place: nil)
        }
        folder = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
    }

    /// Reads a file of JSON Lines, or of CSV, as `coredata-tool export` writes it. Names need not be keys.
    ///
    /// ```swift
    /// let seed = try Seed(contentsOf: Bundle.module.url(forResource: "Books", withExtension: "jsonl")!)
    /// ```
    ///
    /// - Throws: `SeedError` with file and line.
    public init(contentsOf url: URL) throws {
        folder = url.deletingLastPathComponent()
        records = []
        do {
            let reader = try RecordReader(url, allowsNames: true)
            while let record = try reader.next() {
                records.append(
                    Record(
                        id: "\(record.entity)/\(record.name)", values: Handed(record.values),
                        place: "\(url.lastPathComponent):\(reader.line)"))
            }
        } catch let error as ExchangeError {
            throw SeedError(object: nil, property: nil, reason: error.description)
        }
    }

    /// Inserts the objects into a context, and sets their values and relationships. The context is not saved.
    ///
    /// - Returns: the objects by name.
    /// - Throws: `SeedError` that names object and property, for an unknown entity, property, name or value; then the
    ///   objects are inserted in part: roll the context back.
    /// - Important: call it on the context's queue.
    @discardableResult
    public func insert(into context: NSManagedObjectContext) throws -> [String: NSManagedObject] {
        let entities = context.persistentStoreCoordinator?.managedObjectModel.entitiesByName ?? [:]
        var objects: [String: NSManagedObject] = [:]
        for record in records {
            let name = try sentence(record) { try ExchangeRecord.parts(record.id).entity }
            guard let entity = entities[name], !entity.isAbstract else {
                throw failure(record, nil, "The model has no entity '\(name)' of which objects can be made.")
            }
            guard objects[record.id] == nil else {
                throw failure(record, nil, "The seed has two objects of this name.")
            }
            objects[record.id] = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
        }
        for record in records {
            guard let object = objects[record.id] else { continue }
            for (name, value) in record.values.value.sorted(by: { $0.key < $1.key }) {
                try set(value, name, of: object, record, objects)
            }
        }
        return objects
    }

    private func set(
        _ value: Any, _ name: String, of object: NSManagedObject, _ record: Record, _ objects: [String: NSManagedObject]
    ) throws {
        if let relationship = object.entity.relationshipsByName[name] {
            return object.setValue(try destinations(value, relationship, record, objects), forKey: name)
        }
        // "address.city" for an element of a composite attribute, as records have it.
        let parts = name.split(separator: ".").map(String.init)
        guard let first = parts.first, let attribute = object.entity.attributesByName[first] else {
            throw failure(record, name, "\(object.entity.name ?? "") has no such property.")
        }
        guard parts.count > 1 else {
            return object.setValue(try converted(value, attribute, record), forKey: name)
        }
        guard parts.count == 2, let composite = attribute as? NSCompositeAttributeDescription,
            let element = composite.elements.first(where: { $0.name == parts[1] })
        else { throw failure(record, name, "'\(first)' has no such element.") }
        var values = object.value(forKey: first) as? [String: Any] ?? [:]
        values[parts[1]] = try converted(value, element, record)
        object.setValue(values, forKey: first)
    }

    private func destinations(
        _ value: Any, _ relationship: NSRelationshipDescription, _ record: Record, _ objects: [String: NSManagedObject]
    ) throws -> Any? {
        if value is NSNull { return nil }
        let names = value as? [String] ?? (value as? String).map { [$0] }
        guard let names, relationship.isToMany || names.count == 1 else {
            throw failure(
                record, relationship.name,
                "The value is no name of an object\(relationship.isToMany ? ", and no list of them" : "").")
        }
        let members = try names.map { name -> NSManagedObject in
            guard let object = objects[name] else {
                throw failure(record, relationship.name, "The seed has no object '\(name)'.")
            }
            guard let entity = relationship.destinationEntity, object.entity.isKindOf(entity: entity) else {
                throw failure(
                    record, relationship.name, "'\(name)' is no \(relationship.destinationEntity?.name ?? "").")
            }
            return object
        }
        if !relationship.isToMany { return members[0] }
        return relationship.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members)
    }

    /// A value of the attribute's type. Values of Swift's types stay as they are.
    private func converted(_ value: Any, _ attribute: NSAttributeDescription, _ record: Record) throws -> Any? {
        switch (attribute.attributeType, value) {
        case (.dateAttributeType, is Date), (.UUIDAttributeType, is UUID), (.URIAttributeType, is URL),
            (.binaryDataAttributeType, is Data), (.decimalAttributeType, is NSDecimalNumber),
            (.decimalAttributeType, is Decimal), (.compositeAttributeType, _):
            return value
        case (.transformableAttributeType, let value):
            if !((value as? [String: Any])?["base64"] is String) { return value }
        default: break
        }
        return try sentence(record, attribute.name) {
            try RecordValue.value(Self.json(value), attribute) { try RecordValue.data($0, in: folder) }
        }
    }

    /// Swift's numbers as those that a reader of JSON gives.
    private static func json(_ value: Any) -> Any {
        switch value {
        case let value as Bool: NSNumber(value: value)
        case let value as any BinaryInteger: NSNumber(value: Int64(clamping: value))
        case let value as Float: NSNumber(value: value)
        case let value as Double: NSNumber(value: value)
        default: value
        }
    }

    private func sentence<T>(_ record: Record, _ property: String? = nil, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as ExchangeError {
            throw failure(record, property, error.description)
        }
    }

    private func failure(_ record: Record, _ property: String?, _ reason: String) -> SeedError {
        let object = (record.place.map { "\($0): " } ?? "") + record.id
        return SeedError(object: object, property: property, reason: reason)
    }
}

/// An object of a seed that does not fit the model.
public struct SeedError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the object, after file and line if it is of a file.
    public let object: String?
    /// The name of the property, if one is to blame.
    public let property: String?
    /// A sentence with the reason.
    public let reason: String

    /// Object, property and reason.
    public var description: String {
        [object, property.map { "'\($0)'" }, reason].compactMap(\.self).joined(separator: ": ")
    }
}
