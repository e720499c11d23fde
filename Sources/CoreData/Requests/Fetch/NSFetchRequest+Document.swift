// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts fetch requests to and from their form in model files.

import CoreDataFoundation
import CoreDataModelFiles
import Foundation

extension NSFetchRequest: DocumentedRequest {
    /// A request that a model file describes.
    convenience init(document: ModelDocument.FetchRequest) {
        self.init()
        take(document)
    }

    /// `NSManagedObjectModel.check()` reports a predicate that cannot be read.
    func take(_ document: ModelDocument.FetchRequest) {
        if !document.entityName.isEmpty { settings.entityName = document.entityName }
        settings.predicate = document.predicateFormat.map { format in
            (try? NSPredicate.parsing(format)) ?? NSPredicate(value: false)
        }
        if !document.sortDescriptors.isEmpty {
            settings.sortDescriptors = document.sortDescriptors.map {
                NSSortDescriptor(key: $0.key, ascending: $0.isAscending, selector: $0.selectorName.map { Selector($0) })
            }
        }
        settings.fetchLimit = document.fetchLimit
        settings.fetchBatchSize = document.fetchBatchSize
        settings.resultType = NSFetchRequestResultType(rawValue: UInt(max(0, document.resultType)))
        settings.options[.includesSubentities] = document.includesSubentities
        settings.options[.includesPropertyValues] = document.includesPropertyValues
        settings.options[.includesPendingChanges] = document.includesPendingChanges
        settings.options[.returnsObjectsAsFaults] = document.returnsObjectsAsFaults
        settings.options[.returnsDistinctResults] = document.returnsDistinctResults
    }

    func document(name: String) -> ModelDocument.FetchRequest {
        var document = ModelDocument.FetchRequest(name: name, entityName: entityName ?? "")
        document.predicateFormat = settings.predicate.map { $0.syntax.description }
        document.sortDescriptors = (settings.sortDescriptors ?? []).compactMap { descriptor in
            descriptor.sortKey.map {
                .init(
                    key: $0.key, isAscending: $0.ascending,
                    selectorName: $0.comparison == .standard ? nil : $0.comparison.rawValue)
            }
        }
        document.fetchLimit = settings.fetchLimit
        document.fetchBatchSize = settings.fetchBatchSize
        document.resultType = Int(settings.resultType.rawValue)
        document.includesSubentities = settings.options[.includesSubentities]
        document.includesPropertyValues = settings.options[.includesPropertyValues]
        document.includesPendingChanges = settings.options[.includesPendingChanges]
        document.returnsObjectsAsFaults = settings.options[.returnsObjectsAsFaults]
        document.returnsDistinctResults = settings.options[.returnsDistinctResults]
        return document
    }
}
