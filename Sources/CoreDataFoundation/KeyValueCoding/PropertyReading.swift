// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads one property of many objects of the same class with few casts.

package import Foundation

/// A class of objects that return properties without boxing them.
package protocol PropertyReading: AnyObject {
    /// A reader for one property of objects of exactly this class; nil if the property must be read by key, as for a
    /// class that overrides `value(forKey:)`.
    static func propertyReader(forKey key: String) -> PropertyReader?
    /// A reader that only finds out whether the property is nil: it may return any value in place of one in an external
    /// file.
    static func presenceReader(forKey key: String) -> PropertyReader?
}

/// Reads one property of one object of the reader's class.
///
/// Used by one thread at a time, so it may cache data of the previous object.
/// - Returns: nil if the value must be read by key: for a fault, or a collection.
package typealias PropertyReader = (_ object: NSObject) throws -> ComparableValue?

/// Holds a reader in a constant: a call of a closure in a variable retains and releases it each time.
private final class KeptReader {
    let read: PropertyReader

    init(_ read: @escaping PropertyReader) { self.read = read }
}

/// One key of a key path, read from objects of any class. It caches the reader of the last class, because most objects
/// have the same one.
final class KeyStep {
    private let key: String
    private let asksPresence: Bool
    @exclusivity(unchecked) private var type: ObjectIdentifier?
    @exclusivity(unchecked) private var reader: KeptReader?
    /// The same object, without a retain for each call.
    @exclusivity(unchecked) private var uncounted: UncountedReference<KeptReader>?

    @exclusivity(unchecked) private var otherType: Any.Type = Never.self
    @exclusivity(unchecked) private var otherReader: ((Any) -> ComparableValue?)?

    init(_ key: String, asksPresence: Bool) {
        self.key = key
        self.asksPresence = asksPresence
    }

    /// - Throws: `KeyValueError` for an unknown key.
    func value(of object: NSObject) throws -> ComparableValue {
        let type = ObjectIdentifier(Swift.type(of: object))
        if type != self.type { learn(Swift.type(of: object)) }
        if let uncounted, let value = try uncounted.look({ try $0.read(object) }) { return value }
        return try value(ofAny: object)
    }

    /// For values that are not NSObject instances: a Swift dictionary, an object of a root class, an optional.
    func value(ofAny object: Any) throws -> ComparableValue {
        let type = Swift.type(of: object)
        if type != otherType { learn(other: type) }
        if let value = otherReader?(object) { return value }
        guard let object = presentValue(object) else { return .null }
        return ComparableValue(try KeyReading.value(forKey: key, of: object))
    }

    private func learn(_ type: NSObject.Type) {
        self.type = ObjectIdentifier(type)
        let reading = isPlainKey ? type as? any PropertyReading.Type : nil
        let read = asksPresence ? reading?.presenceReader(forKey: key) : reading?.propertyReader(forKey: key)
        reader = read.map(KeptReader.init)
        uncounted = reader.map { UncountedReference($0) }
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
    /// Casts to the concrete class, which takes a third of the time of a cast to a protocol.
    fileprivate static func codingReader(forKey key: String) -> (Any) -> ComparableValue? {
        { object in (object as? Self).map { ComparableValue($0.value(forKey: key)) } }
    }
}

/// A parsed key path for many objects of the same classes, used by one thread at a time.
final class ReadyKeyPath {
    private let reader: KeyPathReader
    /// nil for a path with operators.
    private let first: KeyStep?
    private let rest: [KeyStep]

    /// - Parameter asksPresence: whether the value is only compared with nil.
    /// - Throws: `KeyValueError` for an empty key or an unknown operator.
    init(_ keyPath: String, asksPresence: Bool = false) throws {
        reader = try KeyPathReader(keyPath)
        let last = reader.keys.count - 1
        let steps = reader.keys.enumerated().map { KeyStep($1, asksPresence: asksPresence && $0 == last) }
        first = steps.first
        rest = Array(steps.dropFirst())
    }

    func value(of object: Any?) throws -> Any? { try reader.value(of: object) }

    /// Whether instances can be read without an evaluation frame. False for a path with operators.
    var readsInstances: Bool { first != nil }

    /// Like `comparable(in:)`, for an instance.
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
