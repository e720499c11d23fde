// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads untrusted XML as a sequence of events, with limits and without entities.

import Foundation

/// The subset of XML in models and stores. Foundation's parser on Linux is unsuitable: it traps for
/// some malformed documents.
///
/// Rejects declared entities, which can expand a small file or refer to other files, every encoding but UTF-8, and
/// elements nested more than 64 deep. Without entities no text exceeds its part of the file.
///
/// # States
///     before ──first tag──▶ inside ──last end──▶ after ──end of file──▶ after
struct XMLEventReader {
    enum Event: Equatable {
        /// The start of an element: `name`, `attributes`, `startLine`.
        case start
        /// The end of an element: `name`. `<a/>` has an end, too.
        case end
        /// Text, or a part of one: `text`.
        case text
        /// Only space and comments follow.
        case endOfFile
    }

    private enum State { case before, inside, after }

    static let maximumDepth = 64
    static let maximumAttributes = 256
    /// The limit for one text and for one attribute value, in bytes.
    static let maximumText = 1 << 30

    private(set) var name = ""
    private(set) var attributes: [(name: String, value: String)] = []
    private(set) var startLine = 1
    /// Valid UTF-8, with line ends as `\n` and references replaced.
    private(set) var text: [UInt8] = []
    private(set) var line = 1

    private var source: XMLByteSource
    private var state = State.before
    private var open: [(name: String, line: Int)] = []
    /// Whether an element without content has started and not ended.
    private var isPending = false

    init(_ bytes: [UInt8]) { source = XMLByteSource(bytes) }

    /// - Parameter refill: returns the next piece of the document; nil at its end.
    init(refill: @escaping () throws -> Data?) { source = XMLByteSource(refill: refill) }

    var depth: Int { open.count }

    /// - Throws: `malformedXML` with the line; `unsupportedForm` for declared entities and other encodings.
    mutating func next() throws -> Event {
        if isPending {
            isPending = false
            return close()
        }
        switch state {
        case .before:
            try begin()
            state = .inside
            return try openingTag()
        case .inside: return try content()
        case .after:
            try skipMisc(allowsDoctype: false)
            guard try !source.has(1) else { throw failure("Something follows the outermost element") }
            return .endOfFile
        }
    }

    func failure(_ what: String) -> ModelFileError {
        ModelFileError(.malformedXML(line: line), "The file is not well-formed XML: \(what).")
    }

    // MARK: Around the outermost element

    private mutating func begin() throws {
        if try source.has(3), source.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { source.position += 3 }
        try declaration()
        try skipMisc(allowsDoctype: true)
        guard try starts(with: "<") else { throw failure("There is no element") }
    }

    /// The value of `standalone` in the XML declaration; nil if it is missing.
    private(set) var standalone: String?

    private mutating func declaration() throws {
        guard try starts(with: "<?xml"), try source.has(6), Self.isSpace(source.bytes[source.position + 5]) else {
            return
        }
        let text = try skip(past: "?>", "The XML declaration has no end", limit: 1024)
        standalone = try Self.quoted("standalone", in: text).map {
            guard let value = $0 else { throw failure("The value of 'standalone' is not quoted") }
            return value
        }
        guard let encoding = Self.quoted("encoding", in: text) else { return }
        guard let name = encoding else { throw failure("The encoding is not quoted") }
        guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(name.lowercased()) else {
            throw ModelFileError(.unsupportedForm, "The file says that its encoding is '\(name)'; only UTF-8 is read.")
        }
    }

    /// nil if the attribute is missing; an inner nil if it is not quoted.
    private static func quoted(_ key: String, in text: String) -> String?? {
        guard let range = text.range(of: key) else { return nil }
        let rest = text[range.upperBound...].drop { " =\t".contains($0) }
        guard let quote = rest.first, "\"'".contains(quote) else { return .some(nil) }
        return String(rest.dropFirst().prefix { $0 != quote })
    }

    /// Skips space, comments and instructions around the root element.
    private mutating func skipMisc(allowsDoctype: Bool) throws {
        while true {
            try skipSpace()
            if try starts(with: "<!--") {
                try skip(past: "-->", "A comment has no end")
            } else if try starts(with: "<?") {
                try skip(past: "?>", "An instruction has no end")
            } else if allowsDoctype, try starts(with: "<!DOCTYPE") {
                try skipDoctype()
            } else {
                return
            }
        }
    }

    /// Skips a reference to an external grammar. An internal grammar could declare entities.
    private mutating func skipDoctype() throws {
        while try source.has(1), source.bytes[source.position] != UInt8(ascii: ">") {
            if source.bytes[source.position] == UInt8(ascii: "[") {
                throw ModelFileError(
                    .unsupportedForm, "The file has a grammar of its own in line \(line), which is never needed.")
            }
            advance()
        }
        try skip(past: ">", "The document type has no end")
    }

    // MARK: Elements. A loop of the caller's, not recursion: depth is data from the file.

    private mutating func content() throws -> Event {
        while true {
            guard try source.has(1) else { throw failure("The file ends inside <\(open.last?.name ?? "")>") }
            guard source.bytes[source.position] == UInt8(ascii: "<") else { return try characters() }
            if try starts(with: "</") { return try closingTag() }
            if try starts(with: "<!--") {
                try skip(past: "-->", "A comment has no end")
            } else if try starts(with: "<![CDATA[") {
                return try literal()
            } else if try starts(with: "<?") {
                try skip(past: "?>", "An instruction has no end")
            } else {
                return try openingTag()
            }
        }
    }

    private mutating func openingTag() throws -> Event {
        startLine = line
        source.position += 1
        name = try word()
        attributes.removeAll(keepingCapacity: true)
        while true {
            let hadSpace = try skipSpace()
            if try starts(with: "/>") {
                source.position += 2
                isPending = true
                break
            }
            if try starts(with: ">") {
                source.position += 1
                break
            }
            guard hadSpace else { throw failure("The tag <\(name)> is not well-formed") }
            try attribute()
        }
        open.append((name, startLine))
        guard open.count <= Self.maximumDepth else {
            throw failure("Elements are nested more than \(Self.maximumDepth) deep")
        }
        return .start
    }

    private mutating func attribute() throws {
        let key = try word()
        try skipSpace()
        guard try starts(with: "=") else { throw failure("The attribute '\(key)' of <\(name)> has no value") }
        source.position += 1
        try skipSpace()
        let value = try attributeValue()
        guard !attributes.contains(where: { $0.name == key }) else {
            throw failure("The attribute '\(key)' of <\(name)> is there twice")
        }
        guard attributes.count < Self.maximumAttributes else { throw failure("<\(name)> has too many attributes") }
        attributes.append((key, value))
    }

    private mutating func closingTag() throws -> Event {
        source.position += 2
        let name = try word()
        guard let element = open.last, name == element.name else {
            let began = open.last.map { "<\($0.name)>, which began in line \($0.line)" } ?? "nothing"
            throw failure("</\(name)> ends \(began)")
        }
        try skipSpace()
        guard try starts(with: ">") else { throw failure("The end of <\(name)> is not well-formed") }
        source.position += 1
        return close()
    }

    private mutating func close() -> Event {
        name = open.removeLast().name
        if open.isEmpty { state = .after }
        return .end
    }

    // MARK: Text

    /// Reads text up to the next tag.
    private mutating func characters() throws -> Event {
        text.removeAll(keepingCapacity: true)
        while try source.has(1) {
            let byte = source.bytes[source.position]
            if byte == UInt8(ascii: "<") { break }
            if byte == UInt8(ascii: "&") { text += try reference() } else { try run(until: UInt8(ascii: "<")) }
            guard text.count <= Self.maximumText else { throw failure("A text is larger than 1 GB") }
        }
        return try validated()
    }

    private mutating func literal() throws -> Event {
        text.removeAll(keepingCapacity: true)
        source.position += 9
        while try !starts(with: "]]>") {
            guard try source.has(1) else { throw failure("A literal text has no end") }
            try appendCharacter()
        }
        source.position += 3
        return try validated()
    }

    private func validated() throws -> Event {
        guard String(validating: text, as: UTF8.self) != nil else {
            throw ModelFileError(.unsupportedForm, "The file is not text in UTF-8: see line \(line).")
        }
        return .text
    }

    /// Reads available bytes without special meaning.
    private mutating func run(until end: UInt8) throws {
        let start = source.position
        let (stop, lines) = source.bytes.withUnsafeBufferPointer { bytes in
            var index = start
            var lines = 0
            while index < bytes.count {
                let byte = bytes[index]
                if byte == end || byte == UInt8(ascii: "&") || (byte < 32 && byte != 10 && byte != 9) { break }
                if byte == 10 { lines += 1 }
                index += 1
            }
            return (index, lines)
        }
        text.append(contentsOf: source.bytes[start..<stop])
        line += lines
        source.position = stop
        if stop < source.bytes.count, source.bytes[stop] < 32 { try appendCharacter() }
    }

    /// Reads one byte and normalizes line ends.
    private mutating func appendCharacter() throws {
        let byte = source.bytes[source.position]
        guard byte >= 32 || byte == 9 || byte == 10 || byte == 13 else {
            throw failure("A character that XML does not have")
        }
        advance()
        if byte == 13 {
            if try source.has(1), source.bytes[source.position] == 10 { return }
            text.append(10)
        } else {
            text.append(byte)
        }
    }

    private mutating func attributeValue() throws -> String {
        guard try source.has(1), [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(source.bytes[source.position]) else {
            throw failure("An attribute's value is not quoted")
        }
        let quote = source.bytes[source.position]
        source.position += 1
        var value: [UInt8] = []
        while try source.has(1) {
            let byte = source.bytes[source.position]
            if byte == quote {
                source.position += 1
                guard let string = String(validating: value, as: UTF8.self) else {
                    throw ModelFileError(.unsupportedForm, "The file is not text in UTF-8: see line \(line).")
                }
                return string
            }
            if byte == UInt8(ascii: "<") { throw failure("An attribute's value holds '<'") }
            if byte == UInt8(ascii: "&") {
                value += try reference()
            } else {
                guard byte >= 32 || Self.isSpace(byte) else { throw failure("A character that XML does not have") }
                guard value.count < Self.maximumText else { throw failure("An attribute's value is larger than 1 GB") }
                advance()
                // CR LF is one line end.
                if byte == 13, try source.has(1), source.bytes[source.position] == 10 { continue }
                value.append(byte < 32 ? 32 : byte)
            }
        }
        throw failure("An attribute's value has no end")
    }

    private mutating func reference() throws -> [UInt8] {
        // The longest valid reference: &#x10FFFF;
        _ = try source.has(10)
        let start = source.position + 1
        guard let end = source.bytes[start..<min(source.bytes.count, start + 9)].firstIndex(of: UInt8(ascii: ";"))
        else {
            throw failure("An '&' begins no reference")
        }
        let name = String(decoding: source.bytes[start..<end], as: UTF8.self)
        source.position = end + 1
        if let known = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"][name] { return Array(known.utf8) }
        let number = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
        guard name.hasPrefix("#"), let number, let scalar = Unicode.Scalar(number),
            number >= 32 || [9, 10, 13].contains(number)
        else { throw failure("The reference '&\(name);' means nothing") }
        return Array(String(Character(scalar)).utf8)
    }

    private mutating func word() throws -> String {
        var result: [UInt8] = []
        while try source.has(1), Self.isNamePart(source.bytes[source.position], isFirst: result.isEmpty) {
            result.append(source.bytes[source.position])
            source.position += 1
        }
        guard !result.isEmpty else { throw failure("A name is missing") }
        guard let name = String(validating: result, as: UTF8.self) else {
            throw ModelFileError(.unsupportedForm, "The file is not text in UTF-8: see line \(line).")
        }
        return name
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

    static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 10 || byte == 13 || byte == 9 }

    private mutating func advance() {
        if source.bytes[source.position] == 10 { line += 1 }
        source.position += 1
    }

    @discardableResult
    private mutating func skipSpace() throws -> Bool {
        var hadSpace = false
        while try source.has(1), Self.isSpace(source.bytes[source.position]) {
            advance()
            hadSpace = true
        }
        return hadSpace
    }

    private mutating func starts(with mark: StaticString) throws -> Bool {
        let count = mark.utf8CodeUnitCount
        guard try source.has(count) else { return false }
        let start = source.position
        return mark.withUTF8Buffer { expected in
            for index in 0..<count where expected[index] != source.bytes[start + index] { return false }
            return true
        }
    }

    /// - Parameter limit: the greatest number of skipped bytes to return.
    @discardableResult
    private mutating func skip(past end: StaticString, _ complaint: String, limit: Int = 0) throws -> String {
        var passed: [UInt8] = []
        while try source.has(1) {
            if try starts(with: end) {
                source.position += end.utf8CodeUnitCount
                return String(decoding: passed, as: UTF8.self)
            }
            if passed.count < limit { passed.append(source.bytes[source.position]) }
            advance()
        }
        throw failure(complaint)
    }
}
