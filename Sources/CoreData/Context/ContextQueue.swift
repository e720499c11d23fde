// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The queue on which a context's work runs, and how blocks get onto it.

import CRuntime
import Dispatch
import Foundation
import Synchronization

/// The queue that a context is confined to.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    /// The context belongs to the code that made it.
    @available(*, deprecated, message: "Use a context with a queue: of its own, or the main one.")
    case confinementConcurrencyType = 0
    /// The context has a private queue.
    case privateQueueConcurrencyType = 1
    /// The context uses the main queue.
    case mainQueueConcurrencyType = 2

    /// Whether it is `confinementConcurrencyType`, which is deprecated and still works.
    var isConfined: Bool { rawValue == 0 }
}

/// The executor of one context.
///
/// A thread lists the contexts of the blocks that it is running, innermost first (`ContextFrame`). A nested
/// `performAndWait` on any of them runs at once instead of waiting for itself, even if a parent's block asks a child
/// that asks its parent.
///
/// # Invariants
/// (1) A context's private queue runs a block only when no other block of the context runs. (A run loop within a block
///     of the main queue may run more of them.)
/// (2) Contexts leave the list of their thread in the reverse order of their entry.
final class ContextQueue: Sendable {
    private let type: NSManagedObjectContextConcurrencyType
    private let queue: DispatchQueue
    private static let number = Atomic<Int>(0)
    /// The value of a private queue is the address of its `ContextQueue`.
    private static let key = DispatchSpecificKey<ObjectIdentifier>()
    private let blockDepth = BlockDepth()

    init(_ type: NSManagedObjectContextConcurrencyType) {
        self.type = type
        if type == .mainQueueConcurrencyType {
            queue = .main
            _ = MainQueue.marked
        } else {
            // The number identifies the queue in messages.
            let number = Self.number.add(1, ordering: .relaxed).newValue
            queue = DispatchQueue(label: "NSManagedObjectContext \(number)")
            queue.setSpecific(key: Self.key, value: ObjectIdentifier(self))
        }
    }

    /// For messages.
    var name: String { type == .mainQueueConcurrencyType ? "the main queue" : "the queue '\(queue.label)'" }

    /// Whether the caller already runs where the context's work has to run.
    func isCurrent(_ context: NSManagedObjectContext) -> Bool { type.isConfined || isEntered(context) }

    /// Whether the caller runs on the queue; a context of the confinement type has none.
    func isEntered(_ context: NSManagedObjectContext) -> Bool { isEntered(Self.token(context)) }

    private func isEntered(_ token: UnsafeMutableRawPointer) -> Bool {
        if type.isConfined { return false }
        if ContextFrame.includes(token) { return true }
        return type == .mainQueueConcurrencyType && MainQueue.isCurrent
    }

    /// `isCurrent`, for callers that do not retain the context.
    func test(for context: NSManagedObjectContext) -> @Sendable () -> Bool {
        let token = UInt(bitPattern: Self.token(context))
        return { [self] in
            type.isConfined || UnsafeMutableRawPointer(bitPattern: token).map { self.isEntered($0) } == true
        }
    }

    /// The context of the innermost running block; nil outside such blocks.
    static var currentContext: NSManagedObjectContext? { ContextFrame.innermost }

    func sync<T, Failure: Error>(_ context: NSManagedObjectContext, _ body: () throws(Failure) -> T) throws(Failure)
        -> T
    {
        if isCurrent(context) { return try enter(context, endsEvent: false, body) }
        // The waiting thread passes its list of contexts on, the main queue included: the block may call back.
        let isOnMain = MainQueue.isCurrent
        var main = ContextFrame(context: MainQueue.token, outer: ocd_current_context())
        return try withUnsafeMutablePointer(to: &main) { pointer throws(Failure) -> T in
            let lent = isOnMain ? UnsafeMutableRawPointer(pointer) : pointer.pointee.outer
            // The functions that wait for a queue have no typed errors.
            var result: Result<T, Failure>?
            wait(for: context, isOnMain: isOnMain) {
                result = Result { () throws(Failure) -> T in
                    try enter(context, lent: lent, isFromQueue: true, endsEvent: false, body)
                }
            }
            return try result.unsafelyUnwrapped.get()  // `wait` has called the block
        }
    }

    /// Runs a block exclusively on the queue.
    private func wait(for context: NSManagedObjectContext, isOnMain: Bool, _ body: () -> Void) {
        let origin = BlockOrigin.current
        if type == .mainQueueConcurrencyType {
            MainQueueRequests.shared.run { BlockOrigin.run(origin, body) }
        } else if isOnMain, context.hasAncestorOnMainQueue {
            MainQueueRequests.shared.run({ BlockOrigin.run(origin, body) }, onceFree: queue)
        } else if DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self) {
            // The queue destroys a block that it has run, and with it the objects that only the block held. The deinit
            // of such an object is on the queue, and waiting for the queue would never end.
            body()
        } else {
            queue.sync(execute: body)
        }
    }

    /// - Parameters:
    ///   - stop: stops statements of the block.
    ///   - done: called after the event of the block has ended.
    func async(
        _ context: NSManagedObjectContext, stop: StopSignal? = nil, _ body: @escaping @Sendable () -> Void,
        done: @escaping @Sendable () -> Void = {}
    ) {
        precondition(
            !type.isConfined,
            "A context of the confinement type has no queue: call it directly, or make it with another type.")
        let origin = BlockOrigin.make(context.state.observation, stop: stop)
        queue.async { [self] in
            BlockOrigin.run(origin) { enter(context, isFromQueue: true, endsEvent: true, body) }
            done()
        }
    }

    /// Runs a short body at once if the caller is on the queue, otherwise after earlier blocks. The body does not begin
    /// a separate event.
    func inTurn(_ context: NSManagedObjectContext, _ body: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        if isCurrent(context) { return body(context) }
        queue.async { [self] in enter(context, isFromQueue: true, endsEvent: false) { body(context) } }
    }

    /// Runs a block after the current work of the queue, if the context still exists then. It never runs if the main
    /// queue is not served.
    func afterCurrentWork(
        of context: NSManagedObjectContext, _ body: @escaping @Sendable (NSManagedObjectContext) -> Void
    ) {
        queue.async { [self, weak context] in
            guard let context else { return }
            enter(context, isFromQueue: true, endsEvent: false) { body(context) }
        }
    }

    /// - Parameters:
    ///   - lent: the contexts of the thread that waits for this call.
    ///   - isFromQueue: whether the queue makes the call, not a block that already runs for the context.
    ///   - endsEvent: whether pending changes are processed at the end (each asynchronous block is one event).
    private func enter<T, Failure: Error>(
        _ context: NSManagedObjectContext, lent: UnsafeMutableRawPointer? = nil, isFromQueue: Bool = false,
        endsEvent: Bool, _ body: () throws(Failure) -> T
    ) throws(Failure) -> T {
        assert(blockDepth.enter(isFromQueue: isFromQueue && type == .privateQueueConcurrencyType), "(1)")
        defer { assert(blockDepth.leave(), "(1)") }
        let before = ocd_current_context()
        var held = ContextFrame(context: Self.token(context), outer: lent ?? before)
        return try withUnsafeMutablePointer(to: &held) { pointer throws(Failure) -> T in
            ocd_set_current_context(pointer)
            let isOutermost = context.beginBlock()
            defer {
                context.endBlock(isOutermost: isOutermost, isEvent: endsEvent)
                assert(ocd_current_context() == UnsafeMutableRawPointer(pointer), "(2)")
                ocd_set_current_context(before)
            }
            return try body()
        }
    }

    private static func token(_ context: NSManagedObjectContext) -> UnsafeMutableRawPointer {
        Uncounted(context).address
    }
}

/// The number of the context's nested blocks. Used only in debug builds.
private final class BlockDepth: Sendable {
    private let depth = Atomic<Int>(0)

    /// - Returns: false if the queue starts a block while another one runs.
    func enter(isFromQueue: Bool) -> Bool { depth.add(1, ordering: .relaxed).newValue == 1 || !isFromQueue }

    func leave() -> Bool { depth.subtract(1, ordering: .relaxed).newValue >= 0 }
}

/// The context of a block that this thread is running, or the main queue, with a link to the next outer one. The list
/// is on the stacks of this thread and of the threads that wait for it.
private struct ContextFrame {
    let context: UnsafeMutableRawPointer
    let outer: UnsafeMutableRawPointer?

    /// A context is retained while one of its blocks runs, or waits for another queue.
    static var innermost: NSManagedObjectContext? {
        var next = ocd_current_context()
        while let held = next?.assumingMemoryBound(to: ContextFrame.self) {
            if held.pointee.context != MainQueue.token {
                return Uncounted<NSManagedObjectContext>(address: held.pointee.context).object
            }
            next = held.pointee.outer
        }
        return nil
    }

    static func includes(_ context: UnsafeMutableRawPointer) -> Bool {
        var next = ocd_current_context()
        while let held = next?.assumingMemoryBound(to: ContextFrame.self) {
            if held.pointee.context == context { return true }
            next = held.pointee.outer
        }
        return false
    }
}

/// The main queue. Its work may run on a thread other than the first one (Swift's main actor off Apple's systems).
private enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()
    static let marked: Bool = {
        DispatchQueue.main.setSpecific(key: key, value: true)
        return true
    }()

    /// Represents the main queue in a list: not the address of any context.
    static var token: UnsafeMutableRawPointer { UnsafeMutableRawPointer(bitPattern: 1).unsafelyUnwrapped }

    /// Whether the caller runs on the main queue, on the first thread, or in a block that the main queue waits for.
    static var isCurrent: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true || ContextFrame.includes(token)
    }
}

/// A block to be run on a queue, with its result. As in Apple's framework, callers may pass any block, and are
/// responsible for the values that it captures.
final class QueuedTask<T, Failure: Error>: @unchecked Sendable {  // used by one thread after another
    private let block: () throws(Failure) -> T
    private var outcome: Result<T, Failure>?

    init(_ block: @escaping () throws(Failure) -> T) { self.block = block }

    func run() { outcome = Result(catching: block) }

    /// Call after `run()`.
    func result() throws(Failure) -> T {
        guard let outcome else { preconditionFailure("The block's result was asked for before it ran.") }
        return try outcome.get()
    }
}
