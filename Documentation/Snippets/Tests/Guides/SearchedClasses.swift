// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The class of the code about full-text search.

import CoreDataModeling
import Foundation

// snippet: class
@ManagedObject final class Article: NSManagedObject {
    @Attribute(.spotlight) var title: String = ""
    @Attribute(.spotlight) var body: String = ""
    var isDraft: Bool = false
}
// end

extension Article {
    /// Three articles in memory.
    @MainActor static func filled() async throws -> NSManagedObjectContext {
        let container = NSPersistentContainer(
            name: "Articles", managedObjectModel: try NSManagedObjectModel(classes: [Article.self]))
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        try await container.loadPersistentStores()
        let context = container.viewContext
        for (title, body) in [
            ("Swift on Linux", "The language is open source, and so are its libraries."),
            ("École", "An open letter about gardens."), ("Gardens", "Garden after garden, in the open."),
        ] {
            let article = Article(context: context)
            (article.title, article.body) = (title, body)
        }
        try context.save()
        return context
    }
}
