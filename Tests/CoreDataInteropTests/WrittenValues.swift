// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Records the values of an object, and checks whether another stack finds them.

import Foundation

@testable import CoreData

/// The attributes of one saved object.
struct WrittenValues {
    let uri: URL
    private let label: String
    private let values: [String: NSObject]

    init(_ object: NSManagedObject) {
        uri = object.objectID.uriRepresentation()
        label = object.label
        values = Self.values(object)
    }

    /// The differences to the object with the same id in another context.
    func differences(in context: NSManagedObjectContext) -> [String] {
        guard let id = context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri),
            let object = try? context.existingObject(with: id)
        else { return ["\(label) is not there"] }
        let found = Self.values(object)
        return Set(values.keys).union(found.keys).sorted().filter { values[$0] != found[$0] }.map { name in
            "\(label).\(name) was written as \(values[name] ?? NSNull()), and reads as \(found[name] ?? NSNull())"
        }
    }

    private static func values(_ object: NSManagedObject) -> [String: NSObject] {
        var result: [String: NSObject] = [:]
        for attribute in object.entity.storedAttributes {
            result[attribute.name] = object.value(forKey: attribute.name).flatMap {
                AttributeValues.foundationObject($0) as? NSObject
            }
        }
        return result
    }
}
