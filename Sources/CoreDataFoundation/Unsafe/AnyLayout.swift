// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Extracts the object from an `Any` without a cast.

import Foundation

/// The layout of an `Any` in memory: three words for the value, or for a reference to it, and one for its type's
/// metadata.
///
/// A cast to a class costs as much as a whole comparison.
///
/// Assumption: this layout, and that an object in an `Any` has the metadata of its static type. `isAsExpected` checks
/// that once. If it is false, and with `OCD_PORTABLE`, casts are used.
enum AnyLayout {
    private typealias Words = (UnsafeRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?)

    /// nil for a value of another type; an empty optional has no metadata.
    @inline(__always) static func instance(in object: borrowing Any?, of metadata: UnsafeRawPointer)
        -> UncountedReference<NSObject>?
    {
        withUnsafeBytes(of: object) { bytes in
            let words = bytes.load(as: Words.self)
            return words.3 == metadata ? words.0.map { UncountedReference(address: $0) } : nil
        }
    }

    /// - Parameter object: an optional, because an `Any` by itself would be opened, and the bytes would be those of the
    ///   value.
    /// - Returns: nil for metadata of another kind. An `Any` inside of an `Any`, which generic code makes, lies in a
    ///   box: its first word is no reference to the instance.
    static func classMetadata(of object: borrowing Any?) -> UnsafeRawPointer? {
        let metadata = withUnsafeBytes(of: object) { $0.load(as: Words.self).3 }
        return unsafeBitCast(metadata, to: Any.Type?.self) is AnyClass ? metadata : nil
    }

    static let isAsExpected: Bool = {
        #if OCD_PORTABLE
            return false
        #else
            guard MemoryLayout<Any?>.size == MemoryLayout<Words>.size else { return false }
            // In an `Any`, a reference has the metadata of its static type.
            let metadata = unsafeBitCast(NSObject.self as Any.Type, to: UnsafeRawPointer.self)
            return [NSObject(), NSArray(), NSMutableSet()].allSatisfy { (sample: NSObject) in
                let any: Any? = sample
                return instance(in: any, of: metadata)?.address == UncountedReference(sample).address
                    && instance(in: nil, of: metadata) == nil && instance(in: "sample", of: metadata) == nil
            }
        #endif
    }()
}
