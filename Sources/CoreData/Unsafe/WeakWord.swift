// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A weak reference of one word.

import CRuntime

/// Leads to an object that nobody need retain.
///
/// Swift's `weak` gives the object a side table of 48 bytes, and each count of the object takes three times as long
/// from then on.
///
/// Assumptions: the object's deinit removes the word under the lock under which it is read, so its memory is still
/// there; and `swift_tryRetain` of the runtime retains an object unless its deinit has begun. With `OCD_PORTABLE` the
/// word is a box with a `weak` property.
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

        /// nil once the object's deinit has begun.
        package var object: Object? { box.object }

        func isOf(_ object: Object) -> Bool { box.identifier == ObjectIdentifier(object) }
    #else
        private let address: UnsafeMutableRawPointer

        @inline(__always) package init(_ object: Object) { address = Unmanaged.passUnretained(object).toOpaque() }

        /// nil once the object's deinit has begun.
        @inline(__always) package var object: Object? {
            guard ocd_try_retain(address) != nil else { return nil }
            return Unmanaged<Object>.fromOpaque(address).takeRetainedValue()
        }

        @inline(__always) func isOf(_ object: Object) -> Bool {
            address == Unmanaged.passUnretained(object).toOpaque()
        }
    #endif
}
