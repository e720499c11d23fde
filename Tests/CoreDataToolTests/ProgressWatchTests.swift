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
        let write: (String) -> Void = { text in lines.withLock { $0.append(text) } }
        let result = ProgressWatch.run("Migrating", signals: [], write: write) { progress in
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
    @Test("a signal cancels the task") func cancelled() async {
        await #expect(processExitsWith: .exitCode(7)) {
            ProgressWatch.run("Migrating") { progress in
                kill(getpid(), SIGTERM)
                while !progress.isCancelled { usleep(1000) }
                exit(7)
            }
        }
    }

    @Test("a signal after the task removes the files that must not outlive the program") func handlersReturn()
        async throws
    {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("half").path
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        await #expect(processExitsWith: .signal(SIGTERM)) { [file = file as String] in
            SignalCleanUp.add(file)
            ProgressWatch.run("Migrating") { _ in }
            kill(getpid(), SIGTERM)
            sleep(60)
        }
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test("each signal after the task reaches its former handler") func nothingIsTaken() async {
        await #expect(processExitsWith: .success) {
            signal(SIGUSR1) { _ in HandledSignals.count.add(1, ordering: .relaxed) }
            for number in 1...500 {
                TerminationSignals([SIGUSR1], queue: .global()) {}.cancel()
                kill(getpid(), SIGUSR1)
                for _ in 0..<1000 where HandledSignals.count.load(ordering: .relaxed) < number { usleep(1000) }
                if HandledSignals.count.load(ordering: .relaxed) < number { exit(1) }
            }
            exit(0)
        }
    }

    /// Proves: G92
    @Test("does not appear for a short task") func short() {
        let lines = Mutex<[String]>([])
        ProgressWatch.run("Migrating", signals: [], write: { text in lines.withLock { $0.append(text) } }) { _ in }
        #expect(lines.withLock { $0 } == [])
    }
}

private enum HandledSignals {
    static let count = Atomic(0)
}
