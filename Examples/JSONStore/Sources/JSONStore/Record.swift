// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One object as JSON: its entity, its version, its attributes, and links as "Entity/reference".

import CoreData
import Foundation

struct Record {
    let entity: String
    let version: UInt64
    private var values: [String: Any]

    /// - Throws: an error if the file is not a record.
    init(_ data: Data) throws {
        guard let content = try JSONSerialization.jsonObject(with: data) as? [String: Any],
            let entity = content["entity"] as? String, let version = content["version"] as? Int, version >= 0,
            let values = content["values"] as? [String: Any]
        else { throw CocoaError(.fileReadCorruptFile) }
        self.entity = entity
        self.version = UInt64(version)
        self.values = values
    }

    /// - Parameter stored: the result of `NSIncrementalStore.storedValues(of:)`.
    init(_ entity: NSEntityDescription, _ version: UInt64, _ stored: [String: Any], _ store: JSONStore) throws {
        self.entity = entity.name ?? ""
        self.version = version
        values = try Dictionary(
            uniqueKeysWithValues: stored.map { name, value in
                if let attribute = entity.attributesByName[name] { return (name, try attribute.json(value)) }
                let ids = value as? [NSManagedObjectID] ?? [value as? NSManagedObjectID].compactMap { $0 }
                return (name, ids.map(store.link))
            })
    }

    func data() throws -> Data {
        try JSONSerialization.data(
            withJSONObject: ["entity": entity, "version": Int(version), "values": values] as [String: Any],
            options: [.prettyPrinted, .sortedKeys])
    }

    /// The values of a node: attributes and to-one relationships, with `NSNull` for nil.
    func values(of entity: NSEntityDescription, _ store: JSONStore) throws -> [String: Any] {
        var result: [String: Any] = [:]
        for (name, attribute) in entity.attributesByName where !attribute.isTransient {
            result[name] = try values[name].map(attribute.value) ?? NSNull()
        }
        for (name, relationship) in entity.relationshipsByName where !relationship.isToMany {
            result[name] = try ids(relationship, store).first ?? NSNull()
        }
        return result
    }

    func ids(_ relationship: NSRelationshipDescription, _ store: JSONStore) throws -> [NSManagedObjectID] {
        try links(relationship.name).map(store.id)
    }

    func links(_ name: String) -> [String] { values[name] as? [String] ?? [] }

    /// Adds a link to a relationship or removes it. A to-one relationship has a single link.
    mutating func set(_ link: String, in relationship: NSRelationshipDescription, isThere: Bool) {
        let others = relationship.isToMany || !isThere ? links(relationship.name).filter { $0 != link } : []
        values[relationship.name] = isThere ? others + [link] : others
    }
}

extension NSAttributeDescription {
    /// Dates are seconds since 2001, data is base64; values that JSON cannot represent are keyed archives. Numbers with
    /// a fraction are texts: JSON has no infinity, and Foundation on Linux reads one in ten with another last digit.
    fileprivate func json(_ value: Any) throws -> Any {
        switch (attributeType, value) {
        case (.dateAttributeType, let date as Date): return date.timeIntervalSinceReferenceDate.description
        case (.binaryDataAttributeType, let data as Data): return data.base64EncodedString()
        case (.UUIDAttributeType, let uuid as UUID): return uuid.uuidString
        case (.URIAttributeType, let url as URL): return url.absoluteString
        case (.decimalAttributeType, let number as NSDecimalNumber): return number.description
        case (.doubleAttributeType, let number as NSNumber), (.floatAttributeType, let number as NSNumber):
            return number.doubleValue.description
        case (.transformableAttributeType, _), (.compositeAttributeType, _):
            let archive = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
            return archive.base64EncodedString()
        default: return value
        }
    }

    /// Malformed values are passed on unchanged: the base class reports the fault and its place.
    fileprivate func value(_ json: Any) throws -> Any {
        guard let text = json as? String else {
            guard attributeType == .dateAttributeType, let seconds = json as? Double else { return json }
            return Date(timeIntervalSinceReferenceDate: seconds)
        }
        switch attributeType {
        case .binaryDataAttributeType: return Data(base64Encoded: text) ?? json
        case .UUIDAttributeType: return UUID(uuidString: text) ?? json
        case .URIAttributeType: return URL(string: text) ?? json
        case .dateAttributeType: return Double(text).map(Date.init(timeIntervalSinceReferenceDate:)) ?? json
        case .decimalAttributeType: return NSDecimalNumber(string: text)
        case .doubleAttributeType, .floatAttributeType: return Double(text) ?? json
        case .transformableAttributeType, .compositeAttributeType:
            let classes: [AnyClass] = [
                NSDictionary.self, NSArray.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
                NSURL.self, NSUUID.self,
            ]
            let archive = Data(base64Encoded: text) ?? Data()
            return try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: archive) ?? NSNull()
        default: return json
        }
    }
}
