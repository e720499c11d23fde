// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Creates models from managed classes.

public import CoreData
import CoreDataModelFiles

extension NSManagedObjectModel {
    /// Creates the model that the classes describe.
    ///
    /// Create the model once in a program and keep it, like a model from a file: coordinators compare models, and
    /// contexts of several equal models cannot exchange objects.
    ///
    /// - Parameters:
    ///   - classes: classes with `@ManagedObject`, in any order. Their superclasses are included automatically; the
    ///   destinations of their relationships must be in the list.
    ///   - configurations: the classes in the stores of each configuration, by name.
    ///   - versionIdentifiers: identifiers of this version, stored in the metadata of stores.
    /// - Throws: `ClassModelError` with all faults.
    public convenience init(
        classes: [NSManagedObject.Type], configurations: [String: [NSManagedObject.Type]] = [:],
        versionIdentifiers: [String] = []
    ) throws(ClassModelError) {
        let source = try ClassModel(classes)
        var document = source.document
        document.versionIdentifiers = versionIdentifiers
        document.configurations = try source.configurations(configurations)
        self.init(document: document)
        let faults = source.named(faults)
        if !faults.isEmpty { throw ClassModelError(faults: faults) }
        source.complete(self)
    }
}
