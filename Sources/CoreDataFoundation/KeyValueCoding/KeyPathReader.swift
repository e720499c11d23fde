// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the value at a key path, through collections and their operators.

import Foundation

/// A key path that is parsed once and read many times.
package struct KeyPathReader: Sendable {
    package let keyPath: String
    private let steps: [Step]
    /// `@sum`, `@avg`, `@min` or `@max` at the end of the path, as in `players.wage.@sum`: the same as
    /// `players.@sum.wage`.
    private let lastOperation: CollectionOperator?

    private enum Step: Sendable {
        case key(String)
        case operation(CollectionOperator)
    }

    /// - Throws: `KeyValueError` for an empty key or an unknown operator.
    package init(_ keyPath: String) throws {
        self.keyPath = keyPath
        var steps = try keyPath.split(separator: ".", omittingEmptySubsequences: false).map { part -> Step in
            guard !part.isEmpty, part != "@" else { throw KeyValueError.emptyKeyPath }
            guard part.hasPrefix("@") else { return .key(String(part)) }
            guard let operation = CollectionOperator(rawValue: String(part.dropFirst())) else {
                throw KeyValueError.unknownOperator(String(part), keyPath: keyPath)
            }
            return .operation(operation)
        }
        if case .operation(let operation)? = steps.last, [.sum, .avg, .min, .max].contains(operation) {
            lastOperation = operation
            steps.removeLast()
        } else {
            lastOperation = nil
        }
        self.steps = steps
    }

    /// The keys of a path without operators; empty for a path with operators.
    var keys: [String] {
        if lastOperation != nil { return [] }
        let keys = steps.compactMap { if case .key(let key) = $0 { key } else { nil } }
        return keys.count == steps.count ? keys : []
    }

    /// The value at the end of the path; nil if any step is nil. A key read from a collection results in the collection
    /// of its members' values: arrays contain `NSNull` for nil, sets omit nil.
    package func value(of object: Any?) throws -> Any? { try value(of: object, from: 0) }

    /// The values at the ends of all branches, with every collection on the path expanded; nil for a branch
    /// that ends early.
    package func leaves(of object: Any?) throws -> [Any?] {
        var found: [Any?] = []
        if lastOperation == nil {
            try collect(object, from: 0, inCollection: false, into: &found)
        } else {
            try collect(value(of: object), from: steps.count, inCollection: false, into: &found)
        }
        return found
    }

    private func value(of object: Any?, from index: Int) throws -> Any? {
        var current = object
        var index = index
        while index < steps.count {
            guard let value = presentValue(current) else { return nil }
            switch steps[index] {
            case .key(let key):
                if let lastOperation, KeyReading.isCollection(value) {
                    return try lastOperation.apply(to: leaves(of: value, from: index)) { $0 }
                }
                current = try KeyReading.value(forKey: key, of: value)
            case .operation(let operation):
                let next = index + 1
                return try operation.apply(to: collection(value, for: operation)) { try self.value(of: $0, from: next) }
            }
            index += 1
        }
        guard let lastOperation, let value = presentValue(current) else { return presentValue(current) }
        return try lastOperation.apply(to: collection(value, for: lastOperation)) { $0 }
    }

    private func collection(_ value: Any, for operation: CollectionOperator) throws -> any ValueCollection {
        if let collection = value as? any ValueCollection { return collection }
        throw KeyValueError.notACollection(
            operation: "@\(operation.rawValue)", type: String(describing: type(of: value)))
    }

    /// The values at the ends of all branches of a collection, duplicates included, with `NSNull` for nil.
    private func leaves(of collection: Any, from index: Int) throws -> [Any] {
        var found: [Any?] = []
        try collect(collection, from: index, inCollection: true, into: &found)
        return found.map { $0 ?? NSNull() }
    }

    private func collect(_ object: Any?, from index: Int, inCollection: Bool, into found: inout [Any?]) throws {
        guard let value = presentValue(object) else {
            if inCollection { found.append(nil) }
            return
        }
        let isOperation = if index < steps.count, case .operation = steps[index] { true } else { false }
        if !isOperation, let collection = value as? any ValueCollection {
            for member in collection.members { try collect(member, from: index, inCollection: true, into: &found) }
        } else if index == steps.count {
            found.append(value)
        } else if case .key(let key) = steps[index] {
            let next = try KeyReading.value(forKey: key, of: value)
            try collect(next, from: index + 1, inCollection: inCollection, into: &found)
        } else {
            let result = try self.value(of: value, from: index)
            try collect(result, from: steps.count, inCollection: inCollection, into: &found)
        }
    }
}

/// Reads one key.
enum KeyReading {
    /// Whether a key is read from the members of a value, not from the value itself.
    static func isCollection(_ value: Any) -> Bool {
        value is any ValueCollection && !(value is any KeyValueReadable) && !(value is any KeyValueCoding)
            && !(value is any ValueDictionary)
    }

    static func value(forKey key: String, of object: Any) throws -> Any? {
        if let row = object as? any KeyValueReadable { return try row.storedValue(forKey: key) }
        if let coding = object as? any KeyValueCoding { return key == "self" ? object : coding.value(forKey: key) }
        if let dictionary = object as? any ValueDictionary {
            return dictionary.value(named: key) ?? (key == "self" ? object : nil)
        }
        if key.lowercased() == "self" { return object }
        if let collection = object as? any ValueCollection {
            let values: [Any] = try collection.members.map { member in
                guard let member = presentValue(member) else { return NSNull() }
                return presentValue(try value(forKey: key, of: member)) ?? NSNull()
            }
            return collection.collection(of: values)
        }
        // The only property of plain values in model files: limits on strings are rules such as `length >= 3`.
        if key == "length", let text = object as? String ?? (object as? NSString).map(String.init) {
            return text.utf16.count
        }
        if let found = StoredProperties.value(named: key, of: object) { return found }
        throw KeyValueError.unknownKey(key, type: String(describing: type(of: object)))
    }
}

/// Reads a key path once; use a `KeyPathReader` for repeated reads.
package func value(atKeyPath keyPath: String, of object: Any?) throws -> Any? {
    try KeyPathReader(keyPath).value(of: object)
}

/// Sets the property at the end of a key path, for one object or for every member of a collection. Does nothing if an
/// object on the path is nil.
///
/// A dictionary on the path, such as the value of a composite attribute, belongs to the object that it was read from:
/// that object receives a changed copy.
package func setValue(_ value: Any?, atKeyPath keyPath: String, of object: any KeyValueCoding) throws {
    let keys = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard !keys.contains("") else { throw KeyValueError.emptyKeyPath }
    try KeyWriting.setValue(value, along: keys[...], of: object)
}

/// Writes one key.
enum KeyWriting {
    /// - Parameter target: an object, or a collection of objects, possibly nested; nil is ignored.
    static func setValue(_ value: Any?, forKey key: String, of target: Any?) throws {
        switch presentValue(target) {
        case nil: return
        case let object as any KeyValueCoding: object.setValue(value, forKey: key)
        case let dictionary as NSMutableDictionary: dictionary.setValue(value, forKey: key)
        case let collection as any ValueCollection:
            for member in collection.members { try setValue(value, forKey: key, of: member) }
        case let other?: throw KeyValueError.notWritable(key, type: String(describing: type(of: other)))
        }
    }

    static func setValue(_ value: Any?, along keys: ArraySlice<String>, of target: Any?) throws {
        guard let target = presentValue(target), let key = keys.first, let last = keys.last else { return }
        if keys.count == 1 { return try setValue(value, forKey: key, of: target) }
        if key.hasPrefix("@") {
            let owner = try KeyPathReader(keys.dropLast().joined(separator: ".")).value(of: target)
            return try setValue(value, forKey: last, of: owner)
        }
        if let collection = target as? any ValueCollection {
            for member in collection.members { try setValue(value, along: keys, of: member) }
            return
        }
        let next = presentValue(try KeyReading.value(forKey: key, of: target))
        if let elements = elements(next) {
            try setValue(replacing(keys.dropFirst(), by: value, in: elements), forKey: key, of: target)
        } else {
            try setValue(value, along: keys.dropFirst(), of: next)
        }
    }

    /// The entries of a dictionary that is a value type, not a shared object.
    private static func elements(_ value: Any?) -> [String: Any]? {
        value is NSMutableDictionary ? nil : value as? [String: Any]
    }

    private static func replacing(
        _ keys: ArraySlice<String>, by value: Any?, in elements: [String: Any]
    ) throws -> [String: Any] {
        guard let key = keys.first else { return elements }
        var result = elements
        if keys.count == 1 {
            result[key] = value
        } else if let inner = self.elements(elements[key]) {
            result[key] = try replacing(keys.dropFirst(), by: value, in: inner)
        } else {
            try setValue(value, along: keys.dropFirst(), of: elements[key])
        }
        return result
    }
}
