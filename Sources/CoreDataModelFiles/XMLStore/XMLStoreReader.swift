// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads an XML store object by object, without the whole file in memory.

package import Foundation

/// Reads the header first, then one object after the other.
package struct XMLStoreReader {
    package let header: XMLStoreHeader
    private var events: XMLEventReader
    private var isAtEnd = false

    /// - Parameter refill: returns the next piece of the file; nil at its end.
    /// - Throws: `ModelFileError` (`malformedXML`, `unsupportedForm`), and the errors of `refill`.
    package init(refill: @escaping () throws -> Data?) throws {
        var events = XMLEventReader(refill: refill)
        header = try Self.header(&events)
        self.events = events
    }

    /// - Returns: false at the end of the file, after verifying that the file is well-formed.
    package mutating func next(_ object: inout XMLStoreObject) throws -> Bool {
        guard !isAtEnd else { return false }
        switch try events.nextTag() {
        case .start:
            guard events.name == "object" else {
                throw events.failure("<\(events.name)> stands where an object belongs")
            }
            try read(&object)
            return true
        default:
            isAtEnd = true
            _ = try events.next()  // the end of the file, or an error
            return false
        }
    }

    // MARK: Header

    private static func header(_ events: inout XMLEventReader) throws -> XMLStoreHeader {
        try events.begin("database")
        try events.begin("databaseInfo")
        var texts: [String: String] = [:]
        var metadata: [String: Any]?
        while try events.nextTag() == .start {
            let name = events.name
            guard texts[name] == nil, name != "metadata" || metadata == nil else {
                throw events.failure("<\(name)> is there twice")
            }
            switch name {
            case "version", "UUID", "nextObjectID": texts[name] = try events.wholeText()
            case "metadata": metadata = try XMLStorePropertyList.readMetadata(&events)
            default: throw events.failure("<\(name)> means nothing in <databaseInfo>")
            }
        }
        let version = texts["version"] ?? ""
        guard version == XMLStoreHeader.knownVersion else {
            throw ModelFileError(
                .unsupportedForm,
                "The file is an XML store of version '\(version)'; "
                    + "only \(XMLStoreHeader.knownVersion) is known.")
        }
        guard let uuid = texts["UUID"], UUID(uuidString: uuid) != nil else {
            throw events.failure("The store has no UUID")
        }
        guard let next = Int64(texts["nextObjectID"] ?? ""), next >= 0 else {
            throw events.failure("<nextObjectID> is no number")
        }
        var header = XMLStoreHeader(
            standalone: events.standalone, uuid: uuid, nextObjectID: next, metadata: metadata ?? [:])
        header.version = version
        return header
    }

    // MARK: Objects

    private mutating func read(_ object: inout XMLStoreObject) throws {
        object.properties.removeAll(keepingCapacity: true)
        object.line = events.startLine
        object.type = try events.required("type")
        let id = try events.required("id")
        guard let number = Self.number(id[...]) else { throw events.failure("'\(id)' is no id of an object") }
        object.number = number
        while try events.nextTag() == .start {
            switch events.name {
            case "attribute": object.properties.append(.attribute(try attribute()))
            case "relationship": object.properties.append(.relationship(try relationship()))
            default: throw events.failure("<\(events.name)> means nothing in an object")
            }
        }
    }

    private mutating func attribute() throws -> XMLStoreObject.Attribute {
        let name = try events.required("name")
        let type = try events.required("type")
        let encoding = events.value("encoding")
        guard encoding == nil || encoding == "base64" else {
            throw events.failure("The encoding '\(encoding ?? "")' of the attribute '\(name)' is not known")
        }
        return .init(name: name, type: type, isEncoded: encoding != nil, text: try events.wholeText())
    }

    private mutating func relationship() throws -> XMLStoreObject.Relationship {
        var members: [Int64] = []
        for id in (events.value("idrefs") ?? "").split(separator: " ") {
            guard let number = Self.number(id) else { throw events.failure("'\(id)' is no id of an object") }
            members.append(number)
        }
        let result = XMLStoreObject.Relationship(
            name: try events.required("name"), count: try events.required("type"),
            destination: try events.required("destination"), members: members)
        _ = try events.wholeText()
        return result
    }

    /// 102 for "z102"; nil for a malformed id.
    private static func number(_ id: Substring) -> Int64? {
        guard id.first == "z", id.dropFirst().utf8.allSatisfy({ (48...57).contains($0) }),
            let number = Int64(id.dropFirst()), number > 0
        else { return nil }
        return number
    }
}

extension XMLEventReader {
    /// The next start or end of an element; text before it must be space.
    mutating func nextTag() throws -> Event {
        while true {
            let event = try next()
            guard event == .text else { return event }
            guard text.allSatisfy(Self.isSpace) else { throw failure("Text stands between elements") }
        }
    }

    /// Enters the element with this name, which must be the next one.
    mutating func begin(_ name: String) throws {
        guard try nextTag() == .start, self.name == name else { throw failure("<\(name)> is missing") }
    }

    /// Reads the text of the element that has just started, up to its end. The element must contain no others.
    mutating func wholeText() throws -> String {
        let element = name
        var result = ""
        while true {
            switch try next() {
            case .text:
                if result.isEmpty {
                    result = String(decoding: text, as: UTF8.self)
                } else {
                    result += String(decoding: text, as: UTF8.self)
                }
            case .end: return result
            default: throw failure("<\(name)> stands in <\(element)>, which holds text alone")
            }
        }
    }

    /// An attribute of the element that has just started.
    func value(_ name: String) -> String? { attributes.first { $0.name == name }?.value }

    func required(_ name: String) throws -> String {
        guard let value = value(name), !value.isEmpty else {
            throw failure("An element <\(self.name)> has no '\(name)'")
        }
        return value
    }
}
