// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The input of version hashes, byte for byte as in Apple's stores.

package import Foundation

/// The rule of version hashes, used by `VersionHasher` for descriptions and by `DocumentHasher` for documents.
///
/// A hash includes names, optional and transient flags, attribute types, external storage, preservation in history,
/// destinations, inverses, counts, order, abstractness, inheritance, uniqueness constraints, and hash modifiers. It
/// excludes classes, defaults, validation, delete rules, indexes, user info and renaming identifiers.
///
/// The hash of a derived attribute is that of the text of its expression, which Apple's tools may write differently. A
/// store of Apple's that differs only in entities with derived attributes is compared by the model that it keeps, see
/// `ModelCompatibility`.
package enum VersionHashRule {
    /// The common start of all properties, and the hash of a fetched property.
    package static func base(_ name: String, isOptional: Bool, isTransient: Bool, modifier: String?) -> Data {
        var bytes = [UInt8](name.utf8)
        bytes.append((isOptional ? 1 : 0) | (isTransient ? 2 : 0))
        bytes.append(0)
        bytes.append(contentsOf: (modifier ?? "").utf8)
        return SHA2.sha256(bytes)
    }

    package static func attribute(_ base: Data, type: UInt, isStoredOutside: Bool, isPreserved: Bool) -> Data {
        var bytes = [UInt8](base)
        bytes.append(littleEndian: UInt32(truncatingIfNeeded: type))
        if isStoredOutside { bytes.append(1) }
        if isPreserved { bytes.append(1) }
        return SHA2.sha256(bytes)
    }

    /// A derived attribute: its name, flags and type are not included.
    ///
    /// - Parameter text: the expression. It is hashed as an expression prints it, if it can be read.
    package static func derived(_ text: String) -> Data {
        let printed = (try? ModelPredicate.expression(text)).flatMap { try? ModelPredicate.text(of: $0) }
        return SHA2.sha256([UInt8]((printed ?? text).utf8))
    }

    /// The name and flags of the composite attribute itself are not included.
    package static func composite(_ elements: [(name: String, hash: Data)]) -> Data { SHA2.sha256(joined(elements)) }

    /// - Parameter inverse: nil without an inverse, and for a relationship that is its own inverse.
    package static func relationship(
        _ base: Data, destination: String, inverse: String?, maxCount: Int, minCount: Int, isOrdered: Bool
    ) -> Data {
        var bytes = [UInt8](base)
        bytes.append(contentsOf: destination.utf8)
        bytes.append(contentsOf: (inverse ?? "").utf8)
        bytes.append(littleEndian: UInt32(truncatingIfNeeded: maxCount))
        bytes.append(littleEndian: UInt32(truncatingIfNeeded: minCount))
        if isOrdered { bytes.append(contentsOf: [1, 0]) }
        return SHA2.sha256(bytes)
    }

    /// - Parameters:
    ///   - superentityHash: empty for a root.
    ///   - properties: own and inherited properties, without transient and fetched ones, in any order.
    ///   - uniquenessConstraints: the entity's own constraints, each as a list of names.
    package static func entity(
        _ name: String, isAbstract: Bool, superentityHash: Data, properties: [(name: String, hash: Data)],
        modifier: String?, uniquenessConstraints: [[String]]
    ) -> Data {
        var bytes = [UInt8](name.utf8)
        bytes.append(isAbstract ? 1 : 0)
        bytes += superentityHash
        bytes += joined(properties)
        bytes.append(contentsOf: (modifier ?? "").utf8)
        let constraints = uniquenessConstraints.map { $0.joined(separator: ".") }
        for constraint in constraints.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            bytes.append(contentsOf: constraint.utf8)
        }
        return SHA2.sha256(bytes)
    }

    private static func joined(_ members: [(name: String, hash: Data)]) -> [UInt8] {
        members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }.reduce(into: []) { $0 += $1.hash }
    }
}

/// Digests of all version hashes for the metadata of a store.
package enum VersionDigest {
    /// `NSStoreModelVersionHashesDigest`.
    package static func digest(_ hashes: [String: Data]) -> String {
        SHA2.sha512(
            sorted(hashes).reduce(into: Data()) {
                $0.append(contentsOf: $1.key.utf8)
                $0.append($1.value)
            }
        ).base64EncodedString()
    }

    /// `NSStoreModelVersionChecksumKey`, and the checksums of a `VersionInfo.plist`.
    package static func checksum(_ hashes: [String: Data]) -> String {
        SHA2.sha256(sorted(hashes).reduce(into: Data()) { $0.append($1.value) }).base64EncodedString()
    }

    private static func sorted(_ hashes: [String: Data]) -> [(key: String, value: Data)] {
        hashes.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
}

extension [UInt8] {
    fileprivate mutating func append(littleEndian number: UInt32) {
        for shift in stride(from: 0, to: 32, by: 8) { append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
    }
}
