// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The notifications and constants of undo managers.

public import Foundation

/// On Apple's systems, the priority at which a run loop closes an event's undo group. This implementation closes the
/// group with the blocks of the run loop.
public let NSUndoCloseGroupingRunLoopOrdering = 350_000

/// In the user info of `NSUndoManagerWillCloseUndoGroup`: a Bool, whether all actions of the group are discardable.
public let NSUndoManagerGroupIsDiscardableKey = "NSUndoManagerGroupIsDiscardableKey"

extension NSNotification.Name {
    /// Posted before a nested group opens, before a group closes or is undone or redone, and for `canRedo`. Observers
    /// with pending changes register them now.
    public static let NSUndoManagerCheckpoint = Self("NSUndoManagerCheckpointNotification")
    /// Posted by an undo manager before it undoes a group.
    public static let NSUndoManagerWillUndoChange = Self("NSUndoManagerWillUndoChangeNotification")
    /// Posted by an undo manager before it redoes a group.
    public static let NSUndoManagerWillRedoChange = Self("NSUndoManagerWillRedoChangeNotification")
    /// Posted by an undo manager after it has undone a group.
    public static let NSUndoManagerDidUndoChange = Self("NSUndoManagerDidUndoChangeNotification")
    /// Posted by an undo manager after it has redone a group.
    public static let NSUndoManagerDidRedoChange = Self("NSUndoManagerDidRedoChangeNotification")
    /// Posted by an undo manager after it has opened a group, explicitly or for an event.
    public static let NSUndoManagerDidOpenUndoGroup = Self("NSUndoManagerDidOpenUndoGroupNotification")
    /// Posted by an undo manager before it closes a group. The user info may contain
    /// `NSUndoManagerGroupIsDiscardableKey`.
    public static let NSUndoManagerWillCloseUndoGroup = Self("NSUndoManagerWillCloseUndoGroupNotification")
    /// Posted by an undo manager after it has closed a group.
    public static let NSUndoManagerDidCloseUndoGroup = Self("NSUndoManagerDidCloseUndoGroupNotification")
}

extension UndoManager {
    /// The name of a value that is attached to an action.
    public struct UserInfoKey: RawRepresentable, Hashable, Sendable {
        /// The name itself.
        public let rawValue: String
        /// Creates a name. Any string is valid; use a prefix that no other code uses.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Creates a name, without a label.
        public init(_ rawValue: String) { self.rawValue = rawValue }
    }
}
