// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads a property of many objects of one class, with as few casts as there can be.

package import Foundation

/// A class whose objects can give a property without boxing it.
package protocol PropertyReading: AnyObject {
    /// How one property is read of objects of precisely this class; nil where it has to be asked for by key, as of a
    /// class that overrides `value(forKey:)`.
    static func propertyReader(forKey key: String) -> PropertyReader?
}

/// Reads one property of one object, which is of the class that gave the reader.
///
/// It serves one thread at a time, so it may keep what it learned from the object before.
/// - Returns: nil where the value has to be asked for by key: of a fault, of a collection.
package typealias PropertyReader = (_ object: NSObject) throws -> ComparableValue?

/// Holds a reader in a constant: called out of a variable, a closure is counted up and down each time.
private final class KeptReader {
    let read: PropertyReader

    init(_ read: @escaping PropertyReader) { self.read = read }
}

/// One key of a key path, read from whatever comes along: mostly objects of one class, so that how these are read is
/// kept.
final class KeyStep {
    private let key: String
    @exclusivity(unchecked) private var type: ObjectIdentifier?
    @exclusivity(unchecked) private var reader: KeptReader?
    /// The same, not counted at each call.
    @exclusivity(unchecked) private var uncounted: Unmanaged<KeptReader>?

    @exclusivity(unchecked) private var otherType: Any.Type = Never.self
    @exclusivity(unchecked) private var otherReader: ((Any) -> ComparableValue?)?

    init(_ key: String) { self.key = key }

    /// - Throws: `KeyValueError` where the object has no such key.
    func value(of object: NSObject) throws -> ComparableValue {
        let type = ObjectIdentifier(Swift.type(of: object))
        if type != self.type { learn(Swift.type(of: object)) }
        if let uncounted, let value = try uncounted._withUnsafeGuaranteedRef({ try $0.read(object) }) { return value }
        return try value(ofAny: object)
    }

    /// For what need not be an instance: a dictionary of Swift's, an object of a class without superclass, an optional.
    func value(ofAny object: Any) throws -> ComparableValue {
        let type = Swift.type(of: object)
        if type != otherType { learn(other: type) }
        if let value = otherReader?(object) { return value }
        guard let object = presentValue(object) else { return .null }
        return ComparableValue(try KeyReading.value(forKey: key, of: object))
    }

    private func learn(_ type: NSObject.Type) {
        self.type = ObjectIdentifier(type)
        let read = isPlainKey ? (type as? any PropertyReading.Type)?.propertyReader(forKey: key) : nil
        reader = read.map(KeptReader.init)
        uncounted = reader.map(Unmanaged.passUnretained)
    }

    private func learn(other type: Any.Type) {
        otherType = type
        let key = key
        if !isPlainKey || type is any KeyValueReadable.Type {
            otherReader = nil
        } else if type == [String: Any].self {
            otherReader = { object in (object as? [String: Any]).map { ComparableValue($0[key]) } }
        } else {
            otherReader = (type as? any KeyValueCoding.Type)?.codingReader(forKey: key)
        }
    }

    private var isPlainKey: Bool { key.lowercased() != "self" }
}

extension KeyValueCoding {
    /// Casts to the class itself, which costs a third of a cast to a protocol.
    fileprivate static func codingReader(forKey key: String) -> (Any) -> ComparableValue? {
        { object in (object as? Self).map { ComparableValue($0.value(forKey: key)) } }
    }
}

/// A key path made ready for many objects of the same classes; for one thread at a time.
final class ReadyKeyPath {
    private let reader: KeyPathReader
    /// Nil for a path with operators.
    private let first: KeyStep?
    private let rest: [KeyStep]

    /// - Throws: `KeyValueError` where the path has an empty key or an unknown operator.
    init(_ keyPath: String) throws {
        reader = try KeyPathReader(keyPath)
        let steps = reader.keys.map(KeyStep.init)
        first = steps.first
        rest = Array(steps.dropFirst())
    }

    func value(of object: Any?) throws -> Any? { try reader.value(of: object) }

    /// Whether instances can be read without a frame around them: not where the path has operators.
    var readsInstances: Bool { first != nil }

    /// As `comparable(in:)`, for an instance.
    @inline(__always) func comparable(of instance: NSObject) throws -> ComparableValue {
        guard let first else { return ComparableValue(try reader.value(of: instance)) }
        let value = try first.value(of: instance)
        return rest.isEmpty ? value : try follow(value)
    }

    @inline(__always) func comparable(in frame: borrowing EvaluationFrame) throws -> ComparableValue {
        if let instance = frame.instance { return try comparable(of: instance) }
        guard let first else { return ComparableValue(try reader.value(of: frame.object)) }
        let value = try frame.object.map(first.value(ofAny:)) ?? .null
        return rest.isEmpty ? value : try follow(value)
    }

    private func follow(_ start: ComparableValue) throws -> ComparableValue {
        var value = start
        for step in rest {
            switch value {
            case .null: return .null
            case .object(let object as NSObject): value = try step.value(of: object)
            default: value = try value.original.map(step.value(ofAny:)) ?? .null
            }
        }
        return value
    }
}
