// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Chapter 1: a first model.

import CoreDataModeling
import Foundation
import Testing

@Suite("Tutorial 1: a first model") struct FirstModel {
    @Test("a saved note is there in the next run") func save() async throws {
        let folder = try EmptyFolder()
        let url = folder.url.appending(path: "Notebook.sqlite")
        do {
            // snippet: insert
            let notebook = try await Notebook(at: url)
            try await notebook.container.performBackgroundTask { context in
                let note = Memo(context: context)
                note.title = "Groceries"
                note.text = "bread, milk"
                try context.save()
            }
            // end
        }
        // snippet: read
        let again = try await Notebook(at: url)
        let titles = try await again.container.performBackgroundTask { context in
            try context.fetch(Memo.fetchRequest()).map(\.title)
        }
        // end
        #expect(titles == ["Groceries"])
        #expect(FileManager.default.fileExists(atPath: url.path))
    }

    @Test("the model describes itself") func model() throws {
        // snippet: model
        let model = Notebook.model
        let note = model.entitiesByName["Memo"]
        let title = note?.attributesByName["title"]
        // title?.isOptional is false: the type has no question mark
        // title?.defaultValue is "": the initial value
        // end
        #expect(title?.isOptional == false && title?.defaultValue as? String == "")
        #expect(note?.relationshipsByName["tags"]?.isToMany == true)
        #expect(model.entitiesByName["Tag"]?.uniquenessConstraints.count == 1)
    }
}
