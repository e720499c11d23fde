// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// How the values of a Swift type are kept in attributes. SwiftData-V1 to V6, V9.

import CoreData
import CoreDataModeling
import Foundation
import Synchronization

/// The form of one type, without its optionality.
indirect enum ValueForm: Sendable {
    /// An attribute type of the engine.
    case plain(NSAttributeType)
    /// An enumeration with raw values: a composite with one leaf, which has the property's name.
    case raw(NSAttributeType)
    /// An enumeration without raw values: a composite with one leaf for each case.
    case cases([Leaf])
    /// A structure: a composite with a leaf for each stored property.
    case structure([Leaf])
    /// An array of attribute values: an archive.
    case archive(className: String)
    /// Anything else that is `Codable`: JSON.
    case json

    /// A member of a structure, or a case of an enumeration.
    struct Leaf: Sendable {
        let name: String
        let form: ValueForm
        let type: any Any.Type
    }

    /// Whether an attribute that is marked `.codable` holds it as JSON. Attribute types are stored as they are.
    var mayBeJSON: Bool { if case .plain = self { false } else { true } }

    /// The type of an attribute of this form, other than composites.
    var attributeType: NSAttributeType {
        switch self {
        case .plain(let type), .raw(let type): type
        case .archive: .transformableAttributeType
        case .json: .binaryDataAttributeType
        case .cases, .structure: .compositeAttributeType
        }
    }
}

/// Finds the forms of types, once for each.
enum ValueForms {
    private static let known = Mutex<[ObjectIdentifier: ValueForm]>([:])

    /// - Parameter type: an optional counts as the type that it wraps.
    static func form(of type: any Any.Type) -> ValueForm {
        let type = unwrapped(type)
        let key = ObjectIdentifier(type)
        if let form = known.withLock({ $0[key] }) { return form }
        let form = makeForm(type, OpenTypes())
        known.withLock { $0[key] = form }
        return form
    }

    /// The form of a member or a payload.
    ///
    /// - Parameter open: the types that contain it.
    static func form(of type: any Any.Type, in open: OpenTypes) -> ValueForm { makeForm(unwrapped(type), open) }

    /// The type that an optional wraps.
    static func unwrapped(_ type: any Any.Type) -> any Any.Type {
        (type as? any OptionalType.Type).map { unwrapped($0.wrappedType) } ?? type
    }

    static func isOptional(_ type: any Any.Type) -> Bool { type is any OptionalType.Type }

    private static func makeForm(_ type: any Any.Type, _ open: OpenTypes) -> ValueForm {
        if let plain = type as? any ManagedAttributeValue.Type { return .plain(plain._attributeType) }
        if let representable = type as? any RawRepresentable.Type, let raw = rawType(representable) { return .raw(raw) }
        if let array = type as? any ValueArray.Type, array.elementType is any ManagedAttributeValue.Type {
            return .archive(className: "Array<\(array.elementType)>")
        }
        // Foundation traps at a character set of no bytes, so sets are not made of nothing.
        if type is any CollectionOfValues.Type || type is any SetAlgebra.Type { return .json }
        guard let decodable = type as? any Decodable.Type else { return .json }
        return open.within(type) { ValueOutline.form(of: decodable, open) } ?? .json
    }

    private static func rawType<Value: RawRepresentable>(_ type: Value.Type) -> NSAttributeType? {
        (Value.RawValue.self as? any ManagedAttributeValue.Type)?._attributeType
    }
}

/// The types whose members are being examined, one within another.
final class OpenTypes {
    private var open: Set<ObjectIdentifier> = []
    private var recursive: Set<ObjectIdentifier> = []

    /// nil for a type that contains itself: it would have members without end.
    func within<Result>(_ type: any Any.Type, _ body: () -> Result?) -> Result? {
        let key = ObjectIdentifier(type)
        guard open.insert(key).inserted else {
            recursive.insert(key)
            return nil
        }
        let result = body()
        open.remove(key)
        return recursive.contains(key) ? nil : result
    }
}

protocol OptionalType {
    static var wrappedType: any Any.Type { get }
    var wrappedValue: Any? { get }
    static var nothing: Self { get }
}

extension OptionalType {
    var isNothing: Bool { wrappedValue == nil }
}

extension Optional: OptionalType {
    static var wrappedType: any Any.Type { Wrapped.self }
    var wrappedValue: Any? { self }
    static var nothing: Wrapped? { nil }
}

protocol ValueArray {
    static var elementType: any Any.Type { get }
}

extension Array: ValueArray {
    static var elementType: any Any.Type { Element.self }
}

protocol CollectionOfValues {}

extension Array: CollectionOfValues {}
extension Set: CollectionOfValues {}
extension Dictionary: CollectionOfValues {}
