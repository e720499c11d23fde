// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One step of random work, by names: the same text has the same effect in each run.

import CoreData

enum Operation: Sendable {
    case insert(String, entity: String)
    case set(String, String, Value?)
    /// Sets a to-one to an object, or to nil.
    case link(String, String, String?)
    /// Adds a member through the mutable set; at a position through the mutable ordered set.
    case add(String, String, String, at: Int?)
    case remove(String, String, String)
    /// Sets all members, in their order.
    case replace(String, String, [String])
    case delete(String)

    case process
    /// Ends the undo group and begins another.
    case closeGroup
    case undo
    case redo
    case save
    case rollback
    case permanentIDs([String])

    case refresh(String, merge: Bool)
    case refreshAll
    case reset
    /// Retains an object that a fetch returns.
    case hold(String)
    case drop(String)
    case dropAll

    /// Another context does this and saves; this one merges the notification with objects, or the one with ids.
    case rival([Operation], byIDs: Bool)

    /// Makes a child, which is used until it ends; its unsaved changes are then lost.
    case begin(undo: Bool)
    case end

    /// Reads everything.
    case look
    case ask(Query)

    /// Whether it changes objects, as a step of undo may.
    var isChange: Bool {
        switch self {
        case .insert, .set, .link, .add, .remove, .replace, .delete: true
        default: false
        }
    }

    /// The objects that must exist.
    var subjects: [String] {
        switch self {
        case .set(let name, _, _), .delete(let name), .refresh(let name, _), .hold(let name), .drop(let name): [name]
        case .link(let name, _, let other): [name] + [other].compactMap { $0 }
        case .add(let name, _, let other, _), .remove(let name, _, let other): [name, other]
        case .replace(let name, _, let others): [name] + others
        case .permanentIDs(let names): names
        case .ask(let query): Array(query.objects)
        default: []
        }
    }
}

extension Operation: CustomStringConvertible {
    var description: String {
        switch self {
        case .insert(let name, let entity): "\(name) = new \(entity)"
        case .set(let name, let attribute, let value): "\(name).\(attribute) = \(value.map { "\($0)" } ?? "nil")"
        case .link(let name, let key, let other): "\(name).\(key) = \(other ?? "nil")"
        case .add(let name, let key, let other, nil): "\(name).\(key).add(\(other))"
        case .add(let name, let key, let other, let position?): "\(name).\(key).insert(\(other), at: \(position))"
        case .remove(let name, let key, let other): "\(name).\(key).remove(\(other))"
        case .replace(let name, let key, let others): "\(name).\(key) = [\(others.joined(separator: ", "))]"
        case .delete(let name): "delete \(name)"
        case .process: "process"
        case .closeGroup: "close the undo group"
        case .undo: "undo"
        case .redo: "redo"
        case .save: "save"
        case .rollback: "rollback"
        case .permanentIDs(let names): "permanent ids for \(names.joined(separator: ", "))"
        case .refresh(let name, let merge): "refresh \(name)\(merge ? " with merge" : "")"
        case .refreshAll: "refresh all"
        case .reset: "reset"
        case .hold(let name): "hold \(name)"
        case .drop(let name): "drop \(name)"
        case .dropAll: "drop all"
        case .rival(let work, let byIDs):
            "merge\(byIDs ? " by ids" : ""): \(work.map(\.description).joined(separator: "; "))"
        case .begin(let undo): "begin a child\(undo ? " with undo" : "")"
        case .end: "end the child"
        case .look: "look"
        case .ask(let query): "fetch \(query)"
        }
    }
}
