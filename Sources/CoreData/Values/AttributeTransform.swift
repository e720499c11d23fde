// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts transformable attributes to bytes and back, by allowed classes only.

import CoreDataFoundation
import CoreDataModelFiles
import Foundation

/// The way one transformable attribute is stored.
///
/// Without a transformer of its own, or with one of the two that are named after keyed archives, a value is a keyed
/// archive. Reading one builds property list values, sets, UUIDs and URLs only; any other class in it makes the value
/// unreadable (it reads as nil, and its bytes stay as they are in the store).
///
/// A registered transformer makes the bytes in `transformedValue(_:)`. A subclass of the secure transformer, whose
/// transformation unarchives, makes them in `reverseTransformedValue(_:)`.
package struct AttributeTransform: Sendable {
    /// nil: a keyed archive.
    package let transformerName: String?

    package init(_ attribute: NSAttributeDescription) {
        switch attribute.valueTransformerName {
        case nil, "", "NSKeyedUnarchiveFromData", "NSSecureUnarchiveFromData",
            "NSKeyedUnarchiveFromDataTransformerName",
            "NSSecureUnarchiveFromDataTransformer":
            transformerName = nil
        case let name?: transformerName = name
        }
    }

    /// nil when the bytes say nothing that may be decoded.
    package func decode(_ data: Data) -> Any? {
        if let transformerName {
            // Transformers give the bytes to Foundation, which unfolds an archive without any bound.
            guard PropertyListBounds.allow(data),
                let transformer = ValueTransformer(forName: NSValueTransformerName(transformerName))
            else { return nil }
            return transformer.makesObjectsOfData
                ? transformer.transformedValue(data) : transformer.reverseTransformedValue(data)
        }
        return (try? ArchivedValue.decode(data)) ?? nil
    }

    /// - Throws: a sentence's worth of reason when the value cannot be archived.
    package func encode(_ value: Any) throws -> Data {
        if let transformerName {
            guard let transformer = ValueTransformer(forName: NSValueTransformerName(transformerName)) else {
                throw TransformFailure(reason: "no value transformer is registered under the name '\(transformerName)'")
            }
            let made =
                transformer.makesObjectsOfData
                ? transformer.reverseTransformedValue(value) : transformer.transformedValue(value)
            guard let data = made as? Data else {
                throw TransformFailure(
                    reason: "the value transformer '\(transformerName)' (\(type(of: transformer))) gave no data for a "
                        + "value of type \(type(of: value))")
            }
            return data
        }
        let object = AttributeValues.foundationObject(value)
        if let data = ArchivedValue.encode(object) { return data }
        // An object of a class of the program.
        do {
            return try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        } catch {
            throw TransformFailure(reason: "a value of type \(type(of: value)) cannot be archived: \(error)")
        }
    }
}

package struct TransformFailure: Error {
    package let reason: String
}
