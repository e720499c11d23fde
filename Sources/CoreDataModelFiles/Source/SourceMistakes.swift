// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Collects the mistakes of a model source, so that all of them are reported at once.

import Foundation

/// Collects mistakes while a source is read: a part with a mistake is left out, and reading goes on.
///
/// Use the result only if `finish()` reports no mistakes in the end.
final class SourceMistakes {
    private var found: [ModelFileError] = []
    private var seen: Set<String> = []
    /// The elements that enclose the current one.
    private var path: [XMLTree] = []

    /// Reads an element. Mistakes in it carry the names of the enclosing elements, and its own.
    func inside<Value>(_ element: XMLTree, _ read: () -> Value) -> Value {
        path.append(element)
        defer { path.removeLast() }
        return read()
    }

    /// - Returns: nil if reading throws; the mistake is noted.
    func value<Value>(_ read: () throws -> Value?) -> Value? {
        do {
            return try read()
        } catch let error as ModelFileError {
            note(error)
            return nil
        } catch {
            note(ModelFileError(.unsupportedForm, (error as NSError).localizedDescription))
            return nil
        }
    }

    /// The value of a required attribute; empty for a missing one, which is noted.
    func required(_ name: String, of element: XMLTree) -> String { value { try element.required(name) } ?? "" }

    /// Notes a mistake in the innermost element. The elements of a composite are read for each attribute of its type,
    /// but a mistake counts once.
    func note(_ mistake: ModelFileError) {
        var mistake = mistake
        mistake.line = mistake.line ?? path.last?.line
        guard seen.insert("\(mistake.line ?? 0) \(mistake.explanation)").inserted else { return }
        let names = path.compactMap { $0.nonEmpty("name") }
        if !names.isEmpty { mistake.explanation = "'\(names.joined(separator: "."))': \(mistake.explanation)" }
        found.append(mistake)
    }

    /// - Throws: all mistakes as one `ModelFileError`, in the order of the file.
    func finish() throws {
        guard !found.isEmpty else { return }
        let sorted = found.enumerated().sorted { ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset) }
        throw ModelFileError(all: sorted.map(\.element))
    }
}
