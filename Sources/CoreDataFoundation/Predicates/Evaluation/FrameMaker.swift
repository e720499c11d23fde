// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Takes the object out of an `Any`, faster than a cast does.

import Foundation

/// Makes the frames of one evaluator; for one thread at a time.
final class FrameMaker {
    /// The metadata of the class that came last, as it stands in an `Any`.
    @exclusivity(unchecked) private var known: UnsafeRawPointer?

    /// The object, where its class is the one that came last; else nil, and `frame(_:)` is to be asked.
    @inline(__always) func instance(_ object: borrowing Any?) -> Unmanaged<NSObject>? {
        guard let known else { return nil }
        return AnyLayout.instance(in: object, of: known)
    }

    func frame(_ object: Any?) -> EvaluationFrame {
        if let known, let instance = AnyLayout.instance(in: object, of: known) {
            return EvaluationFrame(instance: instance.takeUnretainedValue())
        }
        guard let object, Swift.type(of: object) is NSObject.Type, let instance = object as? NSObject else {
            return EvaluationFrame(object)
        }
        if AnyLayout.isAsExpected { known = AnyLayout.classMetadata(of: object) }
        return EvaluationFrame(instance: instance)
    }
}

/// How an `Any` lies in memory: three words for the value, or for the reference to it, and one for its type's metadata.
///
/// A cast to a class costs as much as a whole comparison. Where the layout is not as expected, casts are used.
private enum AnyLayout {
    private typealias Words = (UnsafeRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?)

    /// Nil where the value is of another type; an empty optional has no metadata.
    @inline(__always) static func instance(in object: borrowing Any?, of metadata: UnsafeRawPointer) -> Unmanaged<
        NSObject
    >? {
        withUnsafeBytes(of: object) { bytes in
            let words = bytes.load(as: Words.self)
            return words.3 == metadata ? words.0.map(Unmanaged<NSObject>.fromOpaque) : nil
        }
    }

    /// - Parameter object: an optional, because an `Any` by itself would be opened, and the bytes be those of the value.
    /// - Returns: nil for metadata of another kind. An `Any` inside of an `Any`, which generic code makes, lies in a box:
    ///   its first word is no reference to the instance.
    static func classMetadata(of object: borrowing Any?) -> UnsafeRawPointer? {
        let metadata = withUnsafeBytes(of: object) { $0.load(as: Words.self).3 }
        return unsafeBitCast(metadata, to: Any.Type?.self) is AnyClass ? metadata : nil
    }

    static let isAsExpected: Bool = {
        guard MemoryLayout<Any?>.size == MemoryLayout<Words>.size else { return false }
        // Put into an `Any`, a reference has the metadata of the type that it was known as.
        let metadata = unsafeBitCast(NSObject.self as Any.Type, to: UnsafeRawPointer.self)
        return [NSObject(), NSArray(), NSMutableSet()].allSatisfy { (sample: NSObject) in
            let any: Any? = sample
            return instance(in: any, of: metadata)?.toOpaque() == Unmanaged.passUnretained(sample).toOpaque()
                && instance(in: nil, of: metadata) == nil && instance(in: "sample", of: metadata) == nil
        }
    }()
}
