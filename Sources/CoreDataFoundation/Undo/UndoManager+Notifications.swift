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
