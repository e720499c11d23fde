// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Ends a migration that the program cancels, and divides one `Progress` among its parts.

import Foundation

enum MigrationCancellation {
    /// - Throws: 134120 if a progress was cancelled.
    static func check(_ progress: Progress?, _ url: URL) throws {
        if progress?.isCancelled == true { throw CoreDataError.migrationCancelled(url) }
    }
}

extension Progress {
    /// The progress itself, or a child if there are several parts.
    func part(of count: Int) -> Progress {
        guard count > 1 else { return self }
        totalUnitCount = Int64(count)
        return Progress(totalUnitCount: -1, parent: self, pendingUnitCount: 1)
    }

    /// Reports that all work is done.
    func finish() {
        totalUnitCount = max(totalUnitCount, 1)
        completedUnitCount = totalUnitCount
    }
}
