// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Keyed archives of plain values as JSON that a person edits. Studio-E7.

public import CoreData
import CoreDataExchange
import CoreDataModelFiles
import Foundation

/// The JSON of keyed archives: texts, numbers, Booleans, lists and dictionaries.
///
/// ```swift
/// if let text = ArchiveText.json(of: data) { show(text) }
/// book.setValue(try ArchiveText.archive(of: "[\"classic\", \"desert\"]"), forKey: "tags")
/// ```
public enum ArchiveText {
    /// The JSON of an archive.
    ///
    /// - Returns: nil for other data, and for an archive with anything that JSON would change: dates, sets, decimal
    ///   numbers, custom classes, mutable collections.
    public static func json(of data: Data) -> String? {
        guard let value = (try? ArchivedValue.decode(data)) ?? nil as Any?, !holdsDecimals(value),
            data.range(of: Data("NSMutable".utf8)) == nil
        else { return nil }
        let text = ContentText.json(value).prettyText
        guard let archive = try? archive(of: text), let copy = (try? ArchivedValue.decode(archive)) ?? nil as Any?,
            NSArray(array: [copy]) == NSArray(array: [value])
        else { return nil }
        return text
    }

    /// The archive of a JSON text, as the framework makes it for a transformable attribute without a transformer.
    ///
    /// - Throws: a sentence with the position of the mistake, for text that is no JSON, or is nested deeper than 64
    ///   levels.
    public static func archive(of json: String) throws(BrowsingError) -> Data {
        do {
            let value = plain(ContentText.json(try ExactJSON.value(Array(json.utf8)))).foundationValue ?? NSNull()
            guard let data = ArchivedValue.encode(value) else {
                throw ToolError("The JSON has more than 64 levels of lists and dictionaries.")
            }
            return data
        } catch {
            throw BrowsingError(error)
        }
    }

    /// Whether data is a keyed archive, of a plain value or of any class.
    public static func isArchive(_ data: Data) -> Bool {
        if ArchivedValue.className(data) != nil { return true }
        do {
            _ = try ArchivedValue.decode(data)
            return true
        } catch {
            return false
        }
    }

    private static func plain(_ value: JSONValue) -> PropertyListValue {
        switch value {
        case .null: .null
        case .boolean(let flag): .boolean(flag)
        case .number(let digits): Int64(digits).map { .integer($0) } ?? .real(Double(digits) ?? 0)
        case .string(let text): .string(text)
        case .array(let values): .array(values.map(plain))
        case .object(let members):
            .dictionary(Dictionary(members.map { ($0.key, plain($0.value)) }, uniquingKeysWith: { $1 }))
        }
    }

    /// A decimal number equals the nearest number of another kind, but has more digits.
    private static func holdsDecimals(_ value: Any) -> Bool {
        switch value {
        case is NSDecimalNumber: true
        case let values as [Any]: values.contains(where: holdsDecimals)
        case let values as [String: Any]: values.values.contains(where: holdsDecimals)
        default: false
        }
    }
}

extension BrowsedStore {
    /// Whether the model stores the values of a transformable attribute as keyed archives: it names no custom
    /// transformer.
    public static func isArchived(_ attribute: NSAttributeDescription) -> Bool {
        guard let name = WorkingModel.transformerName(of: attribute) else { return false }
        let original = NSAttributeDescription()
        original.valueTransformerName = name
        return AttributeTransform(original).transformerName == nil
    }
}
