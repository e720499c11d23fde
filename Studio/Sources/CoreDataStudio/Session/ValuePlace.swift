// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The place of an edited value: an attribute, or an element of a composite one. Studio-E7.

import CoreData
import CoreDataToolKit
import Foundation

/// The value that a path such as "title" or "size.width" names.
struct ValuePlace {
    /// The attribute of the object.
    let key: String
    /// The names of elements inside of it.
    private let elements: [String]
    /// The attribute, or the innermost element.
    let attribute: NSAttributeDescription

    /// - Throws: `FieldFailure` for an unknown path, and for one to a derived value.
    init(_ path: String, in entity: NSEntityDescription) throws {
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard var found = entity.attributesByName[names[0]], !(found is NSDerivedAttributeDescription) else {
            throw FieldFailure("\(path) cannot be edited.")
        }
        for name in names.dropFirst() {
            guard let composite = found as? NSCompositeAttributeDescription,
                let element = composite.elements.first(where: { $0.name == name })
            else { throw FieldFailure("\(path) cannot be edited.") }
            found = element
        }
        key = names[0]
        elements = Array(names.dropFirst())
        attribute = found
    }

    /// The present value.
    func value(in object: NSManagedObject) -> Any? {
        elements.reduce(object.value(forKey: key)) { value, name in (value as? [String: Any])?[name] }
    }

    /// The value of the whole attribute after a change at this place; nil if no element has a value left.
    func whole(_ value: Any?, in object: NSManagedObject) -> Any? {
        Self.changed(object.value(forKey: key), elements[...], to: value)
    }

    private static func changed(_ whole: Any?, _ path: ArraySlice<String>, to value: Any?) -> Any? {
        guard let name = path.first else { return value }
        var parts = whole as? [String: Any] ?? [:]
        parts[name] = changed(parts[name], path.dropFirst(), to: value)
        return parts.isEmpty ? nil : parts
    }
}

/// The text of a value that takes more than one line.
enum ValueSource {
    private static let limit = 100_000

    /// The text of data or of an archive.
    ///
    /// - Returns: empty for no value; nil for a value without a text that can be edited without loss.
    static func text(of value: Any?, for attribute: NSAttributeDescription) -> String? {
        if BrowsedStore.isTransformable(attribute) {
            guard let data = value as? Data else { return BrowsedStore.isArchived(attribute) ? "" : nil }
            return data.count <= limit ? ArchiveText.json(of: data) : nil
        }
        guard let data = value as? Data, !data.isEmpty else { return "" }
        guard data.count <= limit, let text = String(data: data, encoding: .utf8), isTypable(text) else { return nil }
        return text
    }

    /// The data of a text.
    ///
    /// - Throws: `FieldFailure` for text that is no JSON, where an archive is needed.
    static func data(of text: String, for attribute: NSAttributeDescription) throws -> Data {
        guard BrowsedStore.isTransformable(attribute) else { return Data(text.utf8) }
        do {
            return try ArchiveText.archive(of: text)
        } catch {
            throw FieldFailure("JSON is needed here, such as [\"a\", 1]. \(error)")
        }
    }

    /// - Throws: `FieldFailure` for a file that a program could not read as the value.
    static func data(ofFile data: Data, for attribute: NSAttributeDescription) throws -> Data {
        guard attribute.attributeType == .binaryDataAttributeType else {
            throw FieldFailure("\(attribute.name) holds no data, so no file can be put there.")
        }
        guard !BrowsedStore.isArchived(attribute) || ArchiveText.isArchive(data) else {
            throw FieldFailure("\(attribute.name) holds keyed archives, and this file is none.")
        }
        return data
    }

    /// Whether a field of a page shows all characters of a text, and gives them back as they are.
    static func isTypable(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar == "\n" || scalar == "\t" || scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
        }
    }
}
