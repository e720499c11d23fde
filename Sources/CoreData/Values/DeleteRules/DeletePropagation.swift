// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Applies delete rules: nullify, cascade, deny, no action.

/// The objects around deleted ones. A context has managed objects (`DeletedObjects`), a batch request has rows
/// (`DeletionPlan`), and tests have numbers.
protocol DeletionGraph {
    associatedtype Object
    /// The reason why a wave cannot be read.
    associatedtype Failure: Error

    /// The deleted objects without applied rules.
    func firstWave() -> [Object]

    /// The objects that were deleted since the last wave.
    func nextWave() throws(Failure) -> [Object]

    /// Reads the objects that the rules of a wave need, and then calls the body.
    ///
    /// - Returns: `false` if they could not be read: then the body is not called, and the rules are deferred.
    func apply(_ wave: [Object], _ body: () -> Void) throws(Failure) -> Bool

    func layout(of object: Object) -> EntityLayout

    /// Records that the rules of an object are applied.
    func markPropagated(_ object: Object)

    /// Nullifies a relationship, at both ends.
    func nullify(_ object: Object, _ slot: Int)

    /// Deletes the destinations, except those that are deleted already or have left.
    func cascade(_ object: Object, _ slot: Int)

    /// Notes a relationship whose destinations forbid the deletion, unless all of them are deleted as well.
    func deny(_ object: Object, _ slot: Int)
}

/// Works in waves. A wave takes all deleted objects without applied rules, reads everything that the rules need in as
/// few statements as possible, and may delete more objects (cascade): those are the next wave.
struct DeletePropagation<Graph: DeletionGraph> {
    let graph: Graph

    func run() throws(Graph.Failure) {
        var wave = graph.firstWave()
        while !wave.isEmpty {
            guard try graph.apply(wave, { for object in wave { propagate(object) } }) else { return }
            wave = try graph.nextWave()
        }
    }

    private func propagate(_ object: Graph.Object) {
        graph.markPropagated(object)
        let layout = graph.layout(of: object)
        for slot in layout.relationshipSlots {
            switch layout[slot].deleteRule {
            case .nullifyDeleteRule: graph.nullify(object, slot)
            case .cascadeDeleteRule: graph.cascade(object, slot)
            case .denyDeleteRule: graph.deny(object, slot)
            case .noActionDeleteRule: break
            }
        }
    }
}
