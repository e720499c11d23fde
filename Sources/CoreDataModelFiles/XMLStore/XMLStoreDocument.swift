// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What stands in an XML store, as plain values.

import Foundation

/// What an XML store says before its first object. Documentation/Stores.md, "The XML file".
package struct XMLStoreHeader {
    /// The only one that was ever seen.
    package static let knownVersion = "134481920"

    /// `standalone` of the XML declaration; nil where it has none.
    package var standalone: String?
    package var version = XMLStoreHeader.knownVersion
    package var uuid: String
    /// The greatest number that an object ever had.
    package var nextObjectID: Int64
    /// Property list values; empty where there are none.
    package var metadata: [String: Any]

    package init(standalone: String? = "yes", uuid: String, nextObjectID: Int64, metadata: [String: Any]) {
        self.standalone = standalone
        self.uuid = uuid
        self.nextObjectID = nextObjectID
        self.metadata = metadata
    }
}

/// One object, as it stands in the file. Used again for the next one.
package struct XMLStoreObject {
    package struct Attribute: Equatable {
        /// In lower case, the elements of composites behind dots.
        package var name: String
        package var type: String
        /// The text is base64 of UTF-8: it has characters that XML does not have.
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
        /// `least/most`, 0 for no limit: "0/1", "1/1", "0/0".
        package var count: String
        /// The entity of the destination, in upper case.
        package var destination: String
        /// In order, where the relationship is ordered.
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
    /// Where it begins in the file; 0 for one that comes from none.
    package var line = 0

    package init() {}
}
