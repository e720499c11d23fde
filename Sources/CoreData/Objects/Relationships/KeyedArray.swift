// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An ordered to-many relationship, or an attribute that holds an array, as a mutable array: every change is made in the
// object.

import CoreDataFoundation
import Foundation

/// The array of `mutableArrayValue(forKey:)`: a live view that stores no members.
///
/// Foundation's mutable array changes its storage in some of its methods, so this class implements all of them by
/// setting a new list.
final class KeyedArray: NSMutableArray {
    private let object: NSManagedObject
    private let key: String
    /// The slot of a relationship; nil for an attribute.
    private let slot: Int?

    init(_ object: NSManagedObject, _ key: String) {
        self.object = object
        self.key = key
        let place = object.table.layout[object.slot(key)]
        precondition(
            place.kind != .reference && (place.kind != .toMany || place.isOrdered),
            "'\(object.table.layout.name).\(key)' is no array: ask for `mutableSetValue(forKey:)` of an unordered to-many."
        )
        slot = place.kind == .toMany ? object.slot(key) : nil
        super.init()
    }

    required init(objects: UnsafePointer<AnyObject>?, count: Int) {
        preconditionFailure("A view of an array is made by `mutableArrayValue(forKey:)`.")
    }

    required convenience init(arrayLiteral elements: Any...) {
        preconditionFailure("A view of an array is made by `mutableArrayValue(forKey:)`.")
    }

    required init?(coder: NSCoder) { nil }

    // MARK: Reading

    private func relatedObjects(_ slot: Int) -> ContiguousArray<NSManagedObject> {
        object.willRead(slot)
        return object.members(slot)
    }

    private var values: [Any] {
        let value = object.value(forKey: key)
        guard let array = value as? [Any] else {
            precondition(value == nil, "'\(object.table.layout.name).\(key)' holds no array.")
            return []
        }
        return array
    }

    override var count: Int { slot.map { relatedObjects($0).count } ?? values.count }

    override func object(at index: Int) -> Any { slot.map { relatedObjects($0)[index] } ?? values[index] }

    // MARK: Changing

    private func edit(_ change: (inout [Any]) -> Void) {
        guard let slot else {
            var values = values
            change(&values)
            return object.setValue(values, forKey: key)
        }
        var members = relatedObjects(slot).map { $0 as Any }
        change(&members)
        object.setMembers(members.map { managed($0) }, slot)
    }

    private func managed(_ member: Any) -> NSManagedObject {
        guard let member = member as? NSManagedObject else {
            preconditionFailure("'\(key)' holds managed objects; a \(type(of: member)) cannot be a member.")
        }
        return member
    }

    override func add(_ anObject: Any) { edit { $0.append(anObject) } }

    override func addObjects(from otherArray: [Any]) { edit { $0 += otherArray } }

    override func insert(_ anObject: Any, at index: Int) { edit { $0.insert(anObject, at: index) } }

    override func insert(_ objects: [Any], at indexes: IndexSet) {
        edit { members in for (member, index) in zip(objects, indexes) { members.insert(member, at: index) } }
    }

    override func removeObject(at index: Int) { edit { $0.remove(at: index) } }

    override func removeLastObject() { edit { _ = $0.popLast() } }

    override func removeAllObjects() { edit { $0 = [] } }

    override func removeObjects(in range: NSRange) { edit { $0.removeSubrange(range.location..<NSMaxRange(range)) } }

    override func removeObjects(at indexes: IndexSet) {
        edit { members in for index in indexes.reversed() { members.remove(at: index) } }
    }

    override func removeObjects(in otherArray: [Any]) {
        let gone = Set(otherArray.compactMap(ValueKey.of))
        edit { $0.removeAll { ValueKey.of($0).map(gone.contains) ?? false } }
    }

    override func replaceObject(at index: Int, with anObject: Any) { edit { $0[index] = anObject } }

    override func replaceObjects(in range: NSRange, withObjectsFrom otherArray: [Any]) {
        edit { $0.replaceSubrange(range.location..<NSMaxRange(range), with: otherArray) }
    }

    override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
        edit { members in for (index, member) in zip(indexes, objects) { members[index] = member } }
    }

    override func setArray(_ otherArray: [Any]) { edit { $0 = otherArray } }

    override func exchangeObject(at idx1: Int, withObjectAt idx2: Int) { edit { $0.swapAt(idx1, idx2) } }

    override func sort(using sortDescriptors: [NSSortDescriptor]) {
        edit { $0 = NSArray(array: $0).sortedArray(using: sortDescriptors) }
    }
}
