// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The cases of enumerations that are not `CaseIterable`.

import Foundation

/// Reads the metadata of enumerations. Swift's ABI fixes their form (TypeMetadata.rst of the compiler): the number of
/// cases without payload is in the type's descriptor, and such a value is its number.
enum EnumerationCases {
    static func isEnumeration(_ type: any Any.Type) -> Bool {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        // 0x201: an enumeration; 0x202: an optional.
        return metadata.load(as: UInt.self) == 0x201
    }

    /// The names of coding keys that the compiler made; empty for others.
    static func names(of keys: any CodingKey.Type) -> [String] {
        func names<Key: CodingKey>(_ type: Key.Type) -> [String] { all(type).map(\.stringValue) }
        return names(keys)
    }

    static func first<Value>(_ type: Value.Type) -> Value? { all(type).first }

    /// All values of an enumeration without payloads; none of any other type.
    private static func all<Value>(_ type: Value.Type) -> [Value] {
        guard isEnumeration(type), let count = plainCount(type), count > 0 else { return [] }
        // The compiler gives a single case no memory at all.
        if MemoryLayout<Value>.size == 0 {
            return count == 1 ? [withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { $0[0] }] : []
        }
        guard MemoryLayout<Value>.size == 1, count <= 256 else { return [] }
        return (0..<count).map { unsafeBitCast(UInt8($0), to: Value.self) }
    }

    /// nil for an enumeration with payloads.
    private static func plainCount(_ type: any Any.Type) -> Int? {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        let descriptor = metadata.load(fromByteOffset: 8, as: UnsafeRawPointer.self)
        // Flags, parent, name, access function, fields, then both numbers.
        let payloads = descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF
        return payloads == 0 ? Int(descriptor.load(fromByteOffset: 24, as: UInt32.self)) : nil
    }
}
