// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A sync that fails after the end of the journal: the transaction is committed, and so is the save.

import CSQLite
import CoreData
import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

extension PassingFailures {
    /// Without a WAL SQLite reports such a commit as failed although all readers see it.
    ///
    /// Proves: ProvingGround-P3
    @Suite("A sync that fails after the end of the journal") struct EndOfJournalTests {
        @Test(
            "leaves the save done, and its large data",
            arguments: ["TRUNCATE", "PERSIST"], [SQLITE_IOERR | (4 << 8), SQLITE_FULL])
        func sync(mode: String, code: Int32) throws {
            let pragmas = [NSSQLitePragmasOption: ["journal_mode": mode, "synchronous": "FULL"]]
            JournalSync.install()
            let stack = try Stack(.sqlite, PhotoModel.make(), options: pragmas)
            JournalSync.watch(for: stack.url.path + "-journal")
            func insert(_ name: String) -> NSManagedObject {
                let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: stack.context)
                photo.setValue(name, forKey: "name")
                photo.setValue(Data(repeating: 7, count: 200_000), forKey: "data")
                return photo
            }
            let first = insert("first")
            try stack.context.save()
            _ = insert("second")
            first.setValue("changed", forKey: "name")
            let (error, count) = JournalSync.failing(code) { failure { try stack.context.save() } }
            #expect(count == 1)
            #expect(error == nil)
            #expect(!stack.context.hasChanges)
            // The next commit, which once made the files of the previous one obsolete.
            first.setValue("changed again", forKey: "name")
            try stack.context.save()
            try stack.reopen(options: pragmas)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Photo")
            let photos = try stack.context.fetch(request)
            #expect(Set(photos.map { $0.value(forKey: "name") as? String }) == ["changed again", "second"])
            #expect(photos.map { ($0.value(forKey: "data") as? Data)?.count } == [200_000, 200_000])
        }

        /// The save cannot check whether it is committed. Tried again, it meets the rows of its first attempt.
        ///
        /// Proves: ProvingGround-P3, Telemetry-O6
        @Test(
            "lets the save be tried again after the disk failed for longer",
            arguments: ["TRUNCATE", "PERSIST"], [false, true])
        func lasting(mode: String, changesMore: Bool) throws {
            let pragmas = [NSSQLitePragmasOption: ["journal_mode": mode, "synchronous": "FULL"]]
            JournalSync.install()
            let log = OperationLog()
            let stack = try Stack(.sqlite, PhotoModel.make(), options: pragmas, observers: [log])
            JournalSync.watch(for: stack.url.path + "-journal")
            let photos = (0..<3).map { number in
                let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: stack.context)
                photo.setValue("\(number)", forKey: "name")
                return photo
            }
            try stack.context.save()
            photos[0].setValue("changed", forKey: "name")
            stack.context.delete(photos[1])
            let added = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: stack.context)
            added.setValue("added", forKey: "name")
            added.setValue(Data(repeating: 7, count: 200_000), forKey: "data")
            _ = log.take()
            let (error, count) = JournalSync.failing(isLasting: true) { failure { try stack.context.save() } }
            #expect(count == 1)
            #expect(error != nil)
            #expect(log.take().of(.save).first?.report?.isCommitUnknown == true)
            #expect(stack.context.hasChanges)
            if changesMore { added.setValue("added more", forKey: "name") }
            try stack.context.save()
            #expect(log.take().of(.save).first?.report?.isCommitUnknown == false)
            #expect(!stack.context.hasChanges)
            // The versions are those of the rows.
            photos[0].setValue("changed again", forKey: "name")
            added.setValue(Data(repeating: 8, count: 200_000), forKey: "data")
            try stack.context.save()
            try stack.reopen(options: pragmas)
            let found = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Photo"))
            let names = found.compactMap { $0.value(forKey: "name") as? String }
            #expect(names.sorted() == ["2", changesMore ? "added more" : "added", "changed again"])
            #expect(found.compactMap { ($0.value(forKey: "data") as? Data)?.count } == [200_000])
        }

        /// The second attempt continues the first one, and its outcome is unknown as well.
        ///
        /// Proves: ProvingGround-P3
        @Test("lets the save be tried for the third time", arguments: ["TRUNCATE", "PERSIST"], [false, true])
        func third(mode: String, changesMore: Bool) throws {
            let pragmas = [NSSQLitePragmasOption: ["journal_mode": mode, "synchronous": "FULL"]]
            JournalSync.install()
            let stack = try Stack(.sqlite, PhotoModel.make(), options: pragmas)
            JournalSync.watch(for: stack.url.path + "-journal")
            let photos = (0..<3).map { number in
                let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: stack.context)
                photo.setValue("\(number)", forKey: "name")
                return photo
            }
            try stack.context.save()
            photos[0].setValue("changed", forKey: "name")
            stack.context.delete(photos[1])
            let added = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: stack.context)
            added.setValue("added", forKey: "name")
            added.setValue(Data(repeating: 7, count: 200_000), forKey: "data")
            for attempt in 1...2 {
                if attempt == 2, changesMore { added.setValue("added more", forKey: "name") }
                JournalSync.watch(for: stack.url.path + "-journal")
                let (error, count) = JournalSync.failing(isLasting: true) { failure { try stack.context.save() } }
                #expect(count == 1)
                #expect(error != nil)
                #expect(stack.context.hasChanges)
            }
            try stack.context.save()
            #expect(!stack.context.hasChanges)
            photos[0].setValue("changed again", forKey: "name")
            try stack.context.save()
            try stack.reopen(options: pragmas)
            let found = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Photo"))
            let names = found.compactMap { $0.value(forKey: "name") as? String }
            #expect(names.sorted() == ["2", changesMore ? "added more" : "added", "changed again"])
            #expect(found.compactMap { ($0.value(forKey: "data") as? Data)?.count } == [200_000])
        }

        /// Proves: ProvingGround-P3
        @Test("leaves a batch insertion done", arguments: ["TRUNCATE", "PERSIST"], [false, true])
        func batch(mode: String, tracksHistory: Bool) throws {
            var options: [AnyHashable: Any] = [
                NSSQLitePragmasOption: ["journal_mode": mode, "synchronous": "FULL"]
            ]
            if tracksHistory { options[NSPersistentHistoryTrackingKey] = true }
            JournalSync.install()
            let stack = try Stack(.sqlite, PhotoModel.make(), options: options)
            JournalSync.watch(for: stack.url.path + "-journal")
            let rows = (0..<3).map { ["name": "\($0)", "data": Data(repeating: 7, count: 200_000)] as [String: Any] }
            let request = NSBatchInsertRequest(entityName: "Photo", objects: rows)
            request.resultType = .count
            let (count, failures) = try JournalSync.failing {
                try (stack.context.execute(request) as? NSBatchInsertResult)?.result as? Int
            }
            #expect(failures == 1)
            #expect(count == 3)
            // The next commit removes files that no row names.
            NSEntityDescription.insertNewObject(forEntityName: "Photo", into: stack.context).setValue(
                "3", forKey: "name")
            try stack.context.save()
            try stack.reopen(options: options)
            let found = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Photo"))
            #expect(found.compactMap { $0.value(forKey: "name") as? String }.sorted() == ["0", "1", "2", "3"])
            #expect(found.compactMap { ($0.value(forKey: "data") as? Data)?.count } == [200_000, 200_000, 200_000])
        }

        /// Proves: IndeterminateCommits-D7
        @Test(
            "is done when somebody has changed its row since, and no record is there twice", arguments: [false, true])
        func overtaken(isInsertion: Bool) throws {
            let pragmas = [NSSQLitePragmasOption: ["journal_mode": "TRUNCATE", "synchronous": "FULL"]]
            JournalSync.install()
            let stack = try Stack(.sqlite, PhotoModel.make(), options: pragmas)
            let mine = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: stack.context)
            if !isInsertion { try stack.context.save() }
            JournalSync.watch(for: stack.url.path + "-journal")
            mine.setValue("mine", forKey: "name")
            let (error, _) = JournalSync.failing(isLasting: true) { failure { try stack.context.save() } }
            #expect(error != nil)
            let other = stack.newContext()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Photo")
            let theirs = try #require(try other.fetch(request).first)
            #expect(theirs.value(forKey: "name") as? String == "mine")
            theirs.setValue("theirs", forKey: "name")
            try other.save()
            try stack.context.save()
            #expect(!stack.context.hasChanges)
            // A further change is a conflict, as after any save.
            mine.setValue("mine again", forKey: "name")
            #expect(failure { try stack.context.save() }?.code == NSManagedObjectMergeError)
            stack.context.rollback()
            stack.context.refreshAllObjects()
            #expect(mine.value(forKey: "name") as? String == "theirs")
            #expect(try stack.stored(request) { $0.value(forKey: "name") as? String } == ["theirs"])
        }

        /// The transaction was rolled back, and another program inserted the same values.
        ///
        /// Proves: IndeterminateCommits-D2, IndeterminateCommits-D4
        @Test("does not take an equal row of others for that of the save", arguments: ["TRUNCATE", "PERSIST"])
        func equalRow(mode: String) throws {
            let pragmas = [NSSQLitePragmasOption: ["journal_mode": mode, "synchronous": "FULL"]]
            JournalSync.install()
            let stack = try Stack(.sqlite, PhotoModel.make(), options: pragmas)
            JournalSync.watch(for: stack.url.path + "-journal")
            NSEntityDescription.insertNewObject(forEntityName: "Photo", into: stack.context)
                .setValue("equal", forKey: "name")
            let (error, _) = JournalSync.failing(isLasting: true) { failure { try stack.context.save() } }
            #expect(error != nil)
            // As if a rollback had taken the transaction's number back, and the row were another program's.
            let connection = try Connection(url: stack.url)
            #expect(try connection.run("UPDATE OCD_COMMIT SET NUMBER = NUMBER - 1") == 1)
            try connection.close()
            try stack.context.save()
            try stack.reopen(options: pragmas)
            let found = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Photo"))
            #expect(found.map { $0.value(forKey: "name") as? String } == ["equal", "equal"])
        }

        /// A hundred other programs have written since, and their rows have displaced that of the store.
        ///
        /// Proves: IndeterminateCommits-D3, IndeterminateCommits-D8
        @Test("is refused when nothing in the file decides it any more, and no record is there twice")
        func displaced() throws {
            let pragmas = [NSSQLitePragmasOption: ["journal_mode": "TRUNCATE", "synchronous": "FULL"]]
            JournalSync.install()
            let stack = try Stack(.sqlite, PhotoModel.make(), options: pragmas)
            JournalSync.watch(for: stack.url.path + "-journal")
            NSEntityDescription.insertNewObject(forEntityName: "Photo", into: stack.context)
                .setValue("once", forKey: "name")
            let (error, _) = JournalSync.failing(isLasting: true) { failure { try stack.context.save() } }
            #expect(error != nil)
            let connection = try Connection(url: stack.url)
            for writer in 1...Int64(100) {
                try connection.run(
                    "INSERT INTO OCD_COMMIT (WRITER, NUMBER) VALUES (?, 1)", [.integer(-writer)])
            }
            #expect(try connection.run("DELETE FROM OCD_COMMIT WHERE WRITER > 0") == 1)
            try connection.close()
            for _ in 0..<2 {
                let refusal = failure { try stack.context.save() }
                #expect(refusal?.code == NSPersistentStoreOperationError)
                #expect(refusal.map { "\($0.userInfo)" }?.contains("add it again") == true)
            }
            try stack.reopen(options: pragmas)
            let found = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Photo"))
            #expect(found.map { $0.value(forKey: "name") as? String } == ["once"])
            // A store that is opened anew has no doubts.
            NSEntityDescription.insertNewObject(forEntityName: "Photo", into: stack.context)
                .setValue("later", forKey: "name")
            try stack.context.save()
        }

        /// Proves: IndeterminateCommits-D8
        @Test("was rolled back if the rows of others cannot have displaced that of its store") func notDisplaced()
            throws
        {
            let pragmas = [NSSQLitePragmasOption: ["journal_mode": "TRUNCATE", "synchronous": "FULL"]]
            JournalSync.install()
            let stack = try Stack(.sqlite, PhotoModel.make(), options: pragmas)
            JournalSync.watch(for: stack.url.path + "-journal")
            NSEntityDescription.insertNewObject(forEntityName: "Photo", into: stack.context)
                .setValue("once", forKey: "name")
            let (error, _) = JournalSync.failing(isLasting: true) { failure { try stack.context.save() } }
            #expect(error != nil)
            // As if a rollback had taken the transaction back, and others had written.
            let connection = try Connection(url: stack.url)
            #expect(try connection.run("DELETE FROM OCD_COMMIT") == 1)
            #expect(try connection.run("DELETE FROM ZPHOTO") == 1)
            for writer in 1...Int64(99) {
                try connection.run(
                    "INSERT INTO OCD_COMMIT (WRITER, NUMBER) VALUES (?, 1)", [.integer(-writer)])
            }
            try connection.close()
            try stack.context.save()
            try stack.reopen(options: pragmas)
            let found = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Photo"))
            #expect(found.map { $0.value(forKey: "name") as? String } == ["once"])
        }

        /// The program got an error, so it executes the request once more.
        ///
        /// Proves: IndeterminateCommits-D3, IndeterminateCommits-D5
        @Test(
            "lets a batch insertion be tried again, which inserts once", arguments: SecondRequest.allCases,
            [false, true])
        func batchAgain(second: SecondRequest, tracksHistory: Bool) throws {
            var options: [AnyHashable: Any] = [
                NSSQLitePragmasOption: ["journal_mode": "TRUNCATE", "synchronous": "FULL"]
            ]
            if tracksHistory { options[NSPersistentHistoryTrackingKey] = true }
            JournalSync.install()
            let stack = try Stack(.sqlite, PhotoModel.make(), options: options)
            JournalSync.watch(for: stack.url.path + "-journal")
            let rows = (0..<3).map { ["name": "\($0)", "data": Data(repeating: 7, count: 200_000)] as [String: Any] }
            func insert(_ request: NSBatchInsertRequest) throws -> Int? {
                request.resultType = .count
                return try (stack.context.execute(request) as? NSBatchInsertResult)?.result as? Int
            }
            func equalRequest() -> NSBatchInsertRequest { NSBatchInsertRequest(entityName: "Photo", objects: rows) }
            let request = equalRequest()
            let (error, count) = JournalSync.failing(isLasting: true) { failure { _ = try insert(request) } }
            #expect(count == 1)
            #expect(error != nil)
            if second != .equal {
                NSEntityDescription.insertNewObject(forEntityName: "Photo", into: stack.context)
                    .setValue("between", forKey: "name")
                try stack.context.save()
            }
            #expect(try insert(second == .sameLater ? request : equalRequest()) == 3)
            try stack.reopen(options: options)
            let found = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Photo"))
            let names = found.compactMap { $0.value(forKey: "name") as? String }.sorted()
            let once = ["0", "1", "2"] + (second == .equal ? [] : ["between"])
            // After another transaction an equal request is a new one.
            #expect(names == (second == .equalLater ? ["0", "0", "1", "1", "2", "2", "between"] : once))
            #expect(
                found.count { ($0.value(forKey: "data") as? Data)?.count == 200_000 } == names.count { $0 != "between" }
            )
        }

        /// Proves: IndeterminateCommits-D5, Telemetry-O6
        @Test("lets a batch deletion be tried again, which counts its deleted rows")
        func deletionAgain() throws {
            let pragmas = [NSSQLitePragmasOption: ["journal_mode": "TRUNCATE", "synchronous": "FULL"]]
            JournalSync.install()
            let log = OperationLog()
            let stack = try Stack(.sqlite, PhotoModel.make(), options: pragmas, observers: [log])
            for _ in 0..<3 { _ = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: stack.context) }
            try stack.context.save()
            JournalSync.watch(for: stack.url.path + "-journal")
            func delete() throws -> Int? {
                let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Photo"))
                request.resultType = .resultTypeCount
                return try (stack.context.execute(request) as? NSBatchDeleteResult)?.result as? Int
            }
            let (error, _) = JournalSync.failing(isLasting: true) { failure { _ = try delete() } }
            #expect(error != nil)
            #expect(log.take().of(.batch).first?.report?.isCommitUnknown == true)
            #expect(try delete() == 3)
            #expect(log.take().of(.batch).first?.report?.isCommitUnknown == false)
            #expect(try delete() == 0)
        }

        /// SQL has no condition on the value of a transformable attribute, so the request is a save of rows.
        ///
        /// Proves: IndeterminateCommits-D5
        @Test("lets a batch update over rows be tried again, which adds once", arguments: [false, true])
        func updateOverRows(tracksHistory: Bool) throws {
            var options: [AnyHashable: Any] = [
                NSSQLitePragmasOption: ["journal_mode": "TRUNCATE", "synchronous": "FULL"]
            ]
            if tracksHistory { options[NSPersistentHistoryTrackingKey] = true }
            JournalSync.install()
            let stack = try Stack(.sqlite, BookshopModel.make(), options: options)
            for _ in 0..<3 {
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: stack.context)
                book.setValue("title", forKey: "title")
                book.setValue(["new"] as NSArray, forKey: "keywords")
            }
            try stack.context.save()
            JournalSync.watch(for: stack.url.path + "-journal")
            func update() throws -> Int? {
                let request = NSBatchUpdateRequest(entityName: "Book")
                request.predicate = NSPredicate(format: "keywords == %@", ["new"] as NSArray)
                request.propertiesToUpdate = ["pages": NSExpression(format: "pages + 1")]
                request.resultType = .updatedObjectsCountResultType
                return try (stack.context.execute(request) as? NSBatchUpdateResult)?.result as? Int
            }
            let (error, count) = JournalSync.failing(isLasting: true) { failure { _ = try update() } }
            #expect(count == 1)
            #expect(error != nil)
            #expect(try update() == 3)
            try stack.reopen(options: options)
            func pages() throws -> [Int] {
                try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).compactMap {
                    $0.value(forKey: "pages") as? Int
                }
            }
            #expect(try pages() == [1, 1, 1])
            #expect(try update() == 3)
            stack.context.refreshAllObjects()
            #expect(try pages() == [2, 2, 2])
        }
    }
}

/// The ways in which a program executes a request again.
enum SecondRequest: CaseIterable {
    /// An equal one, at once.
    case equal
    /// The same one, after another transaction.
    case sameLater
    /// An equal one, after another transaction.
    case equalLater
}
