// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The contents of an XML store, as plain values.

import Foundation

/// The part of an XML store before its first object. Documentation/Internals/Stores.md, "The XML file".
package struct XMLStoreHeader {
    /// The only known version.
    package static let knownVersion = "134481920"

    /// `standalone` of the XML declaration; nil if it is missing.
    package var standalone: String?
    package var version = XMLStoreHeader.knownVersion
    package var uuid: String
    /// The greatest object number ever assigned.
    package var nextObjectID: Int64
    /// Property list values; empty for a store without metadata.
    package var metadata: [String: Any]

    package init(standalone: String? = "yes", uuid: String, nextObjectID: Int64, metadata: [String: Any]) {
        self.standalone = standalone
        self.uuid = uuid
        self.nextObjectID = nextObjectID
        self.metadata = metadata
    }
}

/// One object in the file. The instance is reused for the next one.
package struct XMLStoreObject {
    package struct Attribute: Equatable {
        /// In lower case; names of elements of composite attributes contain dots.
        package var name: String
        package var type: String
        /// Whether the text is base64 of UTF-8, because it contains characters that XML cannot represent.
        package var isEncoded: Bool
        package var text: String

        package init(name: String, type: String, isEncoded: Bool = false, text: String) {
            self.name = name
            self.type = type
            self.isEncoded = isEncoded
            self.text = text
        }
    }

    package struct Relationship: Equatable {
        package var name: String
        /// `least/most`, with 0 for no limit: "0/1", "1/1", "0/0".
        package var count: String
        /// The destination entity, in upper case.
        package var destination: String
        /// In order if the relationship is ordered.
        package var members: [Int64]

        package init(name: String, count: String, destination: String, members: [Int64]) {
            self.name = name
            self.count = count
            self.destination = destination
            self.members = members
        }
    }

    package enum Property: Equatable {
        case attribute(Attribute)
        case relationship(Relationship)
    }

    /// The entity, in upper case.
    package var type = ""
    package var number: Int64 = 0
    package var properties: [Property] = []
    /// The line in the file; 0 for an object that was not read from a file.
    package var line = 0

    package init() {}
}
