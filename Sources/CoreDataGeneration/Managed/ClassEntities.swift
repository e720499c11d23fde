// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Maps classes to their entities.

import CoreDataModelFiles

/// The entity of each class and its slots, by bare class name. Omits classes of several entities, because
/// their slots differ.
struct ClassEntities {
    struct Entry {
        let name: String
        let slots: SlotNumbers
    }

    private var entries: [String: Entry] = [:]
    private var doubtful: Set<String> = []

    init(_ models: [ModelDocument]) {
        for document in models {
            let hierarchy = ModelHierarchy(document)
            for entity in document.entities {
                guard let name = entity.className?.split(separator: ".").last.map(String.init),
                    name != "NSManagedObject"
                else { continue }
                if entries[name] != nil { doubtful.insert(name) }
                entries[name] = Entry(name: entity.name, slots: SlotNumbers(entity, in: hierarchy))
            }
        }
        for name in doubtful { entries[name] = nil }
    }

    subscript(type: DeclaredType) -> Entry? { entries[type.name] ?? type.objectiveCName.flatMap { entries[$0] } }
}
