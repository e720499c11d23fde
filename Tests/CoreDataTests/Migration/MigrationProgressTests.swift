// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests the progress and the cancellation of a migration.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("The progress of a migration") struct MigrationProgressTests {
    /// Notes each number of done units, and cancels itself at a share, once.
    final class NotedProgress: Progress, @unchecked Sendable {
        private(set) var noted: [Double] = []
        /// The number of times that the done units were set after the end; nil before it.
        private(set) var stepsAfterEnd: Int?
        private let end: Double

        init(cancelledAt end: Double = 2) {
            self.end = end
            super.init(parent: nil, userInfo: nil)
        }

        override var completedUnitCount: Int64 {
            get { super.completedUnitCount }
            set {
                super.completedUnitCount = newValue
                noted.append(fractionCompleted)
                if let steps = stepsAfterEnd {
                    stepsAfterEnd = steps + 1
                } else if fractionCompleted >= end {
                    stepsAfterEnd = 0
                    cancel()
                }
            }
        }
    }

    private let old = version { model in
        model.entity("Book") {
            $0.attribute("title", .stringAttributeType)
            $0.attribute("pages", .integer32AttributeType)
        }
    }

    private let new = version { model in
        model.entity("Book") {
            $0.attribute("title", .stringAttributeType)
            $0.attribute("pages", .integer64AttributeType)
            $0.attribute("rating", .integer16AttributeType, default: 3)
        }
        model.entity("Author") { $0.attribute("name", .stringAttributeType) }
    }

    private func library(_ kind: StoreKind, _ count: Int = 3000) throws -> MigratingStore {
        try MigratingStore(old, in: kind) { context in
            for number in 0..<count { context.make("Book", ["title": "Book \(number)", "pages": number]) }
        }
    }

    private func options(_ progress: Progress) -> [AnyHashable: Any] {
        MigratingStore.migrating.merging([MigrationOption.versions: [old], MigrationOption.progress: progress]) { $1 }
    }

    /// Proves: G76
    @Test("rises with the written rows to 1", arguments: AutomaticObjectMigrationTests.files)
    func rises(kind: StoreKind) throws {
        let library = try library(kind)
        let progress = NotedProgress()
        let context = try library.open(new, options: options(progress))
        #expect(try context.all("Book").count == 3000)
        try library.close(context)
        #expect(progress.noted == progress.noted.sorted())
        #expect(Set(progress.noted).count > 20, "\(progress.noted.count)")
        #expect(progress.noted.count { $0 > 0.1 && $0 < 0.9 } > 5)
        #expect(progress.fractionCompleted == 1 && progress.isFinished)
        #expect(progress.totalUnitCount >= 3000)
    }

    /// Proves: G76
    @Test("a plan shows its run, and an opening without a migration does not touch a progress") func plan() throws {
        let library = try library(.sqlite, 10)
        let progress = NotedProgress()
        let plan = try MigrationPlan(forStoreAt: library.url, type: .sqlite, to: new)
        #expect(try plan.run(progress: progress).rowsAfter["Book"] == 10)
        #expect(progress.isFinished)
        let idle = NotedProgress()
        try library.close(library.open(new, options: options(idle)))
        #expect(idle.noted == [] && !idle.isFinished)
    }

    /// Proves: G77, G65, G71
    @Test(
        "a cancelled migration leaves the old store, and the next one works",
        arguments: AutomaticObjectMigrationTests.files)
    func cancelled(kind: StoreKind) throws {
        let library = try library(kind)
        let before = try library.bytes()
        for share in [0.0, 0.3, 0.8] {
            let progress = NotedProgress(cancelledAt: share)
            let error = try library.failure(new, options: options(progress))
            let steps = try #require(progress.stepsAfterEnd)
            #expect(error.domain == NSCocoaErrorDomain && error.code == NSMigrationCancelledError, "\(error)")
            #expect(error.userInfo[NSURLErrorKey] as? URL == library.url || "\(error)".contains(library.url.path))
            #expect(steps <= 1)
            #expect(progress.fractionCompleted < 1)
            #expect(try library.bytes().keys.sorted() == before.keys.sorted())
        }
        let context = try library.open(old, options: nil)
        #expect(try context.values("Book", "pages").prefix(3) == ["0", "1", "2"])
        try library.close(context)
        let migrated = try library.open(new, options: options(Progress(totalUnitCount: 0)))
        #expect(try migrated.all("Book").count == 3000)
        try library.close(migrated)
    }

    /// Proves: G77
    @Test("an opener that waits for others can be cancelled", arguments: [StoreKind.sqlite, .xml])
    func waiting(kind: StoreKind) throws {
        let library = try library(kind, 10)
        let holder = kind == .sqlite ? try ForeignUser(of: library.url) : nil
        let turn = kind == .sqlite ? nil : try MigrationLock(of: library.url, timeout: .seconds(1))
        let progress = Progress(totalUnitCount: 0)
        var options = options(progress)
        options[NSPersistentStoreTimeoutOption] = 60
        let thread = Thread {
            Thread.sleep(forTimeInterval: 0.2)
            progress.cancel()
        }
        thread.start()
        // An opener that waited to the end of its timeout would throw NSPersistentStoreTimeoutError.
        #expect(try library.failure(new, options: options).code == NSMigrationCancelledError)
        try holder?.close()
        withExtendedLifetime(turn) {}
    }

    /// Proves: G76, G77
    @Test("stages share one progress") func stages() throws {
        let middle = version { model in
            model.entity("Book") {
                $0.attribute("title", .stringAttributeType)
                $0.attribute("pages", .integer64AttributeType)
            }
        }
        let library = try library(.sqlite, 20)
        let manager = NSStagedMigrationManager([
            NSCustomMigrationStage(
                migratingFrom: NSManagedObjectModelReference(model: old, versionChecksum: old.versionChecksum),
                to: NSManagedObjectModelReference(model: middle, versionChecksum: middle.versionChecksum)),
            NSLightweightMigrationStage([middle.versionChecksum, new.versionChecksum]),
        ])
        let key = NSPersistentStoreStagedMigrationManagerOptionKey
        let cancelled = NotedProgress(cancelledAt: 0)
        cancelled.cancel()
        var options: [AnyHashable: Any] = [key: manager, MigrationOption.progress: cancelled]
        #expect(try library.failure(new, options: options).code == NSMigrationCancelledError)
        let progress = NotedProgress()
        options[MigrationOption.progress] = progress
        let context = try library.open(new, options: options)
        #expect(try context.all("Book").count == 20)
        try library.close(context)
        #expect(progress.fractionCompleted == 1)
    }
}
