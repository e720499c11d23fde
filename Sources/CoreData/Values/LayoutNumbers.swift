// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Which number each layout in use has.

import CRuntime
import Foundation

/// The numbers by which rows name their layouts (`ocd_layout`). One that is given back is given out again when all others were.
///
/// Any thread.
enum LayoutNumbers {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var next: UInt32 = 0  // guarded by `lock`
    nonisolated(unsafe) private static var returned: [UInt32] = []  // guarded by `lock`

    /// Traps when 262,144 entities are in use at once.
    static func take() -> UInt32 {
        lock.withLock {
            if next < 1 << OCD_LAYOUT_BITS {
                defer { next += 1 }
                return next
            }
            guard let number = returned.popLast() else {
                preconditionFailure(
                    "\(next) entities are in use at once: load a model once and share it between the stacks that use it."
                )
            }
            return number
        }
    }

    static func giveBack(_ number: UInt32) { lock.withLock { returned.append(number) } }
}
