// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An element of an XML document, with typed access to its attributes.

import Foundation

/// An element with its line number. Text between elements is dropped: models store everything in attributes.
package struct XMLTree {
    package let name: String
    package let attributes: [String: String]
    package let line: Int
    package internal(set) var children: [XMLTree] = []

    func children(named name: String) -> [XMLTree] { children.filter { $0.name == name } }

    package func attribute(_ name: String) -> String? { attributes[name] }

    /// The value of an attribute; nil also if it is empty.
    func nonEmpty(_ name: String) -> String? { attributes[name].flatMap { $0.isEmpty ? nil : $0 } }

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
