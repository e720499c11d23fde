// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads and writes values of other types than attributes have, along their form.

import CoreData
import Foundation

extension ValueForms {
    /// nil if the record has no value, or one that cannot be decoded as the type. Such a value is kept (SwiftData-V6).
    ///
    /// - Parameter initial: the initial value of the property, for mandatory members that the record lacks; nil for
    ///   none.
    static func read<Value: Codable>(
        _ row: ModelRow, _ slot: Int, _ key: StaticString, as type: Value.Type, initial: () -> Value? = { nil }
    ) -> Value? {
        guard let stored = row._value(slot, key) as Any? else { return nil }
        do {
            if let value = try value(stored, as: type, property: key.description, initial: initial) { return value }
            if isOfSeveralValues(type) { row.noteUnreadable(key.description) }
        } catch {
            row.noteUnreadable(key.description)
            ModelLog.warn(
                "'\(row.entity.name ?? "").\(key)' of \(row.objectID.uriRepresentation()) makes no \(type): \(error)")
        }
        return nil
    }

    /// Whether an undecodable value may hold more than the single value that would replace it.
    private static func isOfSeveralValues(_ type: any Any.Type) -> Bool {
        switch form(of: type) {
        case .archive, .json: true
        case .plain, .raw, .cases, .structure: false
        }
    }

    static func write<Value: Codable>(_ value: Value?, _ row: ModelRow, _ slot: Int, _ key: StaticString) {
        if row.wasDeleted { return }
        row.noteReplaced(key)
        do {
            guard let attribute = row.entity.attributesByName[key.description] else { return }
            row._setValue(try value.flatMap { try engineValue($0, in: attribute) }, slot, key)
        } catch {
            preconditionFailure("'\(row.entity.name ?? "").\(key)' cannot hold the \(Value.self): \(error)")
        }
    }

    /// A value of the engine as one of a Swift type.
    static func value<Value: Codable>(
        _ stored: Any, as type: Value.Type, property: String, initial: () -> Value? = { nil }
    ) throws -> Value? {
        if let optional = type as? any OptionalType.Type {
            guard let wrapped = optional.wrappedType as? any Codable.Type else { return nil }
            func value<Wrapped: Codable>(_ type: Wrapped.Type) throws -> Wrapped? {
                try self.value(stored, as: type, property: property) { initial() as? Wrapped }
            }
            return try value(wrapped) as? Value
        }
        let form = form(of: type)
        if let data = stored as? Data, form.mayBeJSON { return try JSONForm.value(data, as: type, initial: initial) }
        switch form {
        case .plain: return EngineValue.swift(stored, as: type)
        case .raw:
            guard let raw = (stored as? [String: Any])?[property], !(raw is NSNull) else { return nil }
            return (type as? any RawRepresentable.Type).flatMap { RawForm.value($0, raw) } as? Value
        case .cases(let leaves):
            guard let values = stored as? [String: Any],
                leaves.contains(where: { values[$0.name].map { !($0 is NSNull) } ?? false })
            else { return nil }
            return try CompositeDecoder.value(type, values, leaves)
        case .structure(let leaves):
            guard let values = stored as? [String: Any] else { return nil }
            // A record of another program may lack a mandatory structure.
            if values.isEmpty, leaves.contains(where: { !isOptional($0.type) }) { return nil }
            do {
                return try CompositeDecoder.value(type, values, leaves, .refused)
            } catch is CompositeDecoder.MemberMissing {
                let initial = try initial().flatMap { try engineValue($0, property: property) as? [String: Any] }
                return try CompositeDecoder.value(type, values, leaves, initial.map { .initial($0) } ?? .zeros)
            }
        case .archive:
            return stored as? Value ?? (stored as? NSArray as? [Any]) as? Value
        case .json: return stored as? Value
        }
    }

    /// A Swift value as an attribute of the engine has it: as its form says, or as JSON where it is marked `.codable`.
    static func engineValue(_ value: any Encodable, in attribute: NSAttributeDescription) throws -> Any? {
        if attribute.attributeType == .binaryDataAttributeType, form(of: Swift.type(of: value)).mayBeJSON {
            if let optional = value as? any OptionalType, optional.isNothing { return nil }
            return try JSONForm.data(value)
        }
        return try engineValue(value, property: attribute.name)
    }

    /// A Swift value as the engine's attribute of its form has it.
    static func engineValue(_ value: any Encodable, property: String) throws -> Any? {
        if let optional = value as? any OptionalType {
            guard let wrapped = optional.wrappedValue as? any Encodable else { return nil }
            return try engineValue(wrapped, property: property)
        }
        switch form(of: Swift.type(of: value)) {
        case .plain: return EngineValue.of(value)
        case .raw: return (value as? any RawRepresentable).map { [property: EngineValue.raw(of: $0)] }
        case .cases(let leaves): return try CompositeEncoder.dictionary(value, leaves, isEnumeration: true)
        case .structure(let leaves): return try CompositeEncoder.dictionary(value, leaves, isEnumeration: false)
        case .archive: return value
        case .json: return try JSONForm.data(value)
        }
    }

    /// A sample value of a type; nil if none can be made.
    static func sample(_ type: any Any.Type) -> Any? { ValueOutline.sample(type) }
}
