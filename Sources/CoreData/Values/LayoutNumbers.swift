// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The numbers of the layouts in use.

import CRuntime
import Foundation

/// The numbers by which rows name their layouts (`ocd_layout`).
///
/// A store or a conflict that somebody holds may be the last to let go of rows, when their model is gone. So what a
/// row looks at when it goes (where its values lie, which of them own memory) stays when its layout goes: a few
/// hundred bytes, until the number is given out again. That comes after all others, the one that was given back first
/// before those that were given back later.
///
/// Any thread.
enum LayoutNumbers {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var next: UInt32 = 0  // guarded by `lock`
    nonisolated(unsafe) private static var returned: [UInt32] = []  // guarded by `lock`
    /// How many of those have been given out again.
    nonisolated(unsafe) private static var reused = 0  // guarded by `lock`

    /// Traps when 262,144 entities are in use at once.
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
    ///   - places: where the slots lie. Belongs to the number from now on, like the next.
    ///   - owning: the slots that own memory, and -1.
    static func set(
        _ number: UInt32, _ layout: UnsafeMutableRawPointer, _ places: UnsafeMutablePointer<SlotPlace>,
        _ owning: UnsafePointer<Int32>
    ) {
        let last = ocd_layout_entry_of(number)
        ocd_set_layout(number, layout, places, owning)
        last.places?.deallocate()
        last.owning?.deallocate()
    }

    static func giveBack(_ number: UInt32) {
        lock.withLock {
            if reused > 1_000, reused > returned.count / 2 {
                returned.removeFirst(reused)
                reused = 0
            }
            returned.append(number)
        }
    }
}
