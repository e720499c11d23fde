// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The names of the key paths of models. SwiftData-P2.

import CoreData
import CoreDataFoundation
import Foundation
import Synchronization
@_spi(Reflection) import Swift

/// A key path has no names at run time. Those in a class's `schemaMetadata` are known; the names of any other one are
/// found by reading it from a new instance, which notes the properties that are read.
enum ModelKeyPaths {
    /// Key paths capture nothing here.
    private struct Known: Hashable, @unchecked Sendable {
        let path: AnyKeyPath
    }

    struct Property {
        /// nil for a path without a name.
        let name: String?
        /// Whether the value is a list of values, not of models.
        let isCollection: Bool
    }

    private static let known = Mutex<[Known: Property]>([:])

    /// The name of a property; "address.city" for a member of a structure, "author.name" through a to-one, and the leaf
    /// of an enumeration. Empty for a key path to the value of its root. nil for a value that is not stored.
    static func name(of path: AnyKeyPath) -> String? { property(path).name }

    static func property(_ path: AnyKeyPath) -> Property {
        let key = Known(path: path)
        if let property = known.withLock({ $0[key] }) { return property }
        let type = Swift.type(of: path).valueType
        let isCollection = ValueForms.unwrapped(type) is any CollectionOfValues.Type && Destination(type) == nil
        let property = Property(name: find(path), isCollection: isCollection)
        known.withLock { $0[key] = property }
        return property
    }

    /// For errors: the name of the property or member that a key path without a stored value ends in; else that of the
    /// stored property that its accessor reads.
    static func place(of path: AnyKeyPath) -> String? {
        let words = "\(path)".split(separator: ".").dropFirst().map { $0.filter { $0 != "?" && $0 != "!" } }
        if !words.isEmpty, !words.contains(where: { $0.hasPrefix("<") }) { return words.joined(separator: ".") }
        guard let model = type(of: path).rootType as? any PersistentModel.Type else { return nil }
        return ModelProbe.firstRead(of: path, in: model)
    }

    private static func find(_ path: AnyKeyPath) -> String? {
        let root = type(of: path).rootType
        if let model = root as? any PersistentModel.Type { return name(of: path, in: model) }
        if path == \PersistentIdentifier.id { return "" }
        if let raw = root as? any RawRepresentable.Type, isRawValue(path, raw) { return "" }
        return member(of: path, in: root)
    }

    private static func isRawValue<Value: RawRepresentable>(_ path: AnyKeyPath, _ type: Value.Type) -> Bool {
        // The key path of the type itself is another one than that of the protocol.
        guard let typed = path as? KeyPath<Value, Value.RawValue>, let sample = ValueForms.sample(type) as? Value,
            let raw = sample.rawValue as? AnyHashable
        else { return false }
        return raw == sample[keyPath: typed] as? AnyHashable
    }

    /// A stored property of a structure.
    private static func member(of path: AnyKeyPath, in type: any Any.Type) -> String? {
        func search<Root>(_ type: Root.Type) -> String? {
            var found: String?
            _ = _forEachFieldWithKeyPath(of: type) { name, field in
                if field == path { found = String(cString: name) }
                return found == nil
            }
            return found
        }
        guard let name = search(type) else { return nil }
        return leaf(name, Swift.type(of: path).valueType, isTop: false)
    }

    private static func name<Model: PersistentModel>(of path: AnyKeyPath, in type: Model.Type) -> String? {
        if path == \Model.persistentModelID { return "objectID" }
        let valueType = Swift.type(of: path).valueType
        var next: (any PersistentModel.Type)? = type
        while let current = next {
            if let found = current.schemaMetadata.first(where: { !$0.name.isEmpty && $0.keypath == path }) {
                return leaf(found.name, valueType, isTop: true)
            }
            next = SchemaOutline.superclass(of: current)
        }
        return ModelProbe.name(of: path, in: type, valueType) ?? inheritedConstant(path, in: type, valueType)
    }

    /// Reading a constant of a superclass notes nothing, and its key path has another root there. So its name comes
    /// from the key path's text, and its type and value have to be the same.
    private static func inheritedConstant<Model: PersistentModel>(
        _ path: AnyKeyPath, in type: Model.Type, _ valueType: any Any.Type
    ) -> String? {
        let model = type.init(_$row: ModelRow(entity: ClassEntities.entity(of: type), insertInto: nil))
        let text = "\(path)".split(separator: ".").last.map(String.init)
        var next = SchemaOutline.superclass(of: type)
        while let current = next {
            if let found = current.schemaMetadata.first(where: { $0.name == text }),
                Swift.type(of: found.keypath).valueType == valueType,
                let value = model[keyPath: path] as? AnyHashable, value == model[keyPath: found.keypath] as? AnyHashable
            {
                return leaf(found.name, valueType, isTop: true)
            }
            next = SchemaOutline.superclass(of: current)
        }
        return nil
    }

    /// An enumeration with raw values is compared by its leaf.
    static func leaf(_ name: String, _ type: any Any.Type, isTop: Bool) -> String {
        guard isTop, case .raw = ValueForms.form(of: type), Destination(type) == nil else { return name }
        return "\(name).\(name)"
    }
}

/// Reads a key path from an instance that is in no context.
private enum ModelProbe {
    /// Probes with two values for each property: a computed property may give one of them back, as twice zero is zero.
    static func name<Model: PersistentModel>(
        of path: AnyKeyPath, in type: Model.Type, _ valueType: any Any.Type
    ) -> String? {
        let names = [false, true].map { name(of: path, in: type, valueType, isUnusual: $0) }
        return names[0] == names[1] ? names[0] : nil
    }

    /// Reads again, with an object at the end of each to-one in the path, until it reads a value.
    private static func name<Model: PersistentModel>(
        of path: AnyKeyPath, in type: Model.Type, _ valueType: any Any.Type, isUnusual: Bool
    ) -> String? {
        guard let typed = path as? PartialKeyPath<Model> else { return nil }
        var places = [Place(type, isUnusual: isUnusual)]
        guard let model = places[0].model as? Model else { return nil }
        var names: [String] = []
        while true {
            var value: Any?
            let reads = PropertyReads.all { value = model[keyPath: typed] }
            let place = places[places.count - 1]
            if reads.count == places.count - 1 {
                // `id` and `persistentModelID` read no property.
                let identifier = (value as? any OptionalType).map { $0.wrappedValue } ?? value
                guard identifier as? PersistentIdentifier == place.model.persistentModelID else { return nil }
                return (names + ["objectID"]).joined(separator: ".")
            }
            guard reads.count == places.count, let read = reads.last, read.object === place.row,
                let property = place.samples.properties[read.name]
            else { return nil }
            if isValue(property.valueType, valueType, isFirst: names.isEmpty) {
                // The value of a computed property is not that of the property that it reads.
                guard place.samples.isSample(value, read.name) else { return nil }
                return (names + [ModelKeyPaths.leaf(read.name, property.valueType, isTop: true)]).joined(separator: ".")
            }
            if Destination(property.valueType) == nil {
                // The words of the root and of the properties come first.
                let members = StructureMembers.names(of: path, after: places.count + 1, in: property.valueType)
                guard let members, place.samples.isSample(value, of: members, in: read.name) else { return nil }
                return (names + [read.name] + members).joined(separator: ".")
            }
            guard let destination = Destination(property.valueType), !destination.isToMany else { return nil }
            names.append(read.name)
            let next = Place(destination.type, isUnusual: isUnusual)
            place.row.setValue(next.row, forKey: read.name)
            places.append(next)
        }
    }

    /// The property that a key path reads first.
    static func firstRead<Model: PersistentModel>(of path: AnyKeyPath, in type: Model.Type) -> String? {
        guard let typed = path as? PartialKeyPath<Model>, let model = Place(type).model as? Model else { return nil }
        return PropertyReads.all { _ = model[keyPath: typed] }.first?.name
    }

    /// After an optional to-one relationship in a key path, each value is optional.
    private static func isValue(_ property: any Any.Type, _ value: any Any.Type, isFirst: Bool) -> Bool {
        property == value || !isFirst && ValueForms.unwrapped(property) == ValueForms.unwrapped(value)
    }

    /// A row in no context with its model and values.
    private struct Place {
        let row: ModelRow
        let model: any PersistentModel
        let samples: Samples

        init(_ type: any PersistentModel.Type, isUnusual: Bool = false) {
            row = ModelRow(entity: type._$entity.companion.entity, insertInto: nil)
            model = row.model
            samples = Samples(type, isUnusual: isUnusual)
            samples.fill(row)
        }
    }

    /// Values that accessors can cast to their results.
    private struct Samples {
        private(set) var properties: [String: (valueType: any Any.Type, value: Any?)] = [:]

        init(_ type: any PersistentModel.Type, isUnusual: Bool) {
            var next: (any PersistentModel.Type)? = type
            while let current = next {
                for property in current.schemaMetadata where !property.name.isEmpty {
                    let valueType = Swift.type(of: property.keypath).valueType
                    let plain = ValueForms.unwrapped(valueType)
                    let unusual = isUnusual ? PlainSamples.unusual(of: plain) : nil
                    let sample = Destination(valueType) == nil ? unusual ?? ValueForms.sample(plain) : nil
                    properties[property.name] = (valueType, sample)
                }
                next = SchemaOutline.superclass(of: current)
            }
        }

        func fill(_ row: ModelRow) {
            let attributes = row.entity.attributesByName
            for (name, property) in properties {
                guard let value = property.value as? any Encodable, let attribute = attributes[name],
                    let stored = try? ValueForms.engineValue(value, in: attribute)
                else { continue }
                row.setPrimitiveValue(stored, forKey: name)
            }
        }

        func isSample(_ value: Any?, _ name: String) -> Bool {
            guard let sample = properties[name]?.value as? AnyHashable else { return true }
            return Self.present(value) as? AnyHashable == sample
        }

        func isSample(_ value: Any?, of members: [String], in name: String) -> Bool {
            var sample = properties[name]?.value
            for member in members {
                sample = sample.flatMap { Mirror(reflecting: $0).descendant(member) }.flatMap(Self.present)
            }
            guard let sample else { return true }
            return Self.present(value) as? AnyHashable == sample as? AnyHashable
        }

        private static func present(_ value: Any?) -> Any? {
            (value as? any OptionalType).map { $0.wrappedValue } ?? value
        }
    }
}
