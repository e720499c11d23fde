// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Named requests of a model, and the variables in them.

import CoreDataFoundation
import CoreDataModelFiles
import Foundation

extension NSManagedObjectModel {
    /// The named requests. They are copies: changing one changes nothing in the model.
    public final var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] {
        fetchRequestDocuments.mapValues { template($0) }
    }

    /// Sets, or with nil takes away, a named request.
    ///
    /// Traps when the model is in use. What a model file has no place for (offset, prefetching, dictionaries'
    /// properties) is not kept.
    public final func setFetchRequestTemplate(
        _ fetchRequestTemplate: NSFetchRequest<any NSFetchRequestResult>?, forName name: String
    ) {
        assertMutable()
        fetchRequestDocuments[name] = fetchRequestTemplate?.document(name: name)
    }

    /// The request of a name, as it stands in the model; nil when there is none.
    public final func fetchRequestTemplate(forName name: String) -> NSFetchRequest<any NSFetchRequestResult>? {
        fetchRequestDocuments[name].map { template($0) }
    }

    /// The request of a name with values in place of its variables; nil when there is none.
    ///
    /// - Parameters:
    ///   - name: the name of the request in the model.
    ///   - variables: values by the names of the variables, without dollar sign; a variable that has none stays in.
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
