// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Recognizes optimized models (`.omo`), and finds the compiled models that are read in their place.

import Foundation

/// The second file that Xcode writes for the current version of a compiled model. It begins with `momv2$`.
enum OptimizedModel {
    private static let suffix = ".omo"

    static func begins(_ data: Data) -> Bool { data.starts(with: Data("momv2$".utf8)) }

    /// - Throws: `ModelFileError.unsupportedForm` for an optimized model without its `.mom`.
    /// - Returns: the `.mom` for an `.omo`, and any other file as it is.
    static func plainModel(of url: URL) throws -> URL {
        guard url.lastPathComponent.hasSuffix(suffix) else { return url }
        let plain = url.deletingPathExtension().appendingPathExtension("mom")
        guard FileManager.default.fileExists(atPath: plain.path) else { throw unreadable.located(at: url) }
        return plain
    }

    /// The names in a `.momd` that have an `.omo` and no `.mom`.
    static func versionsWithoutPlainModel(_ names: [String]) -> [String] {
        names.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }
            .filter { !names.contains($0 + ".mom") }
    }

    static var unreadable: ModelFileError {
        ModelFileError(
            .unsupportedForm,
            "This is an optimized model (.omo), which Apple's framework alone reads: use the .mom of the same version.")
    }

    static func unreadable(_ version: String, in folder: URL) -> ModelFileError {
        ModelFileError(
            .unsupportedForm, url: folder,
            "The version '\(version)' has an optimized model (\(version).omo) alone, which Apple's framework alone "
                + "reads: add \(version).mom, or compile the model anew.")
    }
}
