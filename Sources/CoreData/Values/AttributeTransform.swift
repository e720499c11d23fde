// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts transformable attributes to bytes and back, by allowed classes only.

import CoreDataFoundation
import CoreDataModelFiles
import Foundation

/// How one transformable attribute is stored.
///
/// Without a transformer name, or with one of the two names for keyed archives, a value is stored as a keyed archive.
/// Decoding creates only property list values, sets, UUIDs and URLs; any other class makes the value unreadable (it
/// reads as nil, and the store's bytes are not changed).
///
/// A registered transformer encodes with `transformedValue(_:)`. A subclass of the secure transformer, whose
/// transformation unarchives, encodes with `reverseTransformedValue(_:)`.
package struct AttributeTransform: Sendable {
    /// nil for a keyed archive.
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

    /// nil if the bytes contain nothing that may be decoded.
    package func decode(_ data: Data) -> Any? {
        if let transformerName {
            // Transformers pass the bytes to Foundation, which decodes an archive of any size.
            guard PropertyListBounds.allow(data),
                let transformer = ValueTransformer(forName: NSValueTransformerName(transformerName))
            else { return nil }
            return transformer.makesObjectsOfData
                ? transformer.transformedValue(data) : transformer.reverseTransformedValue(data)
        }
        return (try? ArchivedValue.decode(data)) ?? nil
    }

    /// - Throws: an error with the reason if the value cannot be archived.
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
        // Foundation's archiver overruns the stack off Apple's systems when it hashes a decimal number.
        if ArchivedClasses.hasDecimal(object) {
            throw TransformFailure(
                reason: "a decimal number cannot be archived together with an integer beyond 64 bits, a key that is no "
                    + "text, or an object of the program's own classes")
        }
        // An object of a class that the program declares.
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
