// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads untrusted XML into a tree of elements.

package import Foundation

/// Builds a tree within the limits of `XMLEventReader` and a limit of the file size.
package enum XMLTreeReader {
    static let maximumSize = 64 << 20

    /// - Throws: `malformedXML` with the line; `unsupportedForm` for declared entities, other encodings, and files
    ///   above 64 MB.
    package static func read(_ data: Data) throws -> XMLTree {
        guard data.count <= maximumSize else {
            throw ModelFileError(.unsupportedForm, "The file has \(data.count) bytes; the limit is \(maximumSize).")
        }
        let bytes = [UInt8](data)
        guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else {
            throw ModelFileError(.unsupportedForm, "The file is not text in UTF-8.")
        }
        return try tree(XMLEventReader(bytes))
    }

    private static func tree(_ source: XMLEventReader) throws -> XMLTree {
        var reader = source
        var open: [XMLTree] = []
        var root: XMLTree?
        while true {
            switch try reader.next() {
            case .start:
                let attributes = Dictionary(
                    reader.attributes.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
                open.append(XMLTree(name: reader.name, attributes: attributes, line: reader.startLine))
            case .end:
                let element = open.removeLast()
                if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
            case .text: break  // without meaning in a model
            case .endOfFile:
                guard let root else { throw reader.failure("There is no element") }
                return root
            }
        }
    }
}
