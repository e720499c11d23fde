// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Releases chains of objects of any length without a deinit inside of a deinit for each of them.

import CRuntime

/// # The problem
/// An object retains the destinations of its relationships. When the first one of a chain goes, its release runs the
/// deinit of the second one, which releases the third one: a chain of 10,000 objects overruns the stack.
/// # States of a thread
///     1 nesting: fewer than `deepest` deinits run inside one another; a release is a release
///     2 waiting: as many run; further releases are put into a list
///     3 emptying: the outermost deinit is done; it releases the objects of the list, each as in 1
/// # Invariants
/// (1) The list is empty, and gone, when no deinit runs on the thread.
/// (2) The list is released last in, first out: an extension goes before the table of its object.
///
/// Assumption: a thread has memory of its own (`_Thread_local`), and its objects go on it.
enum NestedReleases {
    /// A level takes some 500 bytes of stack.
    private static let deepest: Int32 = 48

    /// Releases an object to which a dying one has led.
    ///
    /// - Parameter object: a reference that the caller owned.
    @inline(__always) static func release<Object: AnyObject>(_ object: Unmanaged<Object>) {
        let thread = ocd_nested_releases()
        guard begin(thread) else { return wait(.fromOpaque(object.toOpaque()), thread) }
        object.release()
        end(thread)
    }

    /// Releases two objects, the second one behind all that the first one leads to.
    @inline(__always) static func release<First: AnyObject, Last: AnyObject>(
        _ first: inout Counted<First>, before last: inout Counted<Last>
    ) {
        let thread = ocd_nested_releases()
        guard begin(thread) else {
            if let last = last.giveUp() { wait(.fromOpaque(last.toOpaque()), thread) }
            if let first = first.giveUp() { wait(.fromOpaque(first.toOpaque()), thread) }
            return
        }
        first.object = nil
        last.object = nil
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

    /// The depth stays 1: an object that is released here puts its own into the list when it gets too deep.
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
