// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decisions of merge policies as values: rows and objects in, slots and objects out; no context and no store.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

private let policies: [NSMergePolicyType] = [
    .mergeByPropertyStoreTrumpMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
    .overwriteMergePolicyType, .rollbackMergePolicyType,
]

@Suite("Decisions of merge policies") struct ConflictDecisionTests {
    private let model: ModelLayout
    private let layout: EntityLayout

    init() throws {
        let entity = NSEntityDescription("Note")
        for name in ["a", "b", "c", "d"] { entity.attribute(name, .integer64AttributeType) }
        model = ModelLayout(entities: [entity])
        layout = try #require(model.layout(named: "Note"))
    }

    /// A row with one digit for each property, in the order of their names.
    private func row(_ digits: String) -> Snapshot {
        let row = Snapshot.make(layout)
        for (name, digit) in zip(["a", "b", "c", "d"], digits) { row.setValue(digit.wholeNumberValue, slot(name)) }
        return row
    }

    private func slot(_ name: String) -> Int { layout.slot(name) ?? -1 }

    private func names(_ slots: [Int]) -> String { slots.map { layout.properties[$0].name }.sorted().joined() }

    private func changed(_ names: String) -> SlotSet {
        var slots = SlotSet()
        for name in names { slots.insert(slot(String(name))) }
        return slots
    }

    // MARK: Values

    @Test(
        "a policy gives up the local changes that lose against the row in the store",
        arguments: [
            // The row before, here and in the store; the names of the changed properties; those discarded for store
            // trump, and for rollback.
            ["1111", "2111", "1111", "a", "", "a"],
            ["1111", "2111", "3111", "a", "a", "a"],
            ["1111", "2111", "2111", "a", "", ""],
            ["1111", "2211", "3111", "ab", "a", "ab"],
            ["1111", "2222", "3131", "abcd", "ac", "abcd"],
            ["1111", "2111", "3333", "a", "a", "a"],
            ["1111", "1111", "3333", "", "", ""],
        ])
    func discardedSlots(example: [String]) {
        let merge = RowMerge(base: row(example[0]), local: row(example[1]), stored: row(example[2]))
        let changed = changed(example[3])
        #expect(names(merge.discardedSlots(changed, by: .mergeByPropertyStoreTrumpMergePolicyType)) == example[4])
        #expect(names(merge.discardedSlots(changed, by: .rollbackMergePolicyType)) == example[5])
        #expect(merge.discardedSlots(changed, by: .mergeByPropertyObjectTrumpMergePolicyType).isEmpty)
        #expect(merge.discardedSlots(changed, by: .overwriteMergePolicyType).isEmpty)
    }

    @Test("without a known row before, store trump keeps the local changes") func unknownBase() {
        let merge = RowMerge(base: nil, local: row("2111"), stored: row("3111"))
        #expect(merge.discardedSlots(changed("a"), by: .mergeByPropertyStoreTrumpMergePolicyType).isEmpty)
    }

    // MARK: Deletions

    @Test("a deletion stays with the newer row, unless it is rolled back", arguments: policies)
    func deletedHere(policy: NSMergePolicyType) {
        let decision = VersionDecision(policy, hasRow: true, isDeleted: true, hasChanges: false)
        #expect(decision == (policy == .rollbackMergePolicyType ? .returns : .staysDeleted))
    }

    @Test(
        "a missing record is written again where the object wins and has changes",
        arguments: zip(policies, [VersionDecision.leaves, .isWrittenAgain, .isWrittenAgain, .leaves]))
    func deletedThere(policy: NSMergePolicyType, expected: VersionDecision) {
        #expect(VersionDecision(policy, hasRow: false, isDeleted: false, hasChanges: true) == expected)
        #expect(VersionDecision(policy, hasRow: false, isDeleted: false, hasChanges: false) == .leaves)
        #expect(VersionDecision(policy, hasRow: false, isDeleted: true, hasChanges: false) == .isGone)
    }

    @Test("only overwriting puts local values over the whole row", arguments: policies)
    func changedOnBothSides(policy: NSMergePolicyType) {
        let decision = VersionDecision(policy, hasRow: true, isDeleted: false, hasChanges: true)
        #expect(decision == (policy == .overwriteMergePolicyType ? .overwritesRow : .takesRow))
        #expect(VersionDecision(policy, hasRow: true, isDeleted: false, hasChanges: false) == .takesRow)
    }

    // MARK: Unique values

    @Test("of a record and a new object the record stays, and a roll-back removes the new one", arguments: policies)
    func newObjectAndRecord(policy: NSMergePolicyType) {
        let decision = UniquenessDecision(policy, holder: "record", records: [], insertions: ["new"])
        let rollsBack = policy == .rollbackMergePolicyType
        #expect(decision.removed == (rollsBack ? ["new"] : []))
        #expect(decision.keeper == (rollsBack ? nil : "record"))
        #expect(decision.takesValues == (policy.objectWins))
        #expect(decision.replacesMembers == (policy == .overwriteMergePolicyType))
    }

    @Test("if all holders are new objects the last one stays; a roll-back keeps the first", arguments: policies)
    func newObjects(policy: NSMergePolicyType) {
        let decision = UniquenessDecision(policy, holder: nil, records: [], insertions: ["1", "2", "3"])
        let rollsBack = policy == .rollbackMergePolicyType
        #expect(decision.removed == (rollsBack ? ["2", "3"] : []))
        #expect(decision.keeper == (rollsBack ? nil : "3"))
        #expect(decision.absorbed == (rollsBack ? [] : ["1", "2", "3"]))
    }

    @Test("a record that took the values of another one keeps them where the object wins", arguments: policies)
    func recordAndRecord(policy: NSMergePolicyType) {
        let decision = UniquenessDecision(policy, holder: "old", records: ["taker"], insertions: [])
        #expect(decision.keeper == (policy.objectWins ? "taker" : policy == .rollbackMergePolicyType ? nil : "old"))
        #expect(decision.absorbed == (policy.objectWins ? ["old", "taker"] : []))
        #expect(decision.rolledBack == (policy == .rollbackMergePolicyType ? ["taker"] : []))
        #expect(
            decision.withoutValues == (policy == .mergeByPropertyStoreTrumpMergePolicyType ? ["taker"] : []))
    }

    @Test("the error policy does nothing to the objects") func refused() {
        let decision = UniquenessDecision(.errorMergePolicyType, holder: "a", records: ["b"], insertions: ["c"])
        #expect(decision.keeper == nil)
        #expect(decision.rolledBack + decision.withoutValues + decision.removed + decision.absorbed == [])
    }
}

extension NSMergePolicyType {
    fileprivate var objectWins: Bool {
        self == .mergeByPropertyObjectTrumpMergePolicyType || self == .overwriteMergePolicyType
    }
}
