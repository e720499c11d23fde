// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the warnings of SwiftData to the engine's log.

import CoreData

enum ModelLog {
    static func warn(_ message: String) { DiagnosisLog.warn(message) }
}
