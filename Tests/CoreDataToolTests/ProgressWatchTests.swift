// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests the progress line of a task that reports to a `Progress`.

import CoreDataToolKit
import Foundation
import Synchronization
import Testing

@Suite("The progress line of a task") struct ProgressWatchTests {
    /// Proves: G92
    @Test("appears after a second, shows the done units, and goes") func line() throws {
        let lines = Mutex<[String]>([])
        let result = ProgressWatch.run("Migrating", write: { text in lines.withLock { $0.append(text) } }) { progress in
            progress.totalUnitCount = 200
            progress.completedUnitCount = 50
            Thread.sleep(forTimeInterval: 1.5)
            return progress.totalUnitCount
        }
        #expect(result == 200)
        let written = lines.withLock { $0 }
        #expect(written.first?.contains("25 % (50 of 200)") == true, "\(written)")
        #expect(written.last == "\r\u{1B}[K")
    }

    /// Proves: G92
    @Test("does not appear for a short task") func short() {
        let lines = Mutex<[String]>([])
        ProgressWatch.run("Migrating", write: { text in lines.withLock { $0.append(text) } }) { _ in }
        #expect(lines.withLock { $0 } == [])
    }
}
