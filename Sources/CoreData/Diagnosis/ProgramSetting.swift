// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What a program was started with: an argument, the environment, or its defaults.

import Foundation

/// A setting that is read once in a process, such as `-com.apple.CoreData.SQLDebug 1`.
struct ProgramSetting {
    let key: String

    /// What this program says.
    var value: String? {
        let process = ProcessInfo.processInfo
        return value(process.arguments, process.environment) { UserDefaults.standard.object(forKey: $0) }
    }

    /// Arguments first, then the environment, then the defaults.
    ///
    /// - Returns: nil when none of them says anything.
    func value(_ arguments: [String], _ environment: [String: String], _ defaults: (String) -> Any?) -> String? {
        if let position = arguments.firstIndex(of: "-" + key), position + 1 < arguments.count {
            return arguments[position + 1]
        }
        return environment[key] ?? defaults(key).map { "\($0)" }
    }

    static func isYes(_ value: String) -> Bool {
        !["", "0", "no", "false", "off"].contains(value.lowercased())
    }

    /// Whether assertions are on, and what programmers should be told is told.
    static var isDebugBuild: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }
}
