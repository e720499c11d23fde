// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The setting that stops the program if an object or a context is used off its queue.

import CRuntime

/// The setting that Core Data users know as `-com.apple.CoreData.ConcurrencyDebug 1`. Off by default, as on Apple's
/// systems: code that runs there must run here, too.
enum OwnershipCheck {
    static let key = "com.apple.CoreData.ConcurrencyDebug"

    /// Decided once in a process, when its first context is made. `ocd_ownership_is_checked` has the same value without
    /// the check for its initialization. While it is `false`, a check costs one test of that word.
    static let isOn: Bool = {
        let isOn = ProgramSetting(key: key).value.map(ProgramSetting.isYes) ?? false
        ocd_check_ownership(isOn)
        return isOn
    }()
}

extension NSManagedObject {
    /// Traps if the check is on and the caller does not run on the queue of the object's context. An object without a
    /// context may be used on any queue.
    @inline(__always) final func checkOwnership() {
        if ocd_ownership_is_checked() { table.owner?.checkOwnership(of: self) }
    }
}
