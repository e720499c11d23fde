// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Changes of unsaved models by other contexts, and undo over saves.

import Foundation
import SwiftData
import Testing

@Suite("Unsaved models outlast the work of other contexts")
struct PressureTests {
    private func book(_ title: String, in context: ModelContext) throws -> Book {
        try #require(try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == title })).first)
    }

    /// Proves: S30, S31, S56
    @Test("A change of a model that another context deletes ends with it, and other changes are saved")
    func changedAndDeletedElsewhere() throws {
        let here = try Stack.library()
        let there = ModelContext(here.container)
        let (dune, rose) = (try book("Dune", in: here), try book("The Rose", in: here))
        dune.pages = 1
        rose.pages = 2
        there.delete(try book("Dune", in: there))
        try there.save()
        try here.save()
        #expect(dune.isDeleted && !here.hasChanges)
        let fresh = ModelContext(here.container)
        #expect(try fresh.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)])).map(\.pages) == [2, 90])
    }

    /// Proves: S31, S57
    @Test("A model that is related to one that another context deletes is saved without it")
    func relatedToDeleted() throws {
        let here = try Stack.library()
        let there = ModelContext(here.container)
        let herbert = try #require(try book("Dune", in: here).author)
        let new = Book(title: "Children of Dune", author: herbert)
        there.delete(try #require(try book("Dune", in: there).author))
        try there.save()
        try here.save()
        #expect(new.author == nil && !new.isDeleted)
        let fresh = ModelContext(here.container)
        let titles = try fresh.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])).map(\.title)
        #expect(titles == ["Children of Dune", "Lists", "The Rose"])
        #expect(try book("Children of Dune", in: fresh).author == nil)
    }

    /// Proves: S27
    @Test("Undo goes back over a save, and the next save writes it")
    func undoOverSave() throws {
        let context = try Stack.library()
        let undo = UndoManager()
        undo.groupsByEvent = false
        context.undoManager = undo
        let dune = try book("Dune", in: context)
        undo.beginUndoGrouping()
        dune.pages = 7
        context.processPendingChanges()
        undo.endUndoGrouping()
        try context.save()
        undo.undo()
        #expect(dune.pages == 412 && context.hasChanges)
        try context.save()
        let fresh = ModelContext(context.container)
        #expect(try book("Dune", in: fresh).pages == 412)
        undo.redo()
        #expect(dune.pages == 7 && context.hasChanges)
    }

    /// Proves: S24, S31
    @Test("A rollback after a deletion elsewhere leaves nothing to save")
    func rollbackAfterDeletion() throws {
        let here = try Stack.library()
        let there = ModelContext(here.container)
        let dune = try book("Dune", in: here)
        dune.pages = 1
        there.delete(try book("Dune", in: there))
        try there.save()
        here.rollback()
        #expect(!here.hasChanges && dune.isDeleted)
        #expect(try here.fetchCount(FetchDescriptor<Book>()) == 2)
    }
}
