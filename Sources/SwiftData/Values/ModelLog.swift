// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What is told in the log.

import CoreData

enum ModelLog {
    static func warn(_ message: String) { DiagnosisLog.warn(message) }
}
