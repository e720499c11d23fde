// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Whether the program is to be stopped when an object or a context is used off its queue.

import Foundation

/// The setting that Core Data users know as `-com.apple.CoreData.ConcurrencyDebug 1`.
enum OwnershipCheck {
    static let key = "com.apple.CoreData.ConcurrencyDebug"

    /// Decided once in a process. While it is `false` a check costs the test of this flag.
    static let isOn: Bool = {
        let process = ProcessInfo.processInfo
        return setting(process.arguments, process.environment) { UserDefaults.standard.object(forKey: $0) }
            ?? isDebugBuild
    }()

    /// What the program was started with: its arguments first, then its environment, then its defaults.
    ///
    /// - Returns: nil when none of them says anything.
    static func setting(_ arguments: [String], _ environment: [String: String], _ defaults: (String) -> Any?) -> Bool? {
        if let position = arguments.firstIndex(of: "-" + key), position + 1 < arguments.count {
            return isYes(arguments[position + 1])
        }
        if let value = environment[key] { return isYes(value) }
        return defaults(key).map { isYes("\($0)") }
    }

    private static func isYes(_ value: String) -> Bool {
        !["", "0", "no", "false", "off"].contains(value.lowercased())
    }

    private static var isDebugBuild: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }
}

extension NSManagedObject {
    /// Stops the program when the check is on and this is not the queue of the object's context. An object in no
    /// context belongs to nobody.
    @inline(__always) final func checkOwnership() {
        if OwnershipCheck.isOn { table.owner?.checkOwnership(of: self) }
    }
}
