// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The numbers of the layouts in use.

import CRuntime
import Foundation

/// The numbers by which rows refer to their layouts (`ocd_layout`).
///
/// A retained store or conflict may release the last rows after their model was deallocated. So the data that a row's
/// deinitializer reads (the positions of its values, and which of them own memory) outlives the layout: a few hundred
/// bytes, until the number is reused. Numbers are reused only after all others were used, in the order of their return.
///
/// Thread-safe.
enum LayoutNumbers {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var next: UInt32 = 0  // guarded by `lock`
    nonisolated(unsafe) private static var returned: [UInt32] = []  // guarded by `lock`
    /// The number of returned numbers that are in use again.
    nonisolated(unsafe) private static var reused = 0  // guarded by `lock`

    /// Traps if 262,144 entities are in use at once.
    static func take() -> UInt32 {
        lock.withLock {
            if next < 1 << OCD_LAYOUT_BITS {
                defer { next += 1 }
                return next
            }
            guard reused < returned.count else {
                preconditionFailure(
                    "\(next) entities are in use at once: load a model once and share it between the stacks that use it."
                )
            }
            defer { reused += 1 }
            return returned[reused]
        }
    }

    /// - Parameters:
    ///   - places: the positions of the slots. The number owns this memory from now on, as it does `owning`.
    ///   - owning: the slots that own memory, and -1.
    static func set(
        _ number: UInt32, _ layout: UnsafeMutableRawPointer, _ places: UnsafeMutablePointer<SlotDescriptor>,
        _ owning: UnsafePointer<Int32>
    ) {
        let last = ocd_layout_entry_of(number)
        ocd_set_layout(number, layout, places, owning)
        last.places?.deallocate()
        last.owning?.deallocate()
    }

    static func release(_ number: UInt32) {
        lock.withLock {
            if reused > 1_000, reused > returned.count / 2 {
                returned.removeFirst(reused)
                reused = 0
            }
            returned.append(number)
        }
    }
}
