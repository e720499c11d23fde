// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads a keyed archive without instantiating its objects.

import Foundation

/// The object table of a keyed archive. Resolves references on request, instantiates nothing and looks up no classes.
///
/// Reading is bounded: `spend` counts every expanded value, so that an archive with excessive references results in an
/// error instead of endless work.
final class KeyedArchive {
    /// An object with its class, as in the table.
    struct Object {
        let id: Int
        let className: String
        let fields: [String: PropertyListNode]
    }

    private let objects: [PropertyListNode]
    private let top: [String: PropertyListNode]
    private var remaining: Int

    /// - Throws: `malformedPropertyList`, `malformedArchive`.
    init(_ data: Data) throws {
        guard case .dictionary(let archive) = try BinaryPropertyListReader.read(data),
            case .array(let objects)? = archive["$objects"], case .dictionary(let top)? = archive["$top"]
        else { throw KeyedArchive.damaged("it has no table of objects") }
        self.objects = objects
        self.top = top
        // A reference takes a byte at least; each is resolved a few times.
        remaining = 100_000 + 8 * data.count
    }

    static func damaged(_ reason: String) -> ModelFileError {
        ModelFileError(.malformedArchive, "The keyed archive is damaged: \(reason).")
    }

    /// The reference to the root object; nil for a null root.
    func rootNode() throws -> PropertyListNode? {
        guard let root = top["root"] else { throw KeyedArchive.damaged("it has no root") }
        return try resolve(root) == .null ? nil : root
    }

    func root() throws -> Object {
        guard let root = top["root"], let object = try object(root) else {
            throw KeyedArchive.damaged("it has no root")
        }
        return object
    }

    /// Counts one step of expansion.
    func spend(_ count: Int = 1) throws {
        remaining -= count
        guard remaining >= 0 else { throw KeyedArchive.damaged("its objects refer to one another without end") }
    }

    /// The value of a reference, or the node itself. `$null` is null. A reference never refers to a reference.
    func resolve(_ node: PropertyListNode?) throws -> PropertyListNode {
        try spend()
        guard case .reference(let index)? = node else { return node ?? .null }
        guard objects.indices.contains(index) else { throw KeyedArchive.damaged("it refers to object \(index)") }
        switch objects[index] {
        case .string("$null"): return .null
        case .reference: throw KeyedArchive.damaged("object \(index) is a reference")
        case let value: return value
        }
    }

    /// The object of a reference; nil for null.
    func object(_ node: PropertyListNode?) throws -> Object? {
        let value = try resolve(node)
        if value == .null { return nil }
        guard case .reference(let index)? = node, case .dictionary(let fields) = value,
            let className = try className(fields)
        else { throw KeyedArchive.damaged("a plain value stands where an object belongs") }
        return Object(id: index, className: className, fields: fields)
    }

    private func className(_ fields: [String: PropertyListNode]) throws -> String? {
        guard let reference = fields["$class"], case .dictionary(let description) = try resolve(reference),
            case .string(let name)? = description["$classname"]
        else { return nil }
        return name
    }
}

// MARK: - Typed fields

extension KeyedArchive {
    func isNull(_ object: Object, _ key: String) throws -> Bool { try resolve(object.fields[key]) == .null }

    func string(_ object: Object, _ key: String) throws -> String? {
        let node = object.fields[key]
        if try resolve(node) == .null { return nil }
        guard let text = try text(node) else { throw wrong(object, key, "text") }
        return text
    }

    /// Text, plain or as an archived string; nil for other values. Does not look inside collections, which
    /// may contain themselves.
    func text(_ node: PropertyListNode?) throws -> String? {
        switch try resolve(node) {
        case .string(let text): return text
        case .dictionary:
            guard let object = try object(node), object.className.hasSuffix("String") else { return nil }
            return try text(of: object)
        default: return nil
        }
    }

    func requiredString(_ object: Object, _ key: String) throws -> String {
        guard let text = try string(object, key) else { throw wrong(object, key, "text") }
        return text
    }

    func integer(_ object: Object, _ key: String) throws -> Int? {
        switch try resolve(object.fields[key]) {
        case .null: return nil
        case .integer(let number): return Int(number)
        case .boolean(let flag): return flag ? 1 : 0
        default: throw wrong(object, key, "a whole number")
        }
    }

    func flag(_ object: Object, _ key: String) throws -> Bool {
        switch try resolve(object.fields[key]) {
        case .null: return false
        case .boolean(let flag): return flag
        case .integer(let number): return number != 0
        default: throw wrong(object, key, "yes or no")
        }
    }

    func object(_ object: Object, _ key: String) throws -> Object? {
        try self.object(object.fields[key])
    }

    /// The members of an archived array or set; nil for null.
    func members(_ object: Object, _ key: String) throws -> [PropertyListNode]? {
        let value = try resolve(object.fields[key])
        if case .array(let members) = value { return members }
        guard let collection = try self.object(object.fields[key]) else { return nil }
        return try members(of: collection)
    }

    func members(of collection: Object) throws -> [PropertyListNode] {
        if case .array(let members)? = collection.fields["NS.objects"] {
            try spend(members.count)
            return members
        }
        let numbered = numbered(collection, "NS.object.")
        guard collection.fields["NS.keys"] == nil, isCollection(collection) else {
            throw KeyedArchive.damaged("a \(collection.className) stands where a list belongs")
        }
        try spend(numbered.count)
        return numbered
    }

    /// The entries of an archived dictionary with text keys, in the file's order; nil for null.
    func entries(_ object: Object, _ key: String) throws -> [(key: String, value: PropertyListNode)]? {
        guard let dictionary = try self.object(object.fields[key]) else { return nil }
        return try entries(of: dictionary)
    }

    func entries(of dictionary: Object) throws -> [(key: String, value: PropertyListNode)] {
        let keys: [PropertyListNode]
        let values: [PropertyListNode]
        var emptyToken: PropertyListNode?
        if dictionary.className.hasPrefix("NSKnownKeysDictionary") {
            guard let mapping = try object(dictionary, "searchMapping") else {
                throw wrong(dictionary, "searchMapping", "a mapping")
            }
            keys = try members(mapping, "keys") ?? []
            values = try members(dictionary, "values") ?? []
            emptyToken = try resolve(dictionary.fields["emptyToken"])
        } else if case .array(let listed)? = dictionary.fields["NS.keys"],
            case .array(let members)? = dictionary.fields["NS.objects"]
        {
            (keys, values) = (listed, members)
        } else {
            keys = numbered(dictionary, "NS.key.")
            values = numbered(dictionary, "NS.object.")
            guard !keys.isEmpty || dictionary.className.contains("Dictionary") else {
                throw KeyedArchive.damaged("a \(dictionary.className) stands where a dictionary belongs")
            }
        }
        guard keys.count == values.count else { throw KeyedArchive.damaged("a dictionary has more keys than values") }
        return try zip(keys, values).compactMap { key, value in
            guard let name = try text(key) else {
                throw KeyedArchive.damaged("a dictionary has a key that is no text")
            }
            if let emptyToken, emptyToken != .null, try resolve(value) == emptyToken { return nil }
            return (name, value)
        }
    }

    /// Archives from before 2005 have numbered keys for members.
    private func numbered(_ object: Object, _ prefix: String) -> [PropertyListNode] {
        var members: [PropertyListNode] = []
        while let member = object.fields["\(prefix)\(members.count)"] { members.append(member) }
        return members
    }

    private func isCollection(_ object: Object) -> Bool {
        object.className.contains("Array") || object.className.contains("Set")
    }

    func wrong(_ object: Object, _ key: String, _ expected: String) -> ModelFileError {
        ModelFileError(
            .malformedArchive, "The key '\(key)' of an archived \(object.className) does not hold \(expected).")
    }
}
