// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Whether the program is to be stopped when an object or a context is used off its queue.

/// The setting that Core Data users know as `-com.apple.CoreData.ConcurrencyDebug 1`.
enum OwnershipCheck {
    static let key = "com.apple.CoreData.ConcurrencyDebug"

    /// Decided once in a process. While it is `false` a check costs the test of this flag.
    static let isOn = ProgramSetting(key: key).value.map(ProgramSetting.isYes) ?? ProgramSetting.isDebugBuild
}

extension NSManagedObject {
    /// Stops the program when the check is on and this is not the queue of the object's context. An object in no
    /// context belongs to nobody.
    @inline(__always) final func checkOwnership() {
        if OwnershipCheck.isOn { table.owner?.checkOwnership(of: self) }
    }
}
