// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The errors of finding, reading and writing model files.

package import Foundation

/// A failure to read or write a model file: its kind, its place, and a sentence that names the affected parts.
///
/// Readers of bytes do not know their file: `url` is nil in their errors, and the code that opened the file sets it.
package struct ModelFileError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable, Equatable {
        /// The location is empty.
        case notFound
        /// The location contains a folder instead of a file.
        case isDirectory
        /// The system denied reading or writing.
        case unreadable
        /// Malformed XML, or XML that is not a model; lines count from 1.
        case malformedXML(line: Int)
        /// A damaged property list, or one without required contents.
        case malformedPropertyList
        /// A damaged or inconsistent keyed archive, or one that contains no model.
        case malformedArchive
        /// Damaged compressed data, or data beyond the size limit.
        case malformedCompression
        /// An attribute type with an unknown name or number.
        case unknownType(String)
        /// A file of an unsupported kind, or with an unsupported feature.
        case unsupportedForm
        /// A bundle without the requested version, or with several versions and no current one.
        case noVersion
    }

    package var kind: Kind
    package var url: URL?
    /// A sentence for the user; it names entities, properties, keys.
    package var explanation: String

    /// The line in the file, from 1; nil if unknown.
    package var line: Int?

    /// The mistakes of the same file after this one. Their own lists are empty.
    private(set) var others: [ModelFileError] = []

    /// This mistake and the others of the same file, in the order of the file.
    package var all: [ModelFileError] {
        var first = self
        first.others = []
        return [first]
            + others.map { other in
                var other = other
                other.url = url
                return other
            }
    }

    /// - Parameter all: mistakes of one file, in the order of the file; at least one.
    init(all: [ModelFileError]) {
        self = all[0]
        others = Array(all.dropFirst())
    }

    package init(_ kind: Kind, url: URL? = nil, _ explanation: String) {
        self.kind = kind
        if case .malformedXML(let line) = kind, line > 0 { self.line = line }
        self.url = url
        self.explanation = explanation
    }

    /// A line for each mistake.
    package var description: String { all.map(\.sentence).joined(separator: "\n") }

    private var sentence: String {
        let place = line.map { ", line \($0)" } ?? ""
        guard let url else { return place.isEmpty ? explanation : "\(explanation) (at\(place.dropFirst()))" }
        return "\(url.isFileURL ? url.path : url.absoluteString)\(place): \(explanation)"
    }

    /// The same error with the URL of its file; an already known URL is kept.
    func located(at url: URL) -> ModelFileError {
        var error = self
        error.url = error.url ?? url
        return error
    }
}
