// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Applies delete rules: nullify, cascade, deny, no action.

import Foundation

/// Selects the deletions to which delete rules are applied.
enum DeletionScope {
    /// Objects deleted in this event.
    case event
    /// Objects deleted in earlier events as well.
    case everything
    /// Only insertions: they leave the context at the end of the event, even if rules are deferred to the save.
    case insertions
}

/// The objects around deleted ones. `DeletedObjects` implements it for managed objects; tests have other
/// implementations.
protocol DeletionGraph {
    associatedtype Object

    /// The deleted objects without applied rules.
    func firstWave(_ scope: DeletionScope) -> [Object]

    /// The objects that were deleted since the last wave.
    func nextWave(_ scope: DeletionScope) -> [Object]

    /// Reads the objects that the rules of a wave need, and then calls the body.
    ///
    /// - Returns: `false` if they could not be read: then the body is not called, and the rules are deferred.
    func apply(_ wave: [Object], _ scope: DeletionScope, _ body: () -> Void) -> Bool

    func layout(of object: Object) -> EntityLayout

    /// Records that the rules of an object are applied.
    func markPropagated(_ object: Object)

    /// Nullifies a relationship, at both ends.
    func nullify(_ object: Object, _ slot: Int)

    func destinations(of object: Object, _ slot: Int) -> [Object]

    /// Deletes an object, unless it is deleted already or has left the context.
    func delete(_ object: Object)
}

/// Works in waves. A wave takes all deleted objects without applied rules, reads everything that the rules need in as
/// few statements as possible, and may delete more objects (cascade): those are the next wave.
struct DeletePropagation<Graph: DeletionGraph> {
    let graph: Graph

    func run(_ scope: DeletionScope) {
        var wave = graph.firstWave(scope)
        while !wave.isEmpty {
            guard graph.apply(wave, scope, { for object in wave { propagate(object) } }) else { return }
            wave = graph.nextWave(scope)
        }
    }

    private func propagate(_ object: Graph.Object) {
        graph.markPropagated(object)
        let layout = graph.layout(of: object)
        for slot in layout.relationshipSlots {
            switch layout[slot].deleteRule {
            case .nullifyDeleteRule:
                graph.nullify(object, slot)
            case .cascadeDeleteRule:
                for other in graph.destinations(of: object, slot) { graph.delete(other) }
            case .denyDeleteRule, .noActionDeleteRule:
                // Validation checks Deny, after all deletions are known. No Action does not change the inverse.
                break
            }
        }
    }
}

extension EntityLayout {
    /// Whether the delete rule of a relationship needs its destinations.
    func ruleNeedsDestinations(_ slot: Int) -> Bool {
        switch self[slot].deleteRule {
        case .noActionDeleteRule, .denyDeleteRule: false
        case .cascadeDeleteRule: true
        case .nullifyDeleteRule: self[slot].inverse >= 0
        }
    }
}
