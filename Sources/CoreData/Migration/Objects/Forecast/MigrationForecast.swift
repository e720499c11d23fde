// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts, for a plan, the objects that a migration by objects makes, loses and refuses.

import CoreDataFoundation
import Foundation

/// Makes one pass over the objects of each entity that loses or converts something; others are only counted.
///
/// The checks are those of a migration by statements (`ScriptChecks`, `ScriptLosses`). Validation rules other than
/// mandatory values, and the code of policies, are not forecast.
struct MigrationForecast {
    private let source: MigrationEndpoint
    /// The pairing of the store's version with the last version of the migration.
    private let pairing: ModelPairing
    /// The pairing of the store's version with the first version of the migration; nil if they are the same.
    private let former: ModelPairing?
    private let mapping: NSMappingModel?
    /// The size of the store's file in bytes.
    private let size: Int64

    /// - Parameters:
    ///   - before: the versions of earlier migrations, up to the one with which this one begins; all are inferred.
    ///   - versions: the versions after that one, up to the one with which this migration ends.
    ///   - mapping: a mapping model of the program; nil for an inferred one.
    init(
        _ source: MigrationEndpoint, before: [NSManagedObjectModel] = [], _ versions: [NSManagedObjectModel],
        mapping: NSMappingModel?, size: Int64
    ) {
        self.source = source
        self.mapping = mapping
        self.size = size
        pairing = Self.pairing(source.model, before + versions)
        former = before.isEmpty ? nil : Self.pairing(source.model, before)
    }

    private static func pairing(_ first: NSManagedObjectModel, _ later: [NSManagedObjectModel]) -> ModelPairing {
        let steps = zip([first] + later, later).map { ModelPairing(source: $0, destination: $1) }
        return steps.dropFirst().reduce(steps[0]) { $0.followed(by: $1) }
    }

    /// - Throws: the error of the store.
    func survey() throws -> MigrationSurvey {
        var survey = MigrationSurvey(statements: [], findings: [], costs: [], bytesNeeded: 2 * size)
        let tally = UniqueTally(pairing)
        for pair in pairing.entities {
            guard let old = pair.source, !old.isAbstract, isLeft(old) else { continue }
            let rows = try source.context.count(for: request(old))
            guard rows > 0 else { continue }
            guard let target = target(of: old, pair) else {
                survey.findings.append(Self.lostEntity(old, rows, hasMapping: mapping != nil))
                continue
            }
            survey.costs.append(.init(table: target, rows: Int64(rows), bytes: 0, isRebuilt: true))
            if mapping == nil { survey.findings += try findings(pair, old, rows, tally) }
        }
        survey.findings += tally.findings
        let all = max(1, survey.costs.reduce(0) { $0 + $1.rows })
        survey.costs = survey.costs.map { cost in
            .init(table: cost.table, rows: cost.rows, bytes: size * cost.rows / all, isRebuilt: true)
        }
        return survey
    }

    /// Whether no earlier migration of the route removes the entity.
    private func isLeft(_ old: NSEntityDescription) -> Bool {
        former.map { $0.entity(source: old.name ?? "")?.destination != nil } ?? true
    }

    private func request(_ entity: NSEntityDescription) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>()
        request.entity = entity
        request.includesSubentities = false
        return request
    }

    /// The entity that the objects of an entity become; nil if they are not migrated.
    private func target(of old: NSEntityDescription, _ pair: ModelPairing.Entity) -> String? {
        guard let mapping else { return pair.destination?.name }
        let name = former.map { $0.entity(source: old.name ?? "")?.destination?.name } ?? old.name
        let own = (mapping.entityMappings ?? []).filter {
            $0.sourceEntityName == name && $0.mappingType != .removeEntityMappingType
        }
        return own.compactMap(\.destinationEntityName).first
    }

    private static func lostEntity(_ entity: NSEntityDescription, _ rows: Int, hasMapping: Bool) -> ScriptFinding {
        let effect = hasMapping ? "that the mapping model leaves behind" : "of the removed entity go"
        return finding(.dataLoss, entity.name ?? "", nil, rows, "\(amount(rows)) \(effect)")
    }

    fileprivate static func amount(_ rows: Int) -> String { "\(rows) row\(rows == 1 ? "" : "s")" }

    fileprivate static func finding(
        _ kind: MigrationPlan.Warning.Kind, _ entity: String, _ property: String?, _ rows: Int, _ text: String
    ) -> ScriptFinding {
        let subject = [entity, property].compactMap { $0 }.joined(separator: ".")
        return ScriptFinding(
            kind: kind.rawValue, entity: entity, property: property, rows: Int64(rows), text: "\(subject): \(text).")
    }

    // MARK: One entity

    private func findings(
        _ pair: ModelPairing.Entity, _ old: NSEntityDescription, _ rows: Int, _ tally: UniqueTally
    ) throws -> [ScriptFinding] {
        guard let new = pair.destination, let name = new.name else { return [] }
        if new.isAbstract {
            let reason = "The entity is abstract in the destination model, and has rows (\(Self.amount(rows)))"
            return [Self.finding(.missingValue, name, nil, rows, reason)]
        }
        let lost = former?.entity(source: old.name ?? "")?.lost ?? []
        let questions = ForecastCheck.all(of: pair, in: pairing, besides: Set(lost.map(\.name)))
        let rules = tally.rules(of: new)
        var counts = questions.map { $0.isOfAll ? rows : 0 }
        if !rules.isEmpty || questions.contains(where: { !$0.isOfAll }) {
            let request = request(old)
            request.fetchBatchSize = MigrationPass.batch
            request.returnsObjectsAsFaults = false
            let objects = try source.context.fetchPaged(request, keptPages: 1)
            for position in 0..<objects.count {
                let object = try objects.object(at: position)
                for (number, question) in questions.enumerated() where question.concerns?(object) == true {
                    counts[number] += 1
                }
                for rule in rules { tally.add(object, rule, pair) }
            }
        }
        return zip(questions, counts).filter { $1 > 0 }.map { question, count in
            let text =
                question.isFailure
                ? "\(question.text) (\(Self.amount(count)))" : "\(Self.amount(count)) \(question.text)"
            return Self.finding(question.kind, name, question.property, count, text)
        }
    }
}

/// Counts duplicates under uniqueness constraints that the source lacks.
private final class UniqueTally {
    private struct Holder: Hashable {
        let entity: String
        let names: [String]
    }

    private let pairing: ModelPairing
    private var counts: [Holder: [[AnyHashable]: Int]] = [:]

    init(_ pairing: ModelPairing) { self.pairing = pairing }

    /// The entity that declares each constraint, and the constraint's names, for the objects of an entity.
    func rules(of entity: NSEntityDescription) -> [(declarer: String, names: [String])] {
        entity.uniquenessConstraintNames.compactMap { names in
            let declarer = entity.lineage.last { $0.uniquenessConstraintNames.contains(names) } ?? entity
            let family = pairing.entities.filter {
                guard let one = $0.destination, $0.source != nil else { return false }
                return one.isKindOf(entity: declarer) && !one.isAbstract
            }
            return family.allSatisfy({ Self.isUnique(names, $0) }) ? nil : (declarer.name ?? "", names)
        }
    }

    private static func isUnique(_ names: [String], _ pair: ModelPairing.Entity) -> Bool {
        let formers = names.compactMap { pair.source(of: $0)?.name }
        let old = Set((pair.source?.uniquenessConstraintNames ?? []).map { Set($0) })
        return formers.count == names.count && old.contains(Set(formers))
    }

    func add(_ object: NSManagedObject, _ rule: (declarer: String, names: [String]), _ pair: ModelPairing.Entity) {
        let values = rule.names.compactMap { value($0, object, pair) }
        guard values.count == rule.names.count else { return }
        counts[Holder(entity: rule.declarer, names: rule.names), default: [:]][values, default: 0] += 1
    }

    /// nil for null: such rows are never duplicates.
    private func value(_ name: String, _ object: NSManagedObject, _ pair: ModelPairing.Entity) -> AnyHashable? {
        let new = pair.destination?.attributesByName[name]
        let value: Any?
        if let former = pair.source(of: name) {
            value = object.value(forKey: former.name)
        } else {
            value = new?.initialValue
        }
        return (value as? NSManagedObject).map { AnyHashable($0.objectID) } ?? ValueKey.of(value)
    }

    var findings: [ScriptFinding] {
        counts.compactMap { holder, values in
            let rows = values.values.reduce(0) { $0 + $1 - 1 }
            guard rows > 0 else { return nil }
            let reason = "constraint violation during attempted migration (\(MigrationForecast.amount(rows)))"
            return MigrationForecast.finding(
                .duplicate, holder.entity, holder.names.joined(separator: ","), rows, reason)
        }.sorted { $0.text < $1.text }
    }
}
