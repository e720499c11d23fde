// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Merges two orders that are based on a third.

/// # Members
/// Those of both sides, and those that one side added. Members that one side removed are removed.
/// # Order
/// The order of the side that moved members, or of the preferred side if both did or neither. A member that only the
/// other side has is placed after its predecessor there, or first.
struct OrderMerge<Member: Hashable> {
    let ancestor: [Member]
    let local: [Member]
    let stored: [Member]

    /// - Parameter storeWins: whether the store's side is preferred.
    func merged(storeWins: Bool) -> [Member] {
        let (here, there, before) = (Set(local), Set(stored), Set(ancestor))
        let isMember = { (member: Member) in
            here.contains(member) && there.contains(member)
                || !before.contains(member) && (here.contains(member) || there.contains(member))
        }
        let movedHere = isMoved(local, here, before)
        let movedThere = isMoved(stored, there, before)
        let followsStoredOrder = movedHere == movedThere ? storeWins : movedThere
        let (leading, other) = followsStoredOrder ? (stored, local) : (local, stored)
        var result = leading.filter(isMember)
        insert(other.filter(isMember), into: &result)
        return result
    }

    /// Whether remaining members changed places.
    private func isMoved(_ side: [Member], _ members: Set<Member>, _ before: Set<Member>) -> Bool {
        side.filter(before.contains) != ancestor.filter(members.contains)
    }

    private func insert(_ others: [Member], into result: inout [Member]) {
        var known = Set(result)
        var previous: Member?
        for member in others {
            if known.insert(member).inserted {
                let position = previous.flatMap { result.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
                result.insert(member, at: position)
            }
            previous = member
        }
    }
}
