// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes an XML store object by object, byte for byte in Apple's layout.

package import Foundation

package struct XMLStoreWriter {
    private static let pieceSize = 256 << 10

    private var bytes: [UInt8] = []
    private let write: (Data) throws -> Void

    /// - Parameter write: receives the next piece of the file.
    package init(write: @escaping (Data) throws -> Void) {
        self.write = write
        bytes.reserveCapacity(Self.pieceSize + 4096)
    }

    /// - Throws: `unsupportedForm` for metadata that no property list can contain; the errors of `write`.
    package mutating func begin(_ header: XMLStoreHeader) throws {
        let standalone = header.standalone.map { " standalone=\"\(XMLText.quoted($0))\"" } ?? ""
        add("<?xml version=\"1.0\"\(standalone)?>\n")
        add("<!DOCTYPE database SYSTEM \"file:///System/Library/DTDs/CoreData.dtd\">\n\n")
        add("<database>\n    <databaseInfo>\n        <version>\(header.version)</version>\n")
        add("        <UUID>\(header.uuid)</UUID>\n        <nextObjectID>\(header.nextObjectID)</nextObjectID>\n")
        if header.metadata.isEmpty {
            add("        <metadata></metadata>\n")
        } else {
            let lines = try XMLStorePropertyList.lines(header.metadata)
            add("        <metadata>\n" + lines.joined(separator: "\n") + "\n        </metadata>\n")
        }
        add("    </databaseInfo>\n")
    }

    /// Writes one object.
    package mutating func add(_ object: XMLStoreObject) throws {
        beginObject(type: object.type, number: object.number)
        for property in object.properties { add(property) }
        try endObject()
    }

    package mutating func beginObject(type: String, number: Int64) {
        add("    <object type=\"\(XMLText.quoted(type))\" id=\"z\(number)\">\n")
    }

    package mutating func add(_ property: XMLStoreObject.Property) {
        switch property {
        case .attribute(let attribute): add(attribute)
        case .relationship(let relationship): add(relationship)
        }
    }

    private mutating func add(_ attribute: XMLStoreObject.Attribute) {
        add("        <attribute name=\"\(XMLText.quoted(attribute.name))\" type=\"\(XMLText.quoted(attribute.type))\"")
        if attribute.isEncoded { add(" encoding=\"base64\"") }
        add(">")
        add(XMLText.escaped(attribute.text))
        add("</attribute>\n")
    }

    private mutating func add(_ relationship: XMLStoreObject.Relationship) {
        add("        <relationship name=\"\(XMLText.quoted(relationship.name))\" type=\"\(relationship.count)\"")
        add(" destination=\"\(XMLText.quoted(relationship.destination))\"")
        if !relationship.members.isEmpty {
            var mark = " idrefs=\""
            for member in relationship.members {
                add(mark)
                add("z\(member)")
                mark = " "
            }
            add("\"")
        }
        add("></relationship>\n")
    }

    package mutating func endObject() throws {
        add("    </object>\n")
        if bytes.count >= Self.pieceSize { try flush() }
    }

    package mutating func end() throws {
        add("</database>")
        try flush()
    }

    private mutating func flush() throws {
        try write(Data(bytes))
        bytes.removeAll(keepingCapacity: true)
    }

    private mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }
}
