// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The objects of a store by the names of their records, for comparisons.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// The values of one record, and its members by name.
struct RecordImage: Equatable {
    var entity: String
    var values: [String: SyncValue] = [:]
    var members: [String: [UUID]] = [:]
}

/// The records of a replica by name.
struct ReplicaImage: Equatable {
    var records: [UUID: RecordImage] = [:]

    init() {}

    /// - Parameters:
    ///   - names: the names of objects by the URIs of their ids.
    ///   - hidden: an entity to leave out.
    init(
        _ context: NSManagedObjectContext, _ model: SyncModel, names: [String: UUID], hidden: String?
    ) throws {
        // An object that was not captured yet has a name that no replica shares.
        func name(_ object: NSManagedObject) -> UUID {
            names[object.objectID.uriRepresentation().absoluteString]
                ?? IDSource(seed: UInt64(bitPattern: Int64(object.objectID.hash))).next()
        }
        for (entityName, entity) in model.entities where entityName != hidden {
            let request = NSFetchRequest<NSManagedObject>(entityName: entityName)
            request.returnsObjectsAsFaults = false
            request.relationshipKeyPathsForPrefetching = NSEntityDescription.entity(
                forEntityName: entityName, in: context)?.relationshipsByName.keys.sorted()
            for object in try context.fetch(request) {
                var image = RecordImage(entity: entityName, values: try object.syncAttributes(entity))
                for (key, relationship) in object.entity.relationshipsByName {
                    if relationship.isToMany {
                        let members = object.syncMembers(key).map(name)
                        image.members[key] =
                            relationship.isOrdered ? members : members.sorted { $0.precedes($1) }
                    } else {
                        let target = (object.value(forKey: key) as? NSManagedObject).map(name)
                        image.values[key] = target.map(SyncValue.link) ?? .null
                    }
                }
                records[name(object)] = image
            }
        }
    }

    /// The first difference, for people; nil without one.
    func difference(_ other: ReplicaImage, _ one: String, _ second: String) -> String? {
        for name in Set(records.keys).union(other.records.keys).sorted(by: { $0.precedes($1) }) {
            switch (records[name], other.records[name]) {
            case (let left?, nil): return "\(left.entity) \(name) is on \(one) only"
            case (nil, let right?): return "\(right.entity) \(name) is on \(second) only"
            case (let left?, let right?) where left != right:
                for key in Set(left.values.keys).union(right.values.keys).sorted()
                where left.values[key] != right.values[key] {
                    return "\(left.entity).\(key) of \(name): \(left.values[key] ?? .null) on \(one), "
                        + "\(right.values[key] ?? .null) on \(second)"
                }
                for key in Set(left.members.keys).union(right.members.keys).sorted()
                where left.members[key] != right.members[key] {
                    return "\(left.entity).\(key) of \(name): \(left.members[key] ?? []) on \(one), "
                        + "\(right.members[key] ?? []) on \(second)"
                }
                return "\(left.entity) \(name) differs in its entity"
            default: continue
            }
        }
        return nil
    }

    // MARK: Rules

    /// A violation of the model's rules (Y6), of the pairs (Y3), or of identities (Y8); nil without one.
    func brokenRule() -> (invariant: String, text: String)? {
        var labels: Set<SyncValue> = []
        var marks: Set<SyncValue> = []
        var pairs: [SyncValue: [SyncValue]] = [:]
        for (name, record) in records.sorted(by: { $0.key.precedes($1.key) }) {
            switch record.entity {
            case "Tag":
                guard let label = record.values["label"], label != .null, labels.insert(label).inserted else {
                    return ("Y6", "the label of Tag \(name) is not unique")
                }
            case "Step":
                guard let note = record.values["note"], case .link(let owner) = note, records[owner] != nil else {
                    return ("Y6", "Step \(name) has no note")
                }
            case "Note":
                if record.values["title"] == .null { return ("Y6", "Note \(name) has no title") }
                if let mark = record.values["mark"], mark != .null, !marks.insert(mark).inserted {
                    return ("Y8", "Note \(name) is there twice")
                }
                if record.members["tags"]?.count ?? 0 > 4 { return ("Y6", "Note \(name) has more than four tags") }
            case "Half": pairs[record.values["pair"] ?? .null, default: []].append(record.values["value"] ?? .null)
            default: break
            }
        }
        for (pair, values) in pairs where values.count != 2 || values[0] != values[1] {
            return ("Y3", "the halves of \(pair) have the values \(values)")
        }
        return nil
    }
}
