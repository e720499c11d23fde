// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Models made of managed classes.

public import CoreData
import CoreDataModelFiles

extension NSManagedObjectModel {
    /// Makes the model that classes describe.
    ///
    /// Make it once for a program and keep it, as a model that comes from a file: coordinators compare models, contexts
    /// of several equal ones cannot exchange objects.
    ///
    /// - Parameters:
    ///   - classes: with `@ManagedObject`. Their superclasses come along; the destinations of their relationships have
    ///   to
    ///     be among them. The order means nothing.
    ///   - configurations: the classes whose objects a store of that configuration holds, by name.
    ///   - versionIdentifiers: names of this version, kept in the metadata of stores.
    /// - Throws: what is wrong with all of them.
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
