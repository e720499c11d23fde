// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An error or warning with its place, printed in the format of compilers.

package import Foundation
import CoreDataModelFiles

/// A message that editors and build systems can link to its place.
package struct Diagnostic: Sendable, Equatable, CustomStringConvertible {
    package enum Severity: String, Sendable {
        case error
        case warning
    }

    package var severity: Severity
    package var file: String
    /// Counted from 1.
    package var line: Int
    /// A sentence that names entity and property.
    package var message: String

    package init(_ severity: Severity, _ file: String, line: Int = 1, _ message: String) {
        self.severity = severity
        self.file = file
        self.line = line
        self.message = message
    }

    var asWarning: Diagnostic { Diagnostic(.warning, file, line: line, message) }

    package var description: String { "\(file):\(line): \(severity.rawValue): \(message)" }

    /// The messages for an error of reading or writing; a model file may have several mistakes.
    static func all(of error: any Error, at url: URL) -> [Diagnostic] {
        (error as? ModelFileError)?.all.map { Diagnostic($0, at: url) } ?? [Diagnostic(error, at: url)]
    }

    /// The message for one error of reading or writing.
    package init(_ error: any Error, at url: URL) {
        let known = error as? ModelFileError
        self.init(
            .error, (known?.url ?? url).path, line: known?.line ?? 1,
            known?.explanation ?? (error as NSError).localizedDescription)
    }
}

/// The errors that prevented any output.
package struct GenerationFailure: Error, Sendable, CustomStringConvertible {
    package let diagnostics: [Diagnostic]

    package init(_ diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }

    package var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}
