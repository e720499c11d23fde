// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which life-cycle methods are called, and when.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Life cycle") struct LifeCycleSpecification {
    /// Proves: M23, F10, F13
    @Test("an insertion awakes, then hears of the save, before and after it", arguments: StoreKind.all)
    func insertion(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let entry = diary.entry("Monday")
        #expect(entry.newCalls() == ["awakeFromInsert"])
        try diary.context.save()
        #expect(entry.newCalls() == ["willSave", "didSave"])
        entry.text = "Tuesday"
        try diary.context.save()
        #expect(entry.newCalls() == ["willSave", "didSave"])
        try diary.context.save()
        #expect(entry.newCalls() == [])
    }

    /// Proves: M23, F11, F12
    @Test("a fault awakes when it receives its values, not when it is made", arguments: StoreKind.all)
    func faulting(store: StoreKind) throws {
        let diary = try Diary(in: store)
        _ = diary.entry("Monday")
        try diary.context.save()
        let context = diary.stack.newContext()
        let entry = try #require(try context.fetch(Entry.request()).first)
        #expect(entry.newCalls() == [])
        #expect(entry.text == "Monday")
        #expect(entry.newCalls() == ["awakeFromFetch"])
        context.refresh(entry, mergeChanges: false)
        #expect(entry.newCalls() == ["willTurnIntoFault", "didTurnIntoFault"])
        #expect(entry.text == "Monday")
        #expect(entry.newCalls() == ["awakeFromFetch"])
    }

    /// Proves: M23, F11
    @Test("objects that a fetch gives realized have awoken", arguments: StoreKind.all)
    func realizedFetch(store: StoreKind) throws {
        let diary = try Diary(in: store)
        _ = diary.entry("Monday")
        try diary.context.save()
        let request = Entry.request()
        request.returnsObjectsAsFaults = false
        let context = diary.stack.newContext()
        let entry = try #require(try context.fetch(request).first)
        #expect(entry.newCalls() == ["awakeFromFetch"])
    }

    /// Proves: M23, F15
    @Test("a deletion is prepared at each request", arguments: StoreKind.all)
    func deletion(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let entry = diary.entry("Monday")
        try diary.context.save()
        _ = entry.newCalls()
        diary.context.delete(entry)
        #expect(entry.newCalls() == ["prepareForDeletion"])
        diary.context.delete(entry)
        #expect(entry.newCalls() == ["prepareForDeletion"])
        try diary.context.save()
        #expect(entry.newCalls().starts(with: ["willSave", "didSave"]))
    }

    /// Decided by `NSManagedObjectContextObjectsDidChange` after a second `delete(_:)` of one object.
    @Test("an object that is deleted twice is announced once", .tags(.assumed), arguments: StoreKind.all)
    func secondDeletion(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let entry = diary.entry("Monday")
        try diary.context.save()
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: diary.context)
        diary.context.delete(entry)
        diary.context.processPendingChanges()
        #expect(log.count == 1)
        diary.context.delete(entry)
        diary.context.processPendingChanges()
        #expect(log.count == 1)
    }

    /// Decided by `awakeFromInsert()` after `delete(_:)` and `insert(_:)` of an unsaved object.
    /// Proves: F10
    @Test("an insertion that is taken back and made again awakes once", .tags(.assumed), arguments: StoreKind.all)
    func secondInsertion(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let entry = diary.entry("Monday")
        #expect(entry.newCalls() == ["awakeFromInsert"])
        diary.context.delete(entry)
        diary.context.processPendingChanges()
        diary.context.insert(entry)
        #expect(!entry.newCalls().contains("awakeFromInsert"))
        try diary.context.save()
        #expect(try diary.stack.newContext().count(for: Entry.request()) == 1)
    }

    /// Proves: M23
    @Test("rollback awakes from a snapshot", arguments: StoreKind.all)
    func rollback(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let entry = diary.entry("Monday")
        try diary.context.save()
        entry.text = "Tuesday"
        _ = entry.newCalls()
        diary.context.rollback()
        #expect(entry.newCalls() == ["awakeFromSnapshotEvents"])
    }

    /// Proves: M23, F13
    @Test("changes by willSave are part of that save, and cause no second call", arguments: StoreKind.all)
    func changesInWillSave(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let entry = diary.entry("Monday")
        entry.inWillSave = { $0.stamp = ($0.stamp ?? 0) + 1 }
        try diary.context.save()
        #expect(!diary.context.hasChanges)
        #expect(entry.stamp == 1)
        #expect(entry.calls.filter { $0 == "willSave" }.count == 1)
        let context = diary.stack.newContext()
        #expect(try context.fetch(Entry.request()).first?.stamp == 1)
    }

    /// Proves: F14
    @Test("willSave can detect the user's changes", arguments: StoreKind.all)
    func changedValuesInWillSave(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let stampUnlessSet: (Entry) -> Void = { entry in
            if entry.changedValues()["stamp"] == nil { entry.stamp = 99 }
        }
        let (automatic, manual) = (diary.entry("a"), diary.entry("b"))
        automatic.inWillSave = stampUnlessSet
        manual.inWillSave = stampUnlessSet
        manual.stamp = 5
        try diary.context.save()
        #expect(automatic.stamp == 99)
        #expect(manual.stamp == 5)
        automatic.stamp = 7
        manual.text = "changed"
        try diary.context.save()
        #expect(automatic.stamp == 7)
        #expect(manual.stamp == 99)
    }

    /// Proves: M23, F99
    @Test("objects that willSave inserts and deletes are saved along", arguments: StoreKind.all)
    func insertionsInWillSave(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let old = diary.entry("old")
        try diary.context.save()
        let entry = diary.entry("new")
        entry.inWillSave = { entry in
            guard let context = entry.managedObjectContext else { return }
            let copy = Entry(context: context)
            copy.text = "copy"
            context.delete(old)
        }
        try diary.context.save()
        #expect(!diary.context.hasChanges)
        let context = diary.stack.newContext()
        #expect(Set(try context.fetch(Entry.request()).map(\.text)) == ["new", "copy"])
    }

    /// Proves: M23
    @Test("a willSave that never comes to rest ends in an error, and nothing is saved", arguments: StoreKind.all)
    func endlessWillSave(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let seed = diary.entry("seed")
        multiply(seed)
        let failure = try #require(diary.context.saveFailure())
        #expect(failure.domain == NSCocoaErrorDomain)
        #expect(failure.localizedDescription.contains("willSave"))
        #expect(diary.context.hasChanges)
        #expect(seed.isInserted)
        #expect(seed.newCalls() == ["awakeFromInsert", "willSave"])
        #expect(try diary.stack.newContext().count(for: Entry.request()) == 0)
        diary.context.rollback()
        #expect(try diary.context.count(for: Entry.request()) == 0)
    }

    /// Proves: M23, F147
    @Test("willSave is called again for an object that the willSave of another one changed", arguments: StoreKind.all)
    func changedAfterWillSave(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let entries = (0..<4).map { diary.entry("\($0)") }
        try diary.context.save()
        for entry in entries {
            _ = entry.newCalls()
            entry.text = "new"
            // The object that is called last changes all the others.
            entry.inWillSave = { entry in
                let others = entries.filter { $0 !== entry }
                guard others.allSatisfy({ $0.calls.contains("willSave") }) else { return }
                for other in others where other.stamp != 1 { other.stamp = 1 }
            }
        }
        try diary.context.save()
        let calls = entries.map { entry in entry.newCalls().filter { $0 == "willSave" }.count }
        // The first object that is called again changes the one that was called last.
        #expect(calls == [2, 2, 2, 2])
        #expect(!diary.context.hasChanges)
        #expect(try diary.stack.stored(Entry.request(), \.stamp) == [1, 1, 1, 1])
    }

    /// Proves: M23, F147
    @Test("willSave is called again for an object that had changed itself there", arguments: StoreKind.all)
    func changedAfterOwnChange(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let (one, other) = (diary.entry("one"), diary.entry("other"))
        try diary.context.save()
        for (entry, second) in [(one, other), (other, one)] {
            _ = entry.newCalls()
            entry.text = "new"
            entry.inWillSave = { entry in
                if entry.mood == nil { entry.mood = "saved" }
                if second.calls.contains("willSave"), second.stamp == nil { second.stamp = 1 }
            }
        }
        try diary.context.save()
        let calls = [one, other].map { entry in entry.newCalls().filter { $0 == "willSave" }.count }
        #expect(calls.sorted() == [2, 2])
        #expect(try diary.stack.stored(Entry.request(), \.stamp) == [1, 1])
    }

    /// Proves: M23, F147
    @Test("willSave is called again for objects with a link that it nullifies by a deletion", arguments: StoreKind.all)
    func nullifiedAfterWillSave(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let entries = [diary.entry("one"), diary.entry("other")]
        let quoted = diary.entry("quoted")
        for entry in entries { entry.setValue(NSSet(object: quoted), forKey: "quotes") }
        try diary.context.save()
        for entry in entries {
            _ = entry.newCalls()
            entry.text = "new"
            // The object that is called last deletes.
            entry.inWillSave = { entry in
                let others = entries.filter { $0 !== entry }
                guard others.allSatisfy({ $0.calls.contains("willSave") }), !quoted.isDeleted else { return }
                entry.managedObjectContext?.delete(quoted)
            }
        }
        try diary.context.save()
        #expect(entries.map { entry in entry.newCalls().filter { $0 == "willSave" }.count } == [2, 2])
        #expect(!diary.context.hasChanges)
        #expect(try diary.stack.stored(Entry.request()) { ($0.value(forKey: "quotes") as? NSSet)?.count } == [0, 0])
    }

    /// Proves: M23, F147
    @Test("objects that change one another in willSave for ever end in an error", arguments: StoreKind.all)
    func mutualWillSave(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let (one, other) = (diary.entry("one"), diary.entry("other"))
        try diary.context.save()
        _ = (one.newCalls(), other.newCalls())
        one.inWillSave = { _ in other.stamp = (other.stamp ?? 0) + 1 }
        other.inWillSave = { _ in one.stamp = (one.stamp ?? 0) + 1 }
        one.text = "first"
        #expect(diary.context.saveFailure()?.localizedDescription.contains("willSave") == true)
        #expect(try diary.stack.stored(Entry.request(), \.stamp) == [nil, nil])
        (one.inWillSave, other.inWillSave) = (nil, nil)
        try diary.context.save()
        #expect(!diary.context.hasChanges)
        let stamps = try diary.stack.stored(Entry.request(), \.stamp)
        #expect(Set(stamps) == [one.stamp, other.stamp])
    }

    private func multiply(_ entry: Entry) {
        entry.inWillSave = { entry in
            guard let context = entry.managedObjectContext else { return }
            LifeCycleSpecification().multiply(Entry(context: context))
        }
    }

    /// Proves: F99
    @Test("prepareForDeletion may delete further objects", arguments: StoreKind.all)
    func furtherDeletions(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let (first, second) = (diary.entry("first"), diary.entry("second"))
        try diary.context.save()
        first.inPrepareForDeletion = { $0.managedObjectContext?.delete(second) }
        diary.context.delete(first)
        try diary.context.save()
        #expect(second.managedObjectContext == nil)
        #expect(try diary.context.count(for: Entry.request()) == 0)
    }

    /// Proves: M21
    @Test(
        "a derived transient value goes stale in a merge, and didTurnIntoFault is where a class resets its own cache",
        arguments: StoreKind.all)
    func cachedFullName(store: StoreKind) throws {
        let stack = try Stack(store, NamedModel.make(FullName.self))
        let person = FullName(context: stack.context)
        person.setValue("Sarit", forKey: "name")
        person.setValue("Jones", forKey: "nickname")
        try stack.context.save()
        #expect(person.full == "Sarit Jones")

        let other = stack.newContext()
        other.object(with: person.objectID).setValue("Smith", forKey: "nickname")
        try other.save()

        person.setValue("Fiona", forKey: "name")
        stack.context.refresh(person, mergeChanges: true)
        #expect(person.value(forKey: "name") as? String == "Fiona")
        #expect(person.value(forKey: "nickname") as? String == "Smith")
        #expect(person.plainCache == nil)
        #expect(person.full == "Sarit Jones")
        stack.context.refresh(person, mergeChanges: false)
        #expect(person.plainCache == nil)
        #expect(person.full == "Sarit Smith")
    }
}

private final class FullName: NSManagedObject {
    var plainCache: String?

    /// Kept in a transient property once it was made.
    var full: String {
        if let known = primitiveValue(forKey: "mood") as? String { return known }
        let full = "\(value(forKey: "name") as? String ?? "") \(value(forKey: "nickname") as? String ?? "")"
        setPrimitiveValue(full, forKey: "mood")
        plainCache = full
        return full
    }

    override func didTurnIntoFault() {
        super.didTurnIntoFault()
        plainCache = nil
    }
}
