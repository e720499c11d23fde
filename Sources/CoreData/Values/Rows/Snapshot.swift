// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The values of one row in one block of memory, with the row's version in the store.

import CRuntime
import Foundation

/// The destination of a to-one relationship: a key, and the index of its concrete entity.
package struct Reference: Hashable, Sendable {
    package var entityIndex: Int
    package var key: Int64

    @inline(__always) package init(entityIndex: Int, key: Int64) {
        self.entityIndex = entityIndex
        self.key = key
    }
}

/// The values of one object, as last fetched or saved, or at present.
///
/// # Invariants
/// (1) A snapshot is immutable after it is shared: row cache, contexts, undo records and merge baselines use the same
///     block. Only the unique owner may call a setter, before sharing the block; an object that does not own its block
///     copies it first.
/// (2) A slot whose null bit is set owns nothing.
/// Because of (1) a shared snapshot may be read on any thread; the classes that pass snapshots between threads document
/// this.
/// (3) Keys in references are negative for objects without a row.
/// (4) A reader of a row must retain the row's model. The row may be released after its model (`LayoutNumbers`).
///
/// Millions of rows are in memory at once, so the header has two words: it refers to the layout by its number.
package final class Snapshot: ManagedBuffer<Snapshot.Header, UInt64> {
    package struct Header {
        /// The layout's number in the lowest bits, then a bit for a wide version, then the version.
        package var tag: Int64
        /// Milliseconds since the process began, when the row was read from the store.
        package var stamp: UInt32
        /// The first 32 bits: null bits by slot, then the values of Booleans.
        package var bits: UInt32

        @inline(__always) package init(layout: UInt32) {
            tag = Int64(layout)
            stamp = 0
            bits = .max
        }

        @inline(__always) fileprivate static var isWide: Int64 { 1 << Int64(OCD_LAYOUT_BITS) }
        @inline(__always) fileprivate static var versionShift: Int64 { Int64(OCD_LAYOUT_BITS) + 1 }
    }

    /// A snapshot of only nulls.
    package static func make(_ layout: EntityLayout, version: Int64 = 0) -> Snapshot {
        let buffer = Snapshot.create(minimumCapacity: layout.wordCount) { buffer in
            buffer.withUnsafeMutablePointerToElements { words in
                for word in 0..<layout.bitWordCount { words[word] = .max }
            }
            return Header(layout: layout.number)
        }
        // `create` makes an instance of the class on which it is called.
        let snapshot = unsafeDowncast(buffer, to: Snapshot.self)
        snapshot.version = version
        return snapshot
    }

    deinit {
        withWords { words in
            forEachOwningSlot { slot in if !isNull(slot) { release(place(slot), words) } }
        }
        if head.pointee.tag & Header.isWide != 0 { WideVersions.forget(ObjectIdentifier(self)) }
    }

    package func copy() -> Snapshot { heldLayout.look(copy) }

    private func copy(_ layout: EntityLayout) -> Snapshot {
        let result = Snapshot.make(layout, version: version)
        result.head.pointee.bits = head.pointee.bits
        result.head.pointee.stamp = head.pointee.stamp
        withWords { source in
            result.withWords { target in
                target.copy(source, count: layout.wordCount)
                forEachOwningSlot { slot in
                    if isNull(slot) { return }
                    let place = place(slot)
                    let word = Int(place.word)
                    if place.kind == .string {
                        target.initialize(word, to: source.value(word, as: String.self))
                    } else {
                        target.initialize(word, to: source.value(word, as: ValueBox.self))
                    }
                }
            }
        }
        return result
    }

    /// Bypasses the run-time check for overlapping accesses, which costs more than the access.
    @inline(__always) private var head: UnsafeMutablePointer<Header> { withUnsafeMutablePointerToHeader { $0 } }

    @inline(__always) private var layoutNumber: UInt32 {
        UInt32(truncatingIfNeeded: head.pointee.tag & (1 << Int64(OCD_LAYOUT_BITS) - 1))
    }
    @inline(__always) private var heldLayout: Uncounted<EntityLayout> { Uncounted(address: ocd_layout(layoutNumber)) }
    @inline(__always) package var layout: EntityLayout { heldLayout.object }
    @inline(__always) package var layoutIndex: Int { heldLayout.look { $0.index } }
    @inline(__always) package var rootIndex: Int { heldLayout.look { $0.rootIndex } }
    /// Strings and boxes. Does not read the layout, which may be deallocated.
    @inline(__always) private func forEachOwningSlot(_ body: (Int) -> Void) {
        var next = ocd_layout_owning(layoutNumber)
        while next.pointee >= 0 {
            body(Int(next.pointee))
            next += 1
        }
    }

    @inline(__always) package func hasLayout(_ layout: EntityLayout) -> Bool { layoutNumber == layout.number }
    @inline(__always) package func place(_ slot: Int) -> SlotDescriptor {
        ocd_layout_places(layoutNumber).assumingMemoryBound(to: SlotDescriptor.self)[slot]
    }
    /// `Z_OPT`: 1 after the insertion, incremented by each saved change; 0 before the first save.
    @inline(__always) package var version: Int64 {
        get {
            let tag = head.pointee.tag
            return tag & Header.isWide == 0
                ? tag >> Header.versionShift : WideVersions.version(of: ObjectIdentifier(self))
        }
        set {
            let tag = newValue << Header.versionShift
            if tag >> Header.versionShift == newValue, head.pointee.tag & Header.isWide == 0 {
                head.pointee.tag = tag | Int64(layoutNumber)
            } else {
                setWideVersion(newValue)
            }
        }
    }

    private func setWideVersion(_ version: Int64) {
        head.pointee.tag = Header.isWide | Int64(layoutNumber)
        WideVersions.set(version, of: ObjectIdentifier(self))
    }

    package var stamp: UInt32 {
        get { head.pointee.stamp }
        set { head.pointee.stamp = newValue }
    }

    // MARK: Bits

    @inline(__always) private func bit(_ position: Int) -> Bool {
        if position < 32 { return head.pointee.bits & (1 << UInt32(position)) != 0 }
        return withWords { $0[(position - 32) / 64] & (1 << UInt64((position - 32) % 64)) != 0 }
    }

    @inline(__always) private func setBit(_ position: Int) {
        if position < 32 {
            head.pointee.bits |= 1 << UInt32(position)
        } else {
            withWords { $0[(position - 32) / 64] |= 1 << UInt64((position - 32) % 64) }
        }
    }

    @inline(__always) private func clearBit(_ position: Int) {
        if position < 32 {
            head.pointee.bits &= ~(1 << UInt32(position))
        } else {
            withWords { $0[(position - 32) / 64] &= ~(1 << UInt64((position - 32) % 64)) }
        }
    }

    @inline(__always) package func isNull(_ slot: Int) -> Bool { bit(slot) }

    package func setNull(_ slot: Int) {
        let place = place(slot)
        guard place.word >= 0, !isNull(slot) else { return }
        withWords { release(place, $0) }
        setBit(slot)
    }

    // MARK: Values by kind. The caller has checked the kind; getters of null slots return arbitrary values.

    @inline(__always) package func integer(_ slot: Int) -> Int64 {
        withWords { Int64(bitPattern: $0[Int(place(slot).word)]) }
    }
    @inline(__always) package func boolean(_ slot: Int) -> Bool { bit(Int(place(slot).word)) }
    @inline(__always) package func double(_ slot: Int) -> Double {
        withWords { Double(bitPattern: $0[Int(place(slot).word)]) }
    }
    @inline(__always) package func string(_ slot: Int) -> String {
        isNull(slot) ? "" : withWords { $0.value(Int(place(slot).word)) }
    }
    @inline(__always) package func box(_ slot: Int) -> ValueBox? {
        isNull(slot) ? nil : withWords { $0.value(Int(place(slot).word), as: ValueBox.self) }
    }
    @inline(__always) package func reference(_ slot: Int) -> Reference? {
        if isNull(slot) { return nil }
        let place = place(slot)
        return withWords { words in
            Reference(
                entityIndex: place.isPolymorphic ? Int(words[Int(place.word) + 1]) : Int(place.destination),
                key: Int64(bitPattern: words[Int(place.word)]))
        }
    }

    @inline(__always) package func setInteger(_ value: Int64, _ slot: Int) { setWord(UInt64(bitPattern: value), slot) }
    @inline(__always) package func setBoolean(_ value: Bool, _ slot: Int) {
        let position = Int(place(slot).word)
        if value { setBit(position) } else { clearBit(position) }
        clearBit(slot)
    }
    @inline(__always) package func setDouble(_ value: Double, _ slot: Int) { setWord(value.bitPattern, slot) }
    @inline(__always) package func setString(_ value: String, _ slot: Int) {
        let word = Int(place(slot).word)
        if isNull(slot) {
            withWords { $0.initialize(word, to: value) }
            clearBit(slot)
        } else {
            withWords { $0.replace(word, by: value) }
        }
    }
    package func setBox(_ value: ValueBox, _ slot: Int) {
        let word = Int(place(slot).word)
        if isNull(slot) {
            withWords { $0.initialize(word, to: value) }
            clearBit(slot)
        } else {
            withWords { $0.replace(word, by: value) }
        }
    }
    @inline(__always) package func setReference(_ value: Reference, _ slot: Int) {
        let place = place(slot)
        withWords { words in
            words[Int(place.word)] = UInt64(bitPattern: value.key)
            if place.isPolymorphic { words[Int(place.word) + 1] = UInt64(value.entityIndex) }
        }
        clearBit(slot)
    }

    // MARK: Comparison

    /// Whether a slot has the same value in both; for boxes it compares the values.
    package func isEqual(_ other: Snapshot, slot: Int) -> Bool {
        if isNull(slot) || other.isNull(slot) { return isNull(slot) == other.isNull(slot) }
        switch place(slot).kind {
        case .integer: return integer(slot) == other.integer(slot)
        case .boolean: return boolean(slot) == other.boolean(slot)
        case .float, .double, .date:
            let (one, two) = (double(slot), other.double(slot))
            return one == two || (one.isNaN && two.isNaN)
        case .string: return string(slot) == other.string(slot)
        case .reference: return reference(slot) == other.reference(slot)
        case .box:
            guard let one = box(slot), let two = other.box(slot) else { return false }
            return one === two || one.isEqual(two)
        case .toMany, .fetched: return true
        }
    }

    // MARK: Memory

    @inline(__always) private func setWord(_ value: UInt64, _ slot: Int) {
        withWords { $0[Int(place(slot).word)] = value }
        clearBit(slot)
    }

    @inline(__always) private func withWords<T>(_ body: (RowWords) -> T) -> T {
        withUnsafeMutablePointerToElements { body(RowWords($0)) }
    }

    private func release(_ place: SlotDescriptor, _ words: RowWords) {
        switch place.kind {
        case .string: words.destroy(Int(place.word), String.self)
        case .box: words.destroy(Int(place.word), ValueBox.self)
        default: break
        }
    }
}
