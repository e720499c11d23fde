// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes the frames in which expressions are evaluated.

import Foundation

/// Makes the frames of one evaluator; for one thread at a time.
final class FrameMaker {
    /// The metadata of the last object's class, as an `Any` contains it.
    @exclusivity(unchecked) private var known: UnsafeRawPointer?

    /// The object, if its class is the last one; else nil, and the caller uses `frame(_:)`.
    @inline(__always) func instance(_ object: borrowing Any?) -> UncountedReference<NSObject>? {
        guard let known else { return nil }
        return AnyLayout.instance(in: object, of: known)
    }

    func frame(_ object: Any?) -> EvaluationFrame {
        if let known, let instance = AnyLayout.instance(in: object, of: known) {
            return EvaluationFrame(instance: instance.object)
        }
        guard let object, Swift.type(of: object) is NSObject.Type, let instance = object as? NSObject else {
            return EvaluationFrame(object)
        }
        if AnyLayout.isAsExpected { known = AnyLayout.classMetadata(of: object) }
        return EvaluationFrame(instance: instance)
    }
}
