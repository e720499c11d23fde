// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The notifications and constants of undo managers.

public import Foundation

/// The place of closing an event's undo group among what a run loop does at the end of a turn, on Apple's systems. Here
/// the group closes with the blocks of the run loop.
public let NSUndoCloseGroupingRunLoopOrdering = 350_000

/// In the user info of `NSUndoManagerWillCloseUndoGroup`: a Bool, whether all actions of the group are discardable.
public let NSUndoManagerGroupIsDiscardableKey = "NSUndoManagerGroupIsDiscardableKey"

extension NSNotification.Name {
    /// A group is about to open within another, to close, to be undone or redone, or `canRedo` was asked: observers
    /// that hold changes back register them now.
    public static let NSUndoManagerCheckpoint = Self("NSUndoManagerCheckpointNotification")
    public static let NSUndoManagerWillUndoChange = Self("NSUndoManagerWillUndoChangeNotification")
    public static let NSUndoManagerWillRedoChange = Self("NSUndoManagerWillRedoChangeNotification")
    public static let NSUndoManagerDidUndoChange = Self("NSUndoManagerDidUndoChangeNotification")
    public static let NSUndoManagerDidRedoChange = Self("NSUndoManagerDidRedoChangeNotification")
    public static let NSUndoManagerDidOpenUndoGroup = Self("NSUndoManagerDidOpenUndoGroupNotification")
    public static let NSUndoManagerWillCloseUndoGroup = Self("NSUndoManagerWillCloseUndoGroupNotification")
    public static let NSUndoManagerDidCloseUndoGroup = Self("NSUndoManagerDidCloseUndoGroupNotification")
}

extension UndoManager {
    /// The name of a value that is attached to an action.
    public struct UserInfoKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public init(_ rawValue: String) { self.rawValue = rawValue }
    }
}
