// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The members of one to-many relationship of one object, and their changes since the last save.

/// # States
///     fault ──realize──▶ realized         both may have pending additions and removals
/// # Invariants
/// (1) While it is a fault, its members are those of the store, without `removed`, with `added`.
/// (2) While realized, `members` has them; `added` and `removed` are the difference from the last save.
/// (3) An object is in at most one of `added` and `removed`.
/// (4) For an ordered relationship, `committed` has the order as last saved, from the first change on.
/// (5) While `addsAll`, it is realized, every member was added and none was removed, as in an object without a row:
///     there is one list, not two.
struct ToManyValue {
    /// nil for a fault.
    private(set) var members: MemberList?
    var added: MemberList { addsAll ? members ?? notedAdditions : notedAdditions }
    /// Empty while `addsAll`.
    private var notedAdditions = MemberList()
    private var addsAll = false
    private(set) var removed = MemberList()
    private(set) var committed: ContiguousArray<NSManagedObject>?
    /// The order was changed, or a member was added to an ordered relationship.
    private(set) var isReordered = false
    /// The members of an unordered relationship are in the order of their assignment, until the save.
    private(set) var isArranged = false

    init() {}

    /// Members that differ from the saved ones. Both in order, if the relationship is ordered.
    init(members: [NSManagedObject], saved: [NSManagedObject]) {
        self.members = MemberList(distinct: members)
        var (new, old) = (MemberList(distinct: members), MemberList(distinct: saved))
        for object in members where !old.contains(object) { notedAdditions.append(object) }
        for object in saved where !new.contains(object) { removed.append(object) }
        isReordered = members != saved
        committed = isReordered ? ContiguousArray(saved) : nil
    }

    var isFault: Bool { members == nil }
    var hasChanges: Bool { hasNotes || isReordered && !isInSavedOrder }

    /// Whether it differs from an earlier state since the same save.
    func differs(from before: ToManyValue?) -> Bool {
        guard let before else { return hasChanges }
        if !added.hasSameMembers(as: before.added) || !removed.hasSameMembers(as: before.removed) { return true }
        guard isReordered || before.isReordered else { return false }
        if let members {
            guard let old = before.order(savedAs: self) else { return true }
            return !members.objects.elementsEqual(old, by: ===)
        }
        return !added.objects.elementsEqual(before.added.objects, by: ===)
    }

    /// The members in order; a fault uses those that a later state since the same save has read. nil if unknown.
    func order(savedAs later: ToManyValue) -> ContiguousArray<NSManagedObject>? {
        if let members { return members.objects }
        guard let saved = later.committed ?? (later.isReordered ? nil : later.members?.objects) else { return nil }
        let gone = Set(removed.objects.map(ObjectIdentifier.init))
        return saved.filter { !gone.contains(ObjectIdentifier($0)) } + added.objects
    }

    /// If no member was added or removed.
    private var isInSavedOrder: Bool {
        guard let members, let committed else { return members == nil }
        return members.objects.elementsEqual(committed, by: ===)
    }

    /// For an ordered relationship: no member was added, and the others are in the saved order.
    var keepsOrder: Bool {
        guard added.isEmpty else { return false }
        guard let members, let committed else { return true }
        var gone = removed
        return members.objects.elementsEqual(committed.filter { !gone.contains($0) }, by: ===)
    }

    /// For an object without a row: the store has no members.
    static var empty: ToManyValue {
        var value = ToManyValue()
        value.members = MemberList()
        value.addsAll = true
        return value
    }

    mutating func realize(_ stored: [NSManagedObject]) {
        guard members == nil else { return }
        if isReordered, committed == nil { committed = ContiguousArray(stored) }
        if removed.isEmpty, notedAdditions.isEmpty, stored.areAscending {
            members = MemberList(distinct: stored)
            return
        }
        var list = MemberList()
        for object in stored where !removed.contains(object) { list.append(object) }
        for object in notedAdditions.objects { list.append(object) }
        members = list
    }

    mutating func contains(_ object: NSManagedObject) -> Bool? {
        if members != nil { return members?.contains(object) }
        if notedAdditions.contains(object) { return true }
        return removed.contains(object) ? false : nil
    }

    /// - Parameter position: nil for the end.
    /// - Returns: false if it was already a member.
    mutating func insert(_ object: NSManagedObject, at position: Int?, ordered: Bool) -> Bool {
        if members?.contains(object) == true || (members == nil && notedAdditions.contains(object)) { return false }
        if ordered { noteOrder() }
        if let position { members?.insert(object, at: position) } else { members?.appendNew(object) }
        noteAddition(object)
        return true
    }

    /// Adds an object at the end that is not a member; this is not checked.
    mutating func appendNew(_ object: NSManagedObject, ordered: Bool) {
        assert(contains(object) != true, "an object is a member once")
        if ordered { noteOrder() }
        members?.appendNew(object)
        noteAddition(object)
    }

    /// An object that was not a member is not among the added ones either: (1), (2).
    private mutating func noteAddition(_ object: NSManagedObject) {
        if addsAll { return }
        if !removed.removeUnordered(object) { notedAdditions.appendNew(object) }
    }

    /// Splits the one list of (5) into two.
    private mutating func noteAdditions() {
        guard addsAll else { return }
        notedAdditions = added
        addsAll = false
    }

    /// - Returns: false if it was not a member.
    mutating func remove(_ object: NSManagedObject, ordered: Bool) -> Bool {
        if members != nil, members?.contains(object) != true { return false }
        if members == nil,
            removed.contains(object) || object.flags.contains(.inserted) && !notedAdditions.contains(object)
        {
            return false  // no store has an insertion among the members
        }
        if ordered { noteOrder() }
        if ordered || isArranged { members?.remove(object) } else { members?.removeUnordered(object) }
        if addsAll { return true }
        let wasAdded = ordered ? notedAdditions.remove(object) : notedAdditions.removeUnordered(object)
        if !wasAdded { removed.append(object) }
        return true
    }

    /// Records the removal of an object that is a member in the store, even if it was added there after the members
    /// were read.
    mutating func noteRemoval(of object: NSManagedObject) {
        if !addsAll { removed.append(object) }
    }

    /// Removes the record of a removal: the object is no longer a member in the store.
    mutating func forgetRemoval(of object: NSManagedObject) { removed.remove(object) }

    /// The object is a member in the store, but the members were read without it, or it was removed here. If the order
    /// was changed here, it comes last.
    mutating func takeStored(_ object: NSManagedObject) {
        guard !addsAll else { return }
        let wasRemoved = removed.remove(object)
        if members?.contains(object) == false { members?.append(object) }
        if !wasRemoved, committed?.contains(object) == false { committed?.append(object) }
        if !hasNotes, isInSavedOrder { commit() }
    }

    /// Sets another order of the same members. If they could not be read, they stay a fault, and the save throws.
    mutating func reorder(_ objects: [NSManagedObject]) {
        noteOrder()
        guard members != nil else { return }
        members = MemberList(distinct: objects)
    }

    /// Sets another order of the same members, which is not a change: the relationship has no order in the store.
    mutating func arrange(_ objects: MemberList) {
        guard let members, hasNotes, members.hasSameMembers(as: objects) else { return }
        self.members = objects
        isArranged = true
    }

    private mutating func noteOrder() {
        isReordered = true
        if committed == nil { committed = members?.objects }
    }

    /// Releases the members, but not the additions and removals. An order that was changed here is kept.
    mutating func refault() {
        if isReordered { return }
        noteAdditions()
        members = nil
        isArranged = false
    }

    /// Releases the members, and the addition or removal of one object.
    mutating func forget(_ object: NSManagedObject) {
        noteAdditions()
        isArranged = false
        let wasAdded = notedAdditions.remove(object)
        let wasRemoved = removed.remove(object)
        guard isReordered, members != nil else {
            members = nil
            isReordered = isReordered && hasNotes
            return
        }
        if wasAdded { members?.remove(object) }
        if wasRemoved { members?.append(object) }
        if !hasNotes, members?.objects == committed {
            commit()
            members = nil
        }
    }

    private var hasNotes: Bool {
        addsAll ? members?.isEmpty == false : !notedAdditions.isEmpty || !removed.isEmpty
    }

    /// The same additions and removals; the members have to be read again, in the store's order.
    var withoutOrder: ToManyValue {
        var result = ToManyValue()
        result.notedAdditions = added
        result.removed = removed
        result.isReordered = isReordered && hasNotes
        return result
    }

    /// Called when the present members are saved.
    mutating func commit() {
        notedAdditions = MemberList()
        addsAll = false
        removed = MemberList()
        committed = nil
        isReordered = false
        isArranged = false
    }

    /// Members as last saved, for a realized relationship.
    var committedMembers: [NSManagedObject] {
        if let committed { return Array(committed) }
        guard let members else { return [] }
        let new = Set(added.objects.map(ObjectIdentifier.init))
        return members.objects.filter { !new.contains(ObjectIdentifier($0)) } + removed.objects
    }

    /// For an object that is inserted again: the members, none of them saved.
    static func insertion(of members: some Sequence<NSManagedObject>) -> ToManyValue {
        var result = empty
        result.members = MemberList(distinct: members)
        return result
    }
}

extension [NSManagedObject] {
    /// Whether they are in one identity map and in the order of their keys, as stores usually return them: then they
    /// are distinct without a check.
    fileprivate var areAscending: Bool {
        guard var last = first else { return true }
        for position in indices.dropFirst() {
            let next = self[position]
            guard last.key < next.key,
                next.heldTable.look({ table in last.heldTable.look { $0.identityMap === table.identityMap } })
            else { return false }
            last = next
        }
        return true
    }
}
