// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lets chains of objects of any length go, without a deinit inside of a deinit for each of them.

import CRuntime

/// # The problem
/// An object holds the objects that it leads to. When the first one of a chain goes, its release runs the deinit of the
/// second one, which releases the third one: a chain of 10,000 objects overruns the stack.
/// # States of a thread
///     1 nesting: fewer than `deepest` deinits run inside one another; a release is a release
///     2 waiting: as many run; what they would release is put into a list
///     3 emptying: the outermost one is done with its own; it releases what waits, each as in 1
/// # Invariants
/// (1) The list is empty, and gone, when no deinit runs on the thread.
/// (2) What waits is released last in, first out: an extension goes before the table of its object.
enum NestedReleases {
    /// A level takes some 500 bytes of stack.
    private static let deepest: Int32 = 48

    /// Releases an object that a dying one has led to.
    @inline(__always) static func release(_ object: Unmanaged<NSManagedObject>) {
        let thread = ocd_nested_releases()
        guard begin(thread) else { return wait(.fromOpaque(object.toOpaque()), thread) }
        object.release()
        end(thread)
    }

    /// Releases the extension of a dying object, and its table behind it.
    @inline(__always) static func release(_ held: Unmanaged<ObjectExtension>, before table: Unmanaged<ObjectTable>) {
        let thread = ocd_nested_releases()
        guard begin(thread) else {
            wait(.fromOpaque(table.toOpaque()), thread)
            return wait(.fromOpaque(held.toOpaque()), thread)
        }
        held.release()
        table.release()
        end(thread)
    }

    private typealias Thread = UnsafeMutablePointer<ocd_release_state>

    @inline(__always) private static func begin(_ thread: Thread) -> Bool {
        guard thread.pointee.depth < deepest else { return false }
        thread.pointee.depth += 1
        return true
    }

    @inline(__always) private static func end(_ thread: Thread) {
        if thread.pointee.depth == 1, thread.pointee.waiting != nil { empty(thread) }
        thread.pointee.depth -= 1
    }

    @inline(never) private static func wait(_ object: Unmanaged<AnyObject>, _ thread: Thread) {
        if thread.pointee.waiting == nil { thread.pointee.waiting = Unmanaged.passRetained(WaitingList()).toOpaque() }
        list(thread)?.objects.append(object)
    }

    /// The depth stays 1: what is released here puts its own into the list when it gets too deep.
    @inline(never) private static func empty(_ thread: Thread) {
        while let next = list(thread)?.objects.popLast() { next.release() }
        guard let waiting = thread.pointee.waiting else { return }
        thread.pointee.waiting = nil
        Unmanaged<WaitingList>.fromOpaque(waiting).release()
    }

    private static func list(_ thread: Thread) -> WaitingList? {
        thread.pointee.waiting.map { Unmanaged<WaitingList>.fromOpaque($0).takeUnretainedValue() }
    }

    private final class WaitingList {
        var objects: ContiguousArray<Unmanaged<AnyObject>> = []
    }
}
