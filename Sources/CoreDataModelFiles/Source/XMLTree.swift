// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads XML of unknown origin into a plain tree of elements, within limits and without entities.

import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// An element with the line it starts on. Text between elements is dropped: models keep everything in attributes.
struct XMLTree {
    let name: String
    let attributes: [String: String]
    let line: Int
    var children: [XMLTree] = []

    func children(named name: String) -> [XMLTree] { children.filter { $0.name == name } }

    func attribute(_ name: String) -> String? { attributes[name] }

    /// Xcode writes YES or nothing; other tools write true and NO.
    func flag(_ name: String, default value: Bool = false) -> Bool {
        guard let text = attributes[name] else { return value }
        return text == "YES" || text == "true" || text == "1"
    }

    func integer(_ name: String) throws -> Int? {
        guard let text = attributes[name], !text.isEmpty else { return nil }
        guard let number = Int(text) else {
            throw error("The attribute '\(name)' of <\(self.name)> is '\(text)' instead of a whole number.")
        }
        return number
    }

    func required(_ name: String) throws -> String {
        guard let text = attributes[name], !text.isEmpty else {
            throw error("An element <\(self.name)> has no '\(name)'.")
        }
        return text
    }

    func error(_ explanation: String) -> ModelFileError { ModelFileError(.malformedXML(line: line), explanation) }
}

extension XMLTree {
    static let maximumSize = 64 << 20
    static let maximumDepth = 64

    /// Parses a document. Entities are refused before the parser sees them, and nothing outside the bytes is read.
    ///
    /// - Throws: `malformedXML` with the line, `unsupportedForm` for declared entities, unknown encodings and files
    ///   above 64 MB.
    static func parse(_ data: Data) throws -> XMLTree {
        guard data.count <= maximumSize else {
            throw ModelFileError(.unsupportedForm, "The file has \(data.count) bytes; models end at \(maximumSize).")
        }
        try refuseUnsafe(data)
        let builder = TreeBuilder()
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        parser.delegate = builder
        let isComplete = parser.parse()
        if let failure = builder.failure { throw failure }
        guard isComplete, let root = builder.root else {
            let reason = (parser.parserError as NSError?).map { "; the parser's code is \($0.code)" } ?? ""
            let line = max(parser.lineNumber, builder.lastLine)
            throw ModelFileError(.malformedXML(line: line), "The file is not well-formed XML\(reason).")
        }
        return root
    }

    /// Looks at the bytes alone, which is sound because only encodings that keep ASCII in place are let through.
    private static func refuseUnsafe(_ data: Data) throws {
        if data.range(of: Data("<!ENTITY".utf8)) != nil {
            throw ModelFileError(.unsupportedForm, "The file declares entities, which a model never needs.")
        }
        let head = data.prefix(256)
        if head.contains(0) {
            throw ModelFileError(.unsupportedForm, "The file is not in UTF-8.")
        }
        guard let start = head.range(of: Data("encoding".utf8)), head.starts(with: Data("<?xml".utf8)) else { return }
        let rest = String(decoding: head[start.upperBound...], as: UTF8.self)
        let quotes = rest.split(separator: rest.contains("\"") ? "\"" : "'", omittingEmptySubsequences: false)
        let name = quotes.count > 1 ? quotes[1].lowercased() : ""
        guard ["utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1"].contains(name) else {
            throw ModelFileError(.unsupportedForm, "The file says that its encoding is '\(name)'; models are in UTF-8.")
        }
    }
}

/// Collects the parser's events. The stack holds the open elements.
private final class TreeBuilder: NSObject, XMLParserDelegate {
    var root: XMLTree?
    var failure: ModelFileError?
    var lastLine = 0
    private var open: [XMLTree] = []

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        guard failure == nil else { return }
        lastLine = parser.lineNumber
        guard open.count < XMLTree.maximumDepth else {
            fail(parser, "Elements are nested more than \(XMLTree.maximumDepth) deep.")
            return
        }
        open.append(XMLTree(name: elementName, attributes: attributes, line: parser.lineNumber))
    }

    func parser(_ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName: String?) {
        guard failure == nil, let element = open.popLast() else { return }
        lastLine = parser.lineNumber
        if open.isEmpty {
            root = root ?? element
        } else {
            open[open.count - 1].children.append(element)
        }
    }

    func parser(_ parser: XMLParser, foundInternalEntityDeclarationWithName name: String, value: String?) {
        fail(parser, "The file declares the entity '\(name)', which a model never needs.")
    }

    func parser(
        _ parser: XMLParser, foundExternalEntityDeclarationWithName name: String, publicID: String?, systemID: String?
    ) {
        fail(parser, "The file declares the entity '\(name)', which a model never needs.")
    }

    private func fail(_ parser: XMLParser, _ explanation: String) {
        failure = failure ?? ModelFileError(.malformedXML(line: parser.lineNumber), explanation)
        parser.abortParsing()
    }
}
