// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The fetch request templates of a model, and the variables in them.

import CoreDataFoundation
import CoreDataModelFiles
import Foundation

extension NSManagedObjectModel {
    /// The named requests, as copies: changing one does not change the model.
    public final var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] {
        fetchRequestDocuments.mapValues { template($0) }
    }

    /// Sets a named request; nil removes it.
    ///
    /// Traps when the model is in use. Settings that a model file cannot store (offset, prefetching, properties for
    /// dictionaries) are dropped.
    public final func setFetchRequestTemplate(
        _ fetchRequestTemplate: NSFetchRequest<any NSFetchRequestResult>?, forName name: String
    ) {
        assertMutable()
        fetchRequestDocuments[name] = fetchRequestTemplate?.document(name: name)
    }

    /// The request with a name, unchanged, as the model contains it; nil for an unknown name.
    public final func fetchRequestTemplate(forName name: String) -> NSFetchRequest<any NSFetchRequestResult>? {
        fetchRequestDocuments[name].map { template($0) }
    }

    /// The request with a name, with values in place of its variables; nil for an unknown name.
    ///
    /// - Parameters:
    ///   - name: the name of the request in the model.
    ///   - variables: values by the names of the variables, without the dollar sign; variables without a value are
    ///     kept.
    public final func fetchRequestFromTemplate(withName name: String, substitutionVariables variables: [String: Any])
        -> NSFetchRequest<any NSFetchRequestResult>?
    {
        guard let request = fetchRequestTemplate(forName: name) else { return nil }
        request.predicate = request.predicate?.withSubstitutionVariables(variables)
        return request
    }

    private func template(_ document: ModelDocument.FetchRequest) -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>(document: document)
        request.entity = entitiesByName[document.entityName]
        return request
    }
}
