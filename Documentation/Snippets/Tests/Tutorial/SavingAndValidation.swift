// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Chapter 4: saving and validation.

import CoreDataModeling
import Foundation
import Testing

@Suite("Tutorial 4: saving and validation") @MainActor struct SavingAndValidation {
    @Test("a broken rule names object, property and rule") func rules() async throws {
        let context = try await Notebook().container.viewContext
        // snippet: rule
        let tag = Tag(context: context)  // its name is empty, and a rule of the model wants at least one letter
        do {
            try context.save()
        } catch let error as CocoaError {
            print(error.code.rawValue)  // 1550: a rule of the model
            print(error.validationKey ?? "")  // name
            print(error.userInfo["NSValidationErrorObject"] as? NSManagedObject === tag)  // true
        }
        // end
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.code.rawValue == 1550)
        #expect(error?.userInfo["NSValidationErrorKey"] as? String == "name")
        #expect(error?.userInfo["NSValidationErrorObject"] as? NSManagedObject === tag)
        // snippet: mend
        tag.name = "weekly"
        try context.save()
        // end
        #expect(!context.hasChanges)
    }

    @Test("several broken rules come in one error") func several() async throws {
        let context = try await Notebook().container.viewContext
        for _ in 0..<2 { _ = Tag(context: context) }
        // snippet: several
        do {
            try context.save()
        } catch let error as CocoaError where error.code == .validationMultipleErrors {
            let details = error.userInfo[NSDetailedErrorsKey] as? [any Error] ?? []
            print(details.count)  // 2
        }
        // end
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect((error?.userInfo[NSDetailedErrorsKey] as? [any Error])?.count == 2)
    }

    @Test("rollback gives up what is not saved") func rollback() async throws {
        let context = try await Notebook().container.viewContext
        let note = Memo(context: context)
        note.title = "Groceries"
        try context.save()
        // snippet: rollback
        note.title = "Grocery list"
        print(note.changedValues())  // ["title": "Grocery list"]
        context.rollback()
        print(note.title)  // Groceries
        // end
        #expect(note.title == "Groceries" && !context.hasChanges)
    }

    @Test("a class adds rules") func own() async throws {
        let model = try NSManagedObjectModel(classes: [Meeting.self])
        let container = NSPersistentContainer(name: "Meetings", managedObjectModel: model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription()]
        try await container.loadPersistentStores()
        let context = container.viewContext
        let meeting = Meeting(context: context)
        meeting.end = meeting.start.addingTimeInterval(-60)
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.localizedDescription.contains("ends before") == true)
    }
}

// snippet: own
@ManagedObject final class Meeting: NSManagedObject {
    var start: Date = Date(timeIntervalSinceReferenceDate: 0)
    var end: Date = Date(timeIntervalSinceReferenceDate: 0)

    override func validateForInsert() throws {
        try super.validateForInsert()
        try checkOrder()
    }

    override func validateForUpdate() throws {
        try super.validateForUpdate()
        try checkOrder()
    }

    private func checkOrder() throws {
        guard end < start else { return }
        throw CocoaError(
            .managedObjectValidation, userInfo: [NSLocalizedDescriptionKey: "The meeting ends before it begins."])
    }
}
// end
