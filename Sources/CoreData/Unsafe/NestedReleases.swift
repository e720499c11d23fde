// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Releases chains of objects of any length without nesting their deinitializers.

import CRuntime

/// # The problem
/// An object retains the destinations of its relationships. When the first object of a chain is deallocated, its
/// release runs the deinitializer of the second one, which releases the third one: a chain of 10,000 objects overflows
/// the stack.
/// # States of a thread
///     1 nesting: fewer than `deepest` deinitializers are nested; releases are immediate
///     2 waiting: `deepest` are nested; further releases are added to a list
///     3 emptying: the outermost deinitializer is done; it releases the objects of the list, each as in 1
/// # Invariants
/// (1) The list is empty and deallocated when no deinitializer runs on the thread.
/// (2) The list is released last in, first out: an extension is released before the table of its object.
///
/// Assumption: threads have thread-local memory (`_Thread_local`), and the deinitializers of one chain run on one
/// thread.
enum NestedReleases {
    /// A level takes some 500 bytes of stack.
    private static let deepest: Int32 = 48

    /// Releases an object that an object in deallocation has referred to.
    ///
    /// - Parameter object: a reference that the caller owned.
    @inline(__always) static func release<Object: AnyObject>(_ object: Unmanaged<Object>) {
        let thread = ocd_nested_releases()
        guard begin(thread) else { return wait(.fromOpaque(object.toOpaque()), thread) }
        object.release()
        end(thread)
    }

    /// Empties a list of an object in deallocation, and releases its members.
    static func empty<Object: AnyObject>(_ list: inout [Object]) {
        let released = list.map(Unmanaged.passRetained)
        list = []
        for object in released { release(object) }
    }

    /// Releases two objects, the second one after everything that the first one releases.
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

    /// The depth stays 1: the deinitializer of an object that is released here adds to the list when it is nested too
    /// deep.
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
