// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts the values of records to values of columns and of attributes.

package import CoreData
import CoreDataModelFiles
import Foundation
package import SQLiteDriver

/// The values of records, as `ExactJSON` reads them.
package enum RecordValue {
    /// The text of NaN as a decimal number, in columns and in JSON.
    private static let notANumber = StoreTables.notANumber

    /// The value of an attribute for a value of a record; nil for null and for missing data.
    ///
    /// - Parameter data: the data for an object with the key "file" or "base64".
    /// - Throws: `ExchangeError` for a value that the attribute cannot hold.
    package static func value(
        _ json: Any, _ attribute: NSAttributeDescription, data: ([String: Any]) throws -> Data?
    ) throws -> Any? {
        let kind: StoreTables.Kind =
            switch attribute.attributeType {
            case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: .integer
            case .booleanAttributeType: .boolean
            case .floatAttributeType: .float
            case .doubleAttributeType: .double
            case .decimalAttributeType: .decimal
            case .dateAttributeType: .date
            case .stringAttributeType: .string
            case .URIAttributeType: .uri
            case .UUIDAttributeType: .uuid
            case .transformableAttributeType: .transformable
            default: .binary
            }
        switch try column(json, kind, data: data) {
        case .null: return nil
        case .integer(let number): return kind == .boolean ? NSNumber(value: number != 0) : NSNumber(value: number)
        case .real(let number):
            if kind == .date { return Date(timeIntervalSinceReferenceDate: number) }
            return kind == .decimal ? NSDecimalNumber(string: "\(number)") : NSNumber(value: number)
        case .text(StoreTables.notANumber) where kind == .decimal: return NSDecimalNumber.notANumber
        case .text(let text): return kind == .uri ? URL(string: text) as Any? : text
        case .blob(let data):
            if kind == .uuid { return UUID(bytes: data) }
            guard kind == .transformable else { return data }
            guard let value = try ArchivedValue.decode(data) else {
                throw ExchangeError("'\(attribute.name)' is an archive of a class that only its program knows.")
            }
            return value
        }
    }

    /// The value of a column for a JSON value as `JSONSerialization` reads it.
    ///
    /// - Parameter data: the data for an object with the key "file" or "base64".
    /// - Throws: `ExchangeError` for a value that the kind cannot hold.
    package static func column(
        _ json: Any, _ kind: StoreTables.Kind, data: ([String: Any]) throws -> Data?
    ) throws -> SQLiteValue {
        if let object = json as? [String: Any] {
            if let text = object["text"] as? String { return .text(text) }
            if let text = object["real"] as? String, let number = Double(text), !number.isNaN { return .real(number) }
            if let seconds = object["seconds"] as? NSNumber { return .real(seconds.doubleValue) }
            guard let bytes = try data(object) else { return .null }
            return .blob(bytes)
        }
        switch json {
        case is NSNull: return .null
        case let text as String:
            switch kind {
            case .string, .uri: return .text(text)
            case .date:
                guard let seconds = DateText.seconds(text) else { break }
                return .real(seconds)
            case .uuid:
                guard let uuid = UUID(uuidString: text) else { break }
                return .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
            case .binary, .externalBinary, .transformable:
                guard let bytes = Data(base64Encoded: text) else { break }
                return .blob(bytes)
            case .integer, .boolean:
                if let number = Int64(text) { return .integer(number) }
                if text == "true" || text == "false" { return .integer(text == "true" ? 1 : 0) }
            case .decimal where text == notANumber: return .text(notANumber)
            case .float, .double, .decimal:
                if let number = Double(text), !number.isNaN { return .real(number) }
                // SQLite would store NaN as null.
                if text.lowercased().hasSuffix("nan") {
                    throw ExchangeError("A column of the kind '\(kind)' has no NaN.")
                }
            }
            throw ExchangeError("'\(text)' is no value of the kind '\(kind)'.")
        case let number as NSNumber:
            switch kind {
            case .string, .uri: return .text("\(number)")
            case .integer, .boolean:
                guard let integer = Snapshot.integer(number) else { break }
                return .integer(integer)
            default: return .real(number.doubleValue)
            }
            throw ExchangeError("\(number) is no value of the kind '\(kind)'.")
        default: throw ExchangeError("\(json) is no value of the kind '\(kind)'.")
        }
    }
}

extension RecordValue {
    /// The data of an object with the key "file" or "base64"; nil for missing data.
    ///
    /// - Parameter folder: the folder of relative names.
    /// - Throws: `ExchangeError` for a file outside of the folder.
    package static func data(_ object: [String: Any], in folder: URL) throws -> Data? {
        if let text = object["base64"] as? String {
            guard let data = Data(base64Encoded: text) else { throw ExchangeError("This data is no base64.") }
            return data
        }
        guard let name = object["file"] as? String else {
            if object["missingFile"] != nil { return nil }
            throw ExchangeError("An object with '\(object.keys.sorted().joined(separator: ", "))' is no value.")
        }
        guard !name.hasPrefix("/"), !name.split(separator: "/").contains("..") else {
            throw ExchangeError("'\(name)' is a file outside of the export.")
        }
        do {
            return try Data(contentsOf: folder.appendingPathComponent(name))
        } catch {
            throw ExchangeError("\(name) cannot be read: \((error as NSError).localizedDescription)")
        }
    }
}

extension UUID {
    /// nil for data of another length than 16 bytes.
    package init?(bytes: Data) {
        guard bytes.count == 16 else { return nil }
        let b = [UInt8](bytes)
        self.init(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            ))
    }
}
