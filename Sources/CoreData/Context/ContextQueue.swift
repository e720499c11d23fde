// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// On which queue a context's work runs, and how one gets there.

import CRuntime
import Dispatch
import Foundation

/// How a context is confined.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    /// The context belongs to whoever made it. Deprecated by Apple; it works.
    case confinementConcurrencyType = 0
    /// The context has a queue of its own.
    case privateQueueConcurrencyType = 1
    /// The context belongs to the main queue.
    case mainQueueConcurrencyType = 2
}

/// The executor of one context.
///
/// A thread knows all contexts it works for, one inside the other (`HeldContext`): so a nested `performAndWait` on any of
/// them runs at once instead of waiting for itself, also when a parent's block asks a child that asks its parent.
final class ContextQueue: Sendable {
    let type: NSManagedObjectContextConcurrencyType
    private let queue: DispatchQueue

    init(_ type: NSManagedObjectContextConcurrencyType) {
        self.type = type
        queue = type == .mainQueueConcurrencyType ? .main : DispatchQueue(label: "NSManagedObjectContext")
        if type == .mainQueueConcurrencyType { _ = MainQueue.marked }
    }

    /// Whether the calling code already runs where the context's work belongs.
    func isCurrent(_ context: NSManagedObjectContext) -> Bool {
        switch type {
        case .confinementConcurrencyType: true
        case .privateQueueConcurrencyType: HeldContext.includes(Self.token(context))
        case .mainQueueConcurrencyType: MainQueue.isCurrent || HeldContext.includes(Self.token(context))
        }
    }

    func sync<T, Failure: Error>(_ context: NSManagedObjectContext, _ body: () throws(Failure) -> T) throws(Failure)
        -> T
    {
        if isCurrent(context) { return try Self.enter(context, endsEvent: false, body) }
        // Who waits lends what it holds, the main queue included: the block may call back.
        let isOnMain = MainQueue.isCurrent
        var main = HeldContext(context: MainQueue.token, outer: ocd_current_context())
        return try withUnsafeMutablePointer(to: &main) { pointer throws(Failure) -> T in
            let lent = isOnMain ? UnsafeMutableRawPointer(pointer) : pointer.pointee.outer
            // `DispatchQueue.sync` knows no typed errors.
            let result: Result<T, Failure> = queue.sync {
                Result { () throws(Failure) -> T in try Self.enter(context, lent: lent, endsEvent: false, body) }
            }
            return try result.get()
        }
    }

    func async(_ context: NSManagedObjectContext, _ body: @escaping @Sendable () -> Void) {
        guard type != .confinementConcurrencyType else {
            preconditionFailure(
                "A context of the confinement type has no queue: call it directly, or make it with another type.")
        }
        queue.async { Self.enter(context, endsEvent: true, body) }
    }

    /// Runs a block when what runs on the queue now is done, if the context is still there then. It never runs where nobody drains the
    /// main queue.
    func afterTurn(of context: NSManagedObjectContext, _ body: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        queue.async { [weak context] in
            guard let context else { return }
            Self.enter(context, endsEvent: false) { body(context) }
        }
    }

    /// - Parameters:
    ///   - lent: what the thread that waits for this holds.
    ///   - endsEvent: pending changes are processed at the end (an asynchronous block is an event of its own).
    private static func enter<T, Failure: Error>(
        _ context: NSManagedObjectContext, lent: UnsafeMutableRawPointer? = nil, endsEvent: Bool,
        _ body: () throws(Failure) -> T
    ) throws(Failure) -> T {
        let before = ocd_current_context()
        var held = HeldContext(context: token(context), outer: lent ?? before)
        return try withUnsafeMutablePointer(to: &held) { pointer throws(Failure) -> T in
            ocd_set_current_context(pointer)
            let isOutermost = context.beginBurst()
            context.readNews()
            defer {
                if endsEvent { context.endEvent() }
                if isOutermost { context.endBurst() }
                ocd_set_current_context(before)
            }
            return try body()
        }
    }

    private static func token(_ context: NSManagedObjectContext) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(context).toOpaque()
    }
}

/// A context that this thread works for, or the main queue. Those it works for further out follow; the chain lies on the stacks of this thread
/// and of those that wait for it.
private struct HeldContext {
    let context: UnsafeMutableRawPointer
    let outer: UnsafeMutableRawPointer?

    static func includes(_ context: UnsafeMutableRawPointer) -> Bool {
        var next = ocd_current_context()
        while let held = next?.assumingMemoryBound(to: HeldContext.self) {
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

    /// Stands for the main queue in a chain: the address of no context.
    static var token: UnsafeMutableRawPointer { UnsafeMutableRawPointer(bitPattern: 1).unsafelyUnwrapped }

    /// Whether this is the main queue, the first thread, or a block that the main queue waits for.
    static var isCurrent: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true || HeldContext.includes(token)
    }
}

/// A block on its way to a queue, and its result on the way back. Nobody else has either meanwhile.
final class QueuedTask<T, Failure: Error>: @unchecked Sendable {  // used by one thread after another
    private let block: () throws(Failure) -> T
    private var outcome: Result<T, Failure>?

    init(_ block: @escaping () throws(Failure) -> T) { self.block = block }

    func run() { outcome = Result(catching: block) }

    /// After `run()`.
    func result() throws(Failure) -> T {
        guard let outcome else { preconditionFailure("The block's result was asked for before it ran.") }
        return try outcome.get()
    }
}
