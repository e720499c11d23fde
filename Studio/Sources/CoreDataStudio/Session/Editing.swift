// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Edits of objects, each one step of undo, and one save for all. Studio-E1 to Studio-E5.

import CoreData
import CoreDataToolKit
import Foundation

/// An edit that a page requests.
struct EditRequest: Decodable, Sendable {
    var object: String?
    var entity: String?
    var property: String?
    /// The text of the new value; nil for no value.
    var value: String?
    /// For `resolve`: "mine" or "theirs".
    var choice: String?
    /// For a to-many relationship: the member to add or remove.
    var add: String?
    var remove: String?
}

/// The state of the edits after a request.
struct EditState: Encodable, Sendable {
    var ok = true
    var changes = 0
    var canUndo = false
    var canRedo = false
    /// A sentence for the user, announced by screen readers.
    var message = ""
    /// The object that the edit made.
    var object: String?
    /// The broken rules that kept a save or an edit from happening.
    var failures: [Failure] = []
    /// Whether a save found conflicting changes of others.
    var isConflict = false

    struct Failure: Encodable, Sendable {
        let object: String
        let title: String
        let property: String
        let message: String
    }
}

/// Both sides of a conflict.
struct ConflictSides: Sendable {
    struct Line: Sendable {
        let property: String
        let base: String
        let mine: String
        let theirs: String
        var isMine: Bool { base != mine }
        var isTheirs: Bool { base != theirs }
    }

    let id: String
    let title: String
    /// Whether the others deleted the object.
    let isGone: Bool
    let lines: [Line]
}

extension Desk {
    /// The state of the edits, with a message.
    func editState(_ message: String = "", object: String? = nil) -> EditState {
        EditState(
            changes: context.insertedObjects.count + context.updatedObjects.count + context.deletedObjects.count,
            canUndo: context.undoManager?.canUndo ?? false, canRedo: context.undoManager?.canRedo ?? false,
            message: message, object: object)
    }

    /// Makes an edit that is one step of undo. Studio-E2.
    private func step<Result>(_ body: () throws -> Result) rethrows -> Result {
        context.processPendingChanges()
        context.undoManager?.beginUndoGrouping()
        defer {
            context.processPendingChanges()
            context.undoManager?.endUndoGrouping()
            views.end()
        }
        return try body()
    }

    // MARK: Edits

    /// Sets a property from a text. Studio-E3.
    ///
    /// - Throws: `FieldFailure` for a text that is no value, or breaks a rule.
    func set(_ edit: EditRequest) throws -> EditState {
        let object = try object(edit.object ?? "")
        let key = edit.property ?? ""
        if let relationship = object.entity.relationshipsByName[key] {
            return try setLink(relationship, of: object, edit)
        }
        let place = try ValuePlace(key, in: object.entity)
        let value = try edit.value.map { text in
            try ValueText.value(of: Self.lines(text, place.value(in: object)), for: place.attribute)
        }
        return try put(value, at: place, key, object)
    }

    /// Sets data from a file. Studio-E7.
    ///
    /// - Throws: `FieldFailure` for an attribute that holds no data.
    func set(file: Data, _ path: String, of name: String) throws -> EditState {
        let object = try object(name)
        let place = try ValuePlace(path, in: object.entity)
        return try put(ValueSource.data(ofFile: file, for: place.attribute), at: place, path, object)
    }

    private func put(_ value: Any?, at place: ValuePlace, _ path: String, _ object: NSManagedObject) throws
        -> EditState
    {
        var whole = place.whole(value, in: object)
        try check(&whole, place.key, object)
        step { object.setValue(whole, forKey: place.key) }
        return editState("\(path) is changed.", object: object.studioID)
    }

    /// A browser returns lines with plain line feeds; the text keeps the line ends that it had.
    private static func lines(_ text: String, _ old: Any?) -> String {
        guard let old = old as? String, old.unicodeScalars.contains("\r") else { return text }
        return text.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n")
    }

    private func check(_ value: inout Any?, _ key: String, _ object: NSManagedObject) throws {
        do {
            try object.validateValue(&value, forKey: key)
        } catch {
            throw FieldFailure(RuleFailure.all(in: error).first?.message ?? BrowsingError.text(of: error))
        }
    }

    private func setLink(_ relationship: NSRelationshipDescription, of object: NSManagedObject, _ edit: EditRequest)
        throws -> EditState
    {
        let key = relationship.name
        func member(_ name: String) throws -> NSManagedObject {
            let other = try self.object(name)
            guard let destination = relationship.destinationEntity, other.entity.isKindOf(entity: destination) else {
                throw FieldFailure("\(key) leads to \(relationship.destinationEntity?.name ?? ""), not to \(name).")
            }
            return other
        }
        if relationship.isToMany {
            let added = try edit.add.map(member)
            let removed = try edit.remove.map(member)
            step {
                if relationship.isOrdered {
                    let members = object.mutableOrderedSetValue(forKey: key)
                    if let added { members.add(added) }
                    if let removed { members.remove(removed) }
                } else {
                    let members = object.mutableSetValue(forKey: key)
                    if let added { members.add(added) }
                    if let removed { members.remove(removed) }
                }
            }
        } else {
            var value: Any? = try edit.value.flatMap { $0.isEmpty ? nil : try member($0) }
            try check(&value, key, object)
            step { object.setValue(value, forKey: key) }
        }
        return editState("\(key) is changed.", object: object.studioID)
    }

    func insert(_ edit: EditRequest) throws -> EditState {
        let entity = try entity(edit.entity ?? "")
        guard !entity.isAbstract else { throw FieldFailure("\(entity.name ?? "") is abstract: it has no objects.") }
        let object = step { NSManagedObject(entity: entity, insertInto: context) }
        return editState("A new \(entity.name ?? "object") is made.", object: object.studioID)
    }

    func delete(_ edit: EditRequest) throws -> EditState {
        let object = try object(edit.object ?? "")
        let title = ObjectTitle.text(of: object)
        step { context.delete(object) }
        return editState("\(title) is deleted.")
    }

    func undo() -> EditState {
        guard context.undoManager?.canUndo == true else { return editState("There is nothing to undo.") }
        context.undo()
        context.processPendingChanges()
        views.end()
        return editState("Undone.")
    }

    func redo() -> EditState {
        guard context.undoManager?.canRedo == true else { return editState("There is nothing to redo.") }
        context.redo()
        context.processPendingChanges()
        views.end()
        return editState("Redone.")
    }

    func discard() -> EditState {
        context.rollback()
        context.undoManager?.removeAllActions()
        views.end()
        return editState("All edits are discarded.")
    }

    // MARK: Saving

    /// Saves all edits, or none. Studio-E1, Studio-E4.
    func save() -> EditState {
        let count = editState().changes
        guard count > 0 else { return editState("There is nothing to save.") }
        do {
            try context.save()
            views.end()
            return editState(count == 1 ? "One change is saved." : "\(count) changes are saved.")
        } catch {
            var state = editState()
            state.ok = false
            state.isConflict = !conflicts(in: error).isEmpty
            let failures = RuleFailure.all(in: error)
            if state.isConflict {
                state.message = "Another program was first. Nothing is saved: compare both sides."
            } else if failures.isEmpty {
                state.message = "Nothing is saved. \(BrowsingError.text(of: error))"
            } else {
                state.message = "Nothing is saved: \(failures.count == 1 ? "a rule is" : "rules are") broken."
                state.failures = failures.map {
                    .init(object: $0.objectID, title: $0.objectTitle, property: $0.key ?? "", message: $0.message)
                }
            }
            return state
        }
    }

    private func conflicts(in error: any Error) -> [NSMergeConflict] {
        let error = error as NSError
        guard error.code == NSManagedObjectMergeError else { return [] }
        return error.userInfo["conflictList"] as? [NSMergeConflict] ?? []
    }

    /// Both sides of all objects that others changed since their edits began. For this the save is tried again, and
    /// fails again; if it succeeds now, it is done.
    func conflictSides() -> [ConflictSides] {
        do {
            guard context.hasChanges else { return [] }
            try context.save()
            return []
        } catch {
            return conflicts(in: error).map(sides)
        }
    }

    private func sides(_ conflict: NSMergeConflict) -> ConflictSides {
        let object = conflict.sourceObject
        let theirs = conflict.persistedSnapshot ?? (conflict.newVersionNumber == 0 ? nil : conflict.cachedSnapshot)
        let base = conflict.persistedSnapshot == nil ? conflict.objectSnapshot : conflict.cachedSnapshot
        let attributes = object.entity.attributesByName
        func text(_ value: Any?, _ key: String) -> String {
            switch value {
            case nil, is NSNull: return "–"
            case let id as NSManagedObjectID: return id.shortText
            default: return Cell(value, of: attributes[key]).tableText
            }
        }
        let keys =
            attributes.keys.sorted()
            + object.entity.relationshipsByName.filter { !$0.value.isToMany }.keys.sorted()
        let lines = keys.map { key in
            ConflictSides.Line(
                property: key, base: text(base?[key], key),
                mine: object.isDeleted ? "deleted" : text(object.value(forKey: key), key),
                theirs: text(theirs?[key], key))
        }
        return ConflictSides(
            id: object.studioID, title: ObjectTitle.text(of: object), isGone: conflict.newVersionNumber == 0,
            lines: lines.filter { $0.isMine || $0.isTheirs })
    }

    /// Keeps the edits of an object on top of the store's values, or takes the store's.
    func resolve(_ edit: EditRequest) throws -> EditState {
        let name = edit.object ?? ""
        guard let object = context.updatedObjects.union(context.deletedObjects).first(where: { $0.studioID == name })
        else { throw FieldFailure("\(name) has no edits.") }
        let isMine = edit.choice == "mine"
        context.refresh(object, mergeChanges: isMine)
        context.processPendingChanges()
        if !isMine, (try? context.existingObject(with: object.objectID)) == nil { forget(object) }
        views.end()
        return editState(isMine ? "Your edits stay; save again." : "The values of the other program are taken.")
    }

    /// An object that others deleted leaves the context.
    private func forget(_ object: NSManagedObject) {
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSDeletedObjectsKey: [object.objectID]], into: [context])
    }
}

/// A value that is refused, with its field.
struct FieldFailure: Error {
    let message: String
    init(_ message: String) { self.message = message }
}
