// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Logs diagnostic messages with swift-log, under one label.

import Logging

package enum DiagnosisLog {
    static let label = "CoreData"

    /// Logs a message that a setting requested, at a level that is visible by default.
    static func info(_ message: String) { logger.info("\(message)") }

    /// Logs a warning about a condition that needs attention.
    package static func warn(_ message: String) { logger.warning("\(message)") }

    /// Created for each message, so that a program may configure logging after its first store is open.
    private static var logger: Logger { Logger(label: label) }
}
