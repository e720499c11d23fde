// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What goes wrong when a model file is found, read or written.

package import Foundation

/// A model file that could not be read or written: what is wrong, where, and a sentence that names the things involved.
///
/// Readers of bytes do not know their file: `url` is nil there and filled in by whoever opened the file.
package struct ModelFileError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable, Equatable {
        /// Nothing is at the location.
        case notFound
        /// A folder stands where a file belongs.
        case isDirectory
        /// The system refused to read or write.
        case unreadable
        /// Not well-formed XML, or XML that is no model; lines count from 1.
        case malformedXML(line: Int)
        /// A property list that is damaged or lacks what it must hold.
        case malformedPropertyList
        /// A keyed archive that is damaged, contradicts itself, or holds something that is no model.
        case malformedArchive
        /// Compressed bytes that are damaged or grow beyond the limit.
        case malformedCompression
        /// An attribute type with a name or number that no known version of the format has.
        case unknownType(String)
        /// A file of a kind, or with a feature, that is not handled.
        case unsupportedForm
        /// A bundle without the version asked for, or with several versions and nothing that says which is current.
        case noVersion
    }

    package var kind: Kind
    package var url: URL?
    /// A sentence for people; it names entities, properties, keys.
    package var explanation: String

    /// Where in the file, from 1; nil where that is not known.
    package var line: Int?

    package init(_ kind: Kind, url: URL? = nil, _ explanation: String) {
        self.kind = kind
        if case .malformedXML(let line) = kind, line > 0 { self.line = line }
        self.url = url
        self.explanation = explanation
    }

    package var description: String {
        let place = line.map { ", line \($0)" } ?? ""
        guard let url else { return place.isEmpty ? explanation : "\(explanation) (at\(place.dropFirst()))" }
        return "\(url.isFileURL ? url.path : url.absoluteString)\(place): \(explanation)"
    }

    /// The same error with the file it belongs to; a file already known is kept.
    func located(at url: URL) -> ModelFileError {
        var error = self
        error.url = error.url ?? url
        return error
    }
}
