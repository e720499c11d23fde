// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The compact forms of records' states that the server keeps in its rows of sync (`Documentation/Forms.md`).
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// Makes and reads the forms of one model. Immutable.
struct RecordForms: Sendable {
    /// The bytes of the greatest form (F6).
    private static let mostBytes = 8 << 10

    let large: LargeDataSizes
    /// Whether the store keeps each date as it is.
    let keepsDates: Bool
    /// The marks of the entities that have forms (F2).
    private let marks: [String: UInt64]

    /// - Parameter large: the sizes from which values are large.
    init(_ model: SyncModel, _ descriptions: NSManagedObjectModel, large: LargeDataSizes, keepsDates: Bool) {
        self.large = large
        self.keepsDates = keepsDates
        marks = model.entities.filter { Self.isPlain($0.value, descriptions) }.mapValues { entity in
            Self.mark(entity, descriptions.entitiesByName[entity.name]?.versionHash, large)
        }
    }

    /// The entities that have forms.
    var entities: [String] { marks.keys.sorted() }

    func has(_ entity: String) -> Bool { marks[entity] != nil }

    /// The state of a record by its form; nil without one that counts (F1, F2, F7).
    func state(of row: RecordRow) -> SyncRecordState? {
        guard row.formRevision == row.revision, let form = row.form else { return nil }
        return state(form, row.name, row.entityName)
    }

    private func state(_ form: Data, _ name: UUID, _ entity: String) -> SyncRecordState? {
        guard let mark = marks[entity], var reader = try? PackedReader(form), (try? reader.bits()) == mark,
            let state = try? SyncRecordState(contentOf: &reader, name: name, entity: entity), reader.isAtEnd
        else { return nil }
        return state
    }

    /// The form of a state; nil for one that has none (F6).
    ///
    /// - Parameter isStored: whether the values were read from the store, and not only set.
    func form(of state: SyncRecordState, isStored: Bool) -> Data? {
        guard let mark = marks[state.entity],
            state.values.values.allSatisfy({ $0.staysEqual(isStored, keepsDates: keepsDates) })
        else { return nil }
        var writer = PackedWriter()
        writer.write(bits: mark)
        state.writeContent(to: &writer)
        let form = writer.data
        return form.count <= Self.mostBytes ? form : nil
    }

    private static func isPlain(_ entity: SyncEntity, _ model: NSManagedObjectModel) -> Bool {
        guard let description = model.entitiesByName[entity.name],
            description.managedObjectClassName ?? "NSManagedObject" == "NSManagedObject"
        else { return false }
        return entity.relationshipKeys.allSatisfy { description.relationshipsByName[$0]?.inverseRelationship != nil }
    }

    private static func mark(_ entity: SyncEntity, _ version: Data?, _ large: LargeDataSizes) -> UInt64 {
        var text = entity.name + "\n" + (version?.base64EncodedString() ?? "") + "\n\(large.least)\n"
        for (key, attribute) in entity.values {
            text += "\(key) \(attribute.attributeType.rawValue) \(attribute.valueTransformerName ?? "")\n"
        }
        for keys in [entity.linkKeys, entity.members.keys.sorted(), entity.orders.keys.sorted()] {
            text += keys.joined(separator: " ") + "\n"
        }
        return UInt64(SyncDigest.text(of: Data(text.utf8)).prefix(16), radix: 16) ?? 0
    }
}

extension SyncValue {
    /// Whether the store gives the value back as it is.
    fileprivate func staysEqual(_ isStored: Bool, keepsDates: Bool) -> Bool {
        switch self {
        case .transformed: return false
        case .composite(let values):
            return values.values.allSatisfy { $0.staysEqual(isStored, keepsDates: keepsDates) }
        default: return isStored || isKept(keepsDates: keepsDates)
        }
    }

    /// Whether the store keeps the value as it is set. SQLite rounds longer decimals, PostgreSQL fractions of seconds.
    func isKept(keepsDates: Bool) -> Bool {
        switch self {
        case .decimal(let text): return text.utf8.count <= 15 && text != "NaN"
        case .float(let bits): return !Float(bitPattern: bits).isNaN
        case .double(let bits): return !Double(bitPattern: bits).isNaN
        case .date(let bits):
            let seconds = Double(bitPattern: bits)
            return keepsDates ? !seconds.isNaN : seconds.rounded() == seconds
        default: return true
        }
    }
}
