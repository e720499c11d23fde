// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads XML of unknown origin into a tree of elements, within limits and without entities.

import Foundation

/// The part of XML that models use. Foundation's parser on Linux is not used: it stops the program at some malformed
/// documents. Refused are declared entities, the one part of XML that can make a small file large or reach outside of it, and
/// every encoding but UTF-8.
struct XMLTreeReader {
    static let maximumSize = 64 << 20
    static let maximumDepth = 64

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1

    /// - Throws: `malformedXML` with the line; `unsupportedForm` for declared entities, other encodings, and files above
    ///   64 MB.
    static func read(_ data: Data) throws -> XMLTree {
        guard data.count <= maximumSize else {
            throw ModelFileError(.unsupportedForm, "The file has \(data.count) bytes; models end at \(maximumSize).")
        }
        let bytes = [UInt8](data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data)
        guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else {
            throw ModelFileError(.unsupportedForm, "The file is not text in UTF-8.")
        }
        var reader = XMLTreeReader(bytes: bytes)
        return try reader.document()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    // MARK: Structure

    private mutating func document() throws -> XMLTree {
        try declaration()
        try skipMisc(allowsDoctype: true)
        guard starts(with: "<") else { throw failure("There is no element") }
        let root = try elements()
        try skipMisc(allowsDoctype: false)
        guard position == bytes.count else { throw failure("Something follows the outermost element") }
        return root
    }

    private mutating func declaration() throws {
        guard starts(with: "<?xml"), position + 5 < bytes.count, Self.isSpace(bytes[position + 5]) else { return }
        let start = position
        try skip(past: "?>", "The XML declaration has no end")
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let range = text.range(of: "encoding") else { return }
        let rest = text[range.upperBound...].drop { " =\t".contains($0) }
        guard let quote = rest.first, "\"'".contains(quote) else { throw failure("The encoding is not quoted") }
        let name = rest.dropFirst().prefix { $0 != quote }.lowercased()
        guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(name) else {
            throw ModelFileError(.unsupportedForm, "The file says that its encoding is '\(name)'; models are in UTF-8.")
        }
    }

    /// Space, comments and instructions around the outermost element.
    private mutating func skipMisc(allowsDoctype: Bool) throws {
        while true {
            skipSpace()
            if starts(with: "<!--") {
                try skip(past: "-->", "A comment has no end")
            } else if starts(with: "<?") {
                try skip(past: "?>", "An instruction has no end")
            } else if allowsDoctype, starts(with: "<!DOCTYPE") {
                try skipDoctype()
            } else {
                return
            }
        }
    }

    /// A reference to an outside grammar is passed over unread; a grammar inside the file could declare entities.
    private mutating func skipDoctype() throws {
        while position < bytes.count, bytes[position] != UInt8(ascii: ">") {
            if bytes[position] == UInt8(ascii: "[") {
                throw ModelFileError(
                    .unsupportedForm, "The file has a grammar of its own in line \(line), which a model never needs.")
            }
            advance()
        }
        try skip(past: ">", "The document type has no end")
    }

    /// A loop with a stack, not recursion: depth is data from the file.
    private mutating func elements() throws -> XMLTree {
        var open: [XMLTree] = []
        while true {
            if starts(with: "</") {
                guard let element = open.popLast() else { throw failure("An element ends that never began") }
                try closingTag(of: element)
                if open.isEmpty { return element }
                open[open.count - 1].children.append(element)
            } else if starts(with: "<!--") {
                try skip(past: "-->", "A comment has no end")
            } else if starts(with: "<![CDATA[") {
                try skip(past: "]]>", "A literal text has no end")
            } else if starts(with: "<?") {
                try skip(past: "?>", "An instruction has no end")
            } else if starts(with: "<") {
                let (element, isEmpty) = try openingTag()
                if !isEmpty {
                    open.append(element)
                } else if open.isEmpty {
                    return element
                } else {
                    open[open.count - 1].children.append(element)
                }
                guard open.count <= Self.maximumDepth else {
                    throw failure("Elements are nested more than \(Self.maximumDepth) deep")
                }
            } else if position < bytes.count {
                try text()
            } else {
                throw failure("The file ends inside <\(open.last?.name ?? "")>")
            }
        }
    }

    private mutating func openingTag() throws -> (XMLTree, isEmpty: Bool) {
        let start = line
        position += 1
        let name = try self.name()
        var attributes: [String: String] = [:]
        while true {
            let hadSpace = skipSpace()
            if starts(with: "/>") {
                position += 2
                return (XMLTree(name: name, attributes: attributes, line: start), true)
            }
            if starts(with: ">") {
                position += 1
                return (XMLTree(name: name, attributes: attributes, line: start), false)
            }
            guard hadSpace else { throw failure("The tag <\(name)> is not well-formed") }
            let key = try self.name()
            skipSpace()
            guard starts(with: "=") else { throw failure("The attribute '\(key)' of <\(name)> has no value") }
            position += 1
            skipSpace()
            guard attributes.updateValue(try attributeValue(), forKey: key) == nil else {
                throw failure("The attribute '\(key)' of <\(name)> is there twice")
            }
        }
    }

    private mutating func closingTag(of element: XMLTree) throws {
        position += 2
        let name = try self.name()
        guard name == element.name else {
            throw failure("</\(name)> ends <\(element.name)>, which began in line \(element.line)")
        }
        skipSpace()
        guard starts(with: ">") else { throw failure("The end of <\(name)> is not well-formed") }
        position += 1
    }

    // MARK: Text

    private mutating func attributeValue() throws -> String {
        guard position < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[position]) else {
            throw failure("An attribute's value is not quoted")
        }
        let quote = bytes[position]
        position += 1
        var value: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            if byte == quote {
                position += 1
                return String(decoding: value, as: UTF8.self)
            }
            if byte == UInt8(ascii: "<") { throw failure("An attribute's value holds '<'") }
            if byte == UInt8(ascii: "&") {
                value += try reference()
            } else {
                value.append(Self.isSpace(byte) ? UInt8(ascii: " ") : byte)
                advance()
            }
        }
        throw failure("An attribute's value has no end")
    }

    /// Text means nothing in a model, but must be well-formed.
    private mutating func text() throws {
        if bytes[position] == UInt8(ascii: "&") {
            _ = try reference()
        } else {
            advance()
        }
    }

    private mutating func reference() throws -> [UInt8] {
        let start = position + 1
        // The longest reference there is: &#x10FFFF;
        guard let end = bytes[start..<min(bytes.count, start + 9)].firstIndex(of: UInt8(ascii: ";")) else {
            throw failure("An '&' begins no reference")
        }
        let name = String(decoding: bytes[start..<end], as: UTF8.self)
        position = end + 1
        if let known = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"][name] { return Array(known.utf8) }
        let number = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
        guard name.hasPrefix("#"), let number, let scalar = Unicode.Scalar(number),
            number >= 32 || [9, 10, 13].contains(number)
        else { throw failure("The reference '&\(name);' means nothing") }
        return Array(String(Character(scalar)).utf8)
    }

    private mutating func name() throws -> String {
        let start = position
        while position < bytes.count, Self.isNamePart(bytes[position], isFirst: position == start) { position += 1 }
        guard position > start else { throw failure("A name is missing") }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private static func isNamePart(_ byte: UInt8, isFirst: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), 0x80...:
            true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): !isFirst
        default: false
        }
    }

    // MARK: Bytes

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 10 || byte == 13 || byte == 9 }

    private mutating func advance() {
        if bytes[position] == 10 { line += 1 }
        position += 1
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = position
        while position < bytes.count, Self.isSpace(bytes[position]) { advance() }
        return position > start
    }

    private func starts(with text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard count <= bytes.count - position else { return false }
        return text.withUTF8Buffer { expected in
            (0..<count).allSatisfy { expected[$0] == bytes[position + $0] }
        }
    }

    private mutating func skip(past end: StaticString, _ complaint: String) throws {
        while position < bytes.count {
            if starts(with: end) {
                position += end.utf8CodeUnitCount
                return
            }
            advance()
        }
        throw failure(complaint)
    }

    private func failure(_ what: String) -> ModelFileError {
        ModelFileError(.malformedXML(line: line), "The file is not well-formed XML: \(what).")
    }
}
