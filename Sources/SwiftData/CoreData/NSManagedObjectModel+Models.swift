// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Models of `import CoreData` made of model classes.

public import CoreData
import Foundation

extension NSManagedObjectModel {
    /// The managed object model of model classes, for `NSPersistentContainer`: it opens the stores of a
    /// `ModelContainer`, and the other way round, at the same time. nil for classes that make no model.
    ///
    /// - Parameters:
    ///   - types: classes with `@Model`; classes that their relationships reach are included.
    ///   - mergedWith: another model, whose entities are added.
    public static func makeManagedObjectModel(
        for types: [any PersistentModel.Type], mergedWith: NSManagedObjectModel? = nil
    ) -> NSManagedObjectModel? {
        makeManagedObjectModel(for: Schema(types), mergedWith: mergedWith)
    }

    /// The model of a schema. nil for a schema that makes no model.
    public static func makeManagedObjectModel(
        for schema: Schema, mergedWith: NSManagedObjectModel? = nil
    ) -> NSManagedObjectModel? {
        let model = NSManagedObjectModel(document: SchemaDocument(schema).document)
        guard let mergedWith else { return model }
        return NSManagedObjectModel(byMerging: [model, mergedWith])
    }
}
