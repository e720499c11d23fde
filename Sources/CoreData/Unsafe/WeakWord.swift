// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A weak reference of one word.

import CRuntime

/// Refers to an object without retaining it.
///
/// Swift's `weak` gives the object a side table of 48 bytes, and all reference counting of the object takes three times
/// as long from then on.
///
/// Assumptions: the object's deinitializer removes the word under the lock under which it is read, so the object's
/// memory still exists; and `swift_tryRetain` of the runtime retains an object unless its deinitializer has begun. With
/// `OCD_PORTABLE` the word is a box with a `weak` property.
package struct WeakWord<Object: AnyObject> {
    #if OCD_PORTABLE
        private let box: Box

        private final class Box {
            weak var object: Object?
            let identifier: ObjectIdentifier

            init(_ object: Object) {
                self.object = object
                identifier = ObjectIdentifier(object)
            }
        }

        package init(_ object: Object) { box = Box(object) }

        /// nil after the object's deinitializer has begun.
        package var object: Object? { box.object }

        func isOf(_ object: Object) -> Bool { box.identifier == ObjectIdentifier(object) }
    #else
        private let address: UnsafeMutableRawPointer

        @inline(__always) package init(_ object: Object) { address = Unmanaged.passUnretained(object).toOpaque() }

        /// nil after the object's deinitializer has begun.
        @inline(__always) package var object: Object? {
            guard ocd_try_retain(address) != nil else { return nil }
            return Unmanaged<Object>.fromOpaque(address).takeRetainedValue()
        }

        @inline(__always) func isOf(_ object: Object) -> Bool {
            address == Unmanaged.passUnretained(object).toOpaque()
        }
    #endif
}
