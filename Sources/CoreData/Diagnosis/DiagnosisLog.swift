// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Where diagnoses are written: swift-log, under one label.

import Logging

enum DiagnosisLog {
    static let label = "CoreData"

    /// What was asked for by a setting: programs show this level unless they say otherwise.
    static func tell(_ message: String) { logger.info("\(message)") }

    /// What should be looked at although nobody asked.
    static func warn(_ message: String) { logger.warning("\(message)") }

    /// Made anew each time, so that a program may choose its log after its first store is open.
    private static var logger: Logger { Logger(label: label) }
}
