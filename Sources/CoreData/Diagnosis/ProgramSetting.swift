// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads a setting from the program's arguments, its environment, or its user defaults.

import Foundation

/// A setting that is read once in a process, such as `-com.apple.CoreData.SQLDebug 1`.
struct ProgramSetting {
    let key: String

    /// The value of this process.
    var value: String? {
        let process = ProcessInfo.processInfo
        return value(process.arguments, process.environment) { UserDefaults.standard.object(forKey: $0) }
    }

    /// Arguments first, then the environment, then the defaults.
    ///
    /// - Returns: nil when none of them contains the setting.
    func value(_ arguments: [String], _ environment: [String: String], _ defaults: (String) -> Any?) -> String? {
        if let position = arguments.firstIndex(of: "-" + key), position + 1 < arguments.count {
            return arguments[position + 1]
        }
        return environment[key] ?? defaults(key).map { "\($0)" }
    }

    static func isYes(_ value: String) -> Bool {
        !["", "0", "no", "false", "off"].contains(value.lowercased())
    }

    /// Whether assertions and warnings for programmers are on.
    static var isDebugBuild: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }
}
