// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The setting that stops the program if an object or a context is used off its queue.

import CRuntime

/// The setting that Core Data users know as `-com.apple.CoreData.ConcurrencyDebug 1`. Off unless it is switched on,
/// as on Apple's systems: code that runs there must not be stopped here.
enum OwnershipCheck {
    static let key = "com.apple.CoreData.ConcurrencyDebug"

    /// Decided once in a process, when its first context is made; `ocd_ownership_is_checked` is the same, without
    /// asking whether it is decided. While it is `false` a check costs the test of that word.
    static let isOn: Bool = {
        let isOn = ProgramSetting(key: key).value.map(ProgramSetting.isYes) ?? false
        ocd_check_ownership(isOn)
        return isOn
    }()
}

extension NSManagedObject {
    /// Stops the program when the check is on and this is not the queue of the object's context. An object in no
    /// context belongs to nobody.
    @inline(__always) final func checkOwnership() {
        if ocd_ownership_is_checked() { table.owner?.checkOwnership(of: self) }
    }
}
