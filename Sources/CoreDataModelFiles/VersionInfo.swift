// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The `VersionInfo.plist` of a `.momd`: its versions, their hashes, and the current version.

package import Foundation

package struct VersionInfo: Sendable, Equatable {
    /// The version to load by default; nil in bundles with a single version.
    package var currentVersionName: String?
    /// The version hash of every entity, 32 bytes, by version and entity name.
    package var entityHashes: [String: [String: Data]]
    /// A checksum of all hashes of a version, in base64; compilers before Xcode 15 wrote none.
    package var checksums: [String: String]

    package init(
        currentVersionName: String? = nil, entityHashes: [String: [String: Data]] = [:],
        checksums: [String: String] = [:]
    ) {
        self.currentVersionName = currentVersionName
        self.entityHashes = entityHashes
        self.checksums = checksums
    }

    /// - Throws: `ModelFileError` of the kind `malformedPropertyList`.
    package init(data: Data) throws {
        let fields = try PlainPropertyList.dictionary(from: data)
        self.init()
        if case .string(let name)? = fields[Key.currentVersion] { currentVersionName = name }
        if case .dictionary(let versions)? = fields[Key.hashes] {
            for (version, hashes) in versions {
                guard case .dictionary(let hashes) = hashes else { throw Self.wrong(Key.hashes, version) }
                entityHashes[version] = try hashes.mapValues { hash in
                    guard case .data(let hash) = hash else { throw Self.wrong(Key.hashes, version) }
                    return hash
                }
            }
        }
        if case .dictionary(let versions)? = fields[Key.checksums] {
            for case (let version, .string(let checksum)) in versions { checksums[version] = checksum }
        }
    }

    /// A binary property list; equal values result in equal bytes.
    package func data() -> Data {
        var fields: [String: PropertyListNode] = [:]
        fields[Key.currentVersion] = currentVersionName.map(PropertyListNode.string)
        fields[Key.hashes] = .dictionary(
            entityHashes.mapValues { .dictionary($0.mapValues(PropertyListNode.data)) })
        if !checksums.isEmpty { fields[Key.checksums] = .dictionary(checksums.mapValues(PropertyListNode.string)) }
        return BinaryPropertyListWriter.data(of: .dictionary(fields))
    }

    private enum Key {
        static let currentVersion = "NSManagedObjectModel_CurrentVersionName"
        static let hashes = "NSManagedObjectModel_VersionHashes"
        static let checksums = "NSManagedObjectModel_VersionChecksums"
    }

    private static func wrong(_ key: String, _ version: String) -> ModelFileError {
        ModelFileError(
            .malformedPropertyList, "The entry '\(version)' of '\(key)' does not hold the hashes of entities.")
    }
}
