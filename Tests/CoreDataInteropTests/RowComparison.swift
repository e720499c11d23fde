// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares objects with the rows that plain SQL finds, using only the published facts of Apple's format.

import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

/// Compares objects with their rows. All differences are collected: a list of them says more than the first one.
struct RowComparison {
    let stack: FixtureStack
    let contents: StoreContents
    private(set) var differences: [String] = []

    /// Leaves out values that triggers compute: an object has them after a refresh.
    private let skipsComputed: Bool

    init(_ stack: FixtureStack, _ contents: StoreContents, skipsComputed: Bool = false) {
        self.stack = stack
        self.contents = contents
        self.skipsComputed = skipsComputed
    }

    // MARK: One row

    mutating func compare(_ object: NSManagedObject) {
        let mapping = stack.mapping(object.entity)
        guard let row = contents.row(mapping.table.name, object.rowKey) else {
            differences.append("\(object.label) has no row")
            return
        }
        if row["Z_ENT"] != .integer(stack.numbers[object.entity.name!] ?? mapping.number) {
            differences.append("\(object.label) has the number \(row["Z_ENT"] ?? .null)")
        }
        for (slot, property) in mapping.layout.properties.enumerated() {
            switch mapping.storage[slot] {
            case .none: continue
            case .attribute(let column):
                guard let attribute = property as? NSAttributeDescription,
                    !skipsComputed || !isComputed(column.name, mapping)
                else { continue }
                compare(object, attribute, object.value(forKey: property.name), row[column.name] ?? .null)
            case .composite(let leaves):
                let value = object.value(forKey: property.name)
                for leaf in leaves {
                    guard let element = Self.element(leaf.path[...], property as? NSAttributeDescription) else {
                        continue
                    }
                    compare(object, element, Self.value(leaf.path[...], value), row[leaf.column.name] ?? .null)
                }
            case .toOne(let columns):
                let destination = object.value(forKey: property.name) as? NSManagedObject
                let key = destination.map { SQLiteValue.integer($0.rowKey) } ?? .null
                expect(object, property.name, key, row[columns.key] ?? .null)
                if let column = columns.entity {
                    let number = destination.flatMap { stack.numbers[$0.entity.name!] }.map { SQLiteValue.integer($0) }
                    expect(object, property.name, number ?? .null, row[column] ?? .null)
                }
            case .toMany(let storage): compare(object, property.name, storage, mapping)
            }
        }
    }

    /// Columns of its table that the row of an object of an entity leaves empty.
    mutating func compareUnused(_ object: NSManagedObject) {
        let mapping = stack.mapping(object.entity)
        guard let row = contents.row(mapping.table.name, object.rowKey) else { return }
        let used = Self.columns(mapping, nil).union(["Z_PK", "Z_ENT", "Z_OPT"])
        for (column, value) in row where !used.contains(column) && !value.isNull && !isOfMembership(column, mapping) {
            differences.append("\(object.label) has \(value) in the column \(column) of another entity")
        }
    }

    /// The columns of an entity that hold some of its properties; those of all when none are named.
    static func columns(_ mapping: EntityMapping, _ names: Set<String>?) -> Set<String> {
        var result: Set<String> = []
        for (slot, property) in mapping.layout.properties.enumerated() where names?.contains(property.name) ?? true {
            switch mapping.storage[slot] {
            case .attribute(let column): result.insert(column.name)
            case .composite(let leaves): result.formUnion(leaves.map(\.column.name))
            case .toOne(let columns): result.formUnion([columns.key] + (columns.entity.map { [$0] } ?? []))
            default: break
            }
        }
        return result
    }

    private func isComputed(_ column: String, _ mapping: EntityMapping) -> Bool {
        stack.computedColumns[mapping.table.name]?.contains(column) ?? false
    }

    /// Whether a column holds an order key, or the owner in a relationship without inverse.
    func isOfMembership(_ column: String, _ mapping: EntityMapping) -> Bool {
        column.hasPrefix("Z_FOK_")
            || stack.schema.entities.contains { other in
                other.storage.contains { storage in
                    guard case .toMany(.column(let name, _, let table)) = storage else { return false }
                    return name == column && table === mapping.table
                }
            }
    }

    // MARK: Members

    private mutating func compare(
        _ object: NSManagedObject, _ name: String, _ storage: ToManyStorage, _ mapping: EntityMapping
    ) {
        let members = object.destinations(name)
        let isOrdered = object.entity.relationshipsByName[name]?.isOrdered ?? false
        var stored: [(key: Int64, order: SQLiteValue)] = []
        switch storage {
        case .column(let column, let order, let table):
            guard membersByOwner(table.name, column).count > 0 || !members.isEmpty else { return }
            for row in membersByOwner(table.name, column)[object.rowKey] ?? [] {
                // Two owners of different entities may share the column of a member's table, but not their keys.
                stored.append((row["Z_PK"]?.integerValue ?? -1, order.flatMap { row[$0] } ?? .null))
            }
        case .join(let table, let isOwner):
            let (own, other) =
                isOwner ? (table.ownerColumn, table.memberColumn) : (table.memberColumn, table.ownerColumn)
            let order = isOwner ? table.memberOrder : table.ownerOrder
            for row in membersByOwner(table.name, own)[object.rowKey] ?? [] {
                stored.append((row[other]?.integerValue ?? -1, order.flatMap { row[$0] } ?? .null))
            }
        }
        if isOrdered {
            let keys = stored.map { $0.order.integerValue ?? .min }
            if Set(keys).count != keys.count || keys.contains(where: { $0 <= 0 }) {
                differences.append("\(object.label).\(name) has the order keys \(keys)")
            }
            stored.sort { ($0.order.integerValue ?? 0) < ($1.order.integerValue ?? 0) }
            if members.map(\.rowKey) != stored.map(\.key) {
                differences.append(
                    "\(object.label).\(name) is \(members.map(\.rowKey)), and in the rows \(stored.map(\.key))")
            }
        } else if members.map(\.rowKey).sorted() != stored.map(\.key).sorted() {
            differences.append(
                "\(object.label).\(name) is \(members.map(\.rowKey)), and in the rows \(stored.map(\.key))")
        }
    }

    private final class Index { var rows: [String: [Int64: [StoreContents.Row]]] = [:] }
    private let index = Index()

    private func membersByOwner(_ table: String, _ column: String) -> [Int64: [StoreContents.Row]] {
        if let known = index.rows["\(table) \(column)"] { return known }
        var result: [Int64: [StoreContents.Row]] = [:]
        for row in contents.rows(table) {
            if let owner = row[column]?.integerValue { result[owner, default: []].append(row) }
        }
        index.rows["\(table) \(column)"] = result
        return result
    }

    // MARK: One value

    private mutating func compare(
        _ object: NSManagedObject, _ attribute: NSAttributeDescription, _ value: Any?, _ stored: SQLiteValue
    ) {
        if attribute.attributeType == .transformableAttributeType {
            // Only the transformer knows the bytes; here just their presence is compared.
            if value != nil, stored.isNull { differences.append("\(object.label).\(attribute.name) is not stored") }
        } else if attribute.allowsExternalBinaryDataStorage, let data = value as? Data {
            compareExternal(object, attribute, data, stored)
        } else {
            expect(object, attribute.name, Self.column(attribute, value), stored)
        }
    }

    private mutating func compareExternal(
        _ object: NSManagedObject, _ attribute: NSAttributeDescription, _ data: Data, _ stored: SQLiteValue
    ) {
        guard let column = stored.blobValue else {
            differences.append("\(object.label).\(attribute.name) is not stored")
            return
        }
        if column.first == 2 {
            let name = String(decoding: column.dropFirst().dropLast(), as: UTF8.self)
            let base = stack.url.deletingPathExtension().lastPathComponent
            let file = stack.url.deletingLastPathComponent().appendingPathComponent(
                ".\(base)_SUPPORT/_EXTERNAL_DATA/\(name)")
            if (try? Data(contentsOf: file)) == data, column.count == 38, column.last == 0 { return }
        } else if column == Data([1]) + data {
            return
        }
        differences.append("\(object.label).\(attribute.name) is stored as \(column.prefix(40) as NSData)")
    }

    private mutating func expect(
        _ object: NSManagedObject, _ name: String, _ expected: SQLiteValue, _ stored: SQLiteValue
    ) {
        if expected == stored { return }
        // Whole seconds and whole decimals are stored as integers.
        if let one = expected.realValue, let other = stored.realValue, one == other { return }
        differences.append("\(object.label).\(name) is \(expected), and in its row \(stored)")
    }

    private static func column(_ attribute: NSAttributeDescription, _ value: Any?) -> SQLiteValue {
        guard let value else { return .null }
        switch (attribute.attributeType, value) {
        case (.booleanAttributeType, let number as NSNumber): return .integer(number.boolValue ? 1 : 0)
        case (.decimalAttributeType, let number as NSDecimalNumber): return .real(Double("\(number)") ?? .nan)
        case (.doubleAttributeType, let number as NSNumber), (.floatAttributeType, let number as NSNumber):
            return .real(number.doubleValue)
        case (_, let number as NSNumber): return .integer(number.int64Value)
        case (.dateAttributeType, let date as Date): return .real(date.timeIntervalSinceReferenceDate)
        case (.stringAttributeType, let text as String): return .text(text)
        case (.URIAttributeType, let url as URL): return .text(url.absoluteString)
        case (.UUIDAttributeType, let uuid as UUID): return .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        case (_, let data as Data): return .blob(data)
        default: return .text("a value of type \(type(of: value)), which is none of the attribute")
        }
    }

    private static func element(_ path: ArraySlice<String>, _ attribute: NSAttributeDescription?)
        -> NSAttributeDescription?
    {
        guard let name = path.first else { return attribute }
        let elements = (attribute as? NSCompositeAttributeDescription)?.elements
        return element(path.dropFirst(), elements?.first { $0.name == name })
    }

    private static func value(_ path: ArraySlice<String>, _ value: Any?) -> Any? {
        guard let name = path.first else { return value }
        return Self.value(path.dropFirst(), (value as? [String: Any])?[name])
    }
}
