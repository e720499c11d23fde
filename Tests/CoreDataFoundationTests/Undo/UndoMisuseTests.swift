// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which calls undo managers refuse, and that the refusal names the remedy.

import CoreDataFoundation
import Foundation
import Testing

@Suite("Misuse of undo managers")
struct UndoMisuseTests {
    @Test("a begin without an end, an end without a begin")
    func groups() async {
        await #expect(processExitsWith: .failure) { UndoManager().endUndoGrouping() }
        await #expect(processExitsWith: .failure) {
            let manager = UndoManager()
            manager.beginUndoGrouping()
            manager.beginUndoGrouping()
            manager.undo()
        }
        await #expect(processExitsWith: .failure) {
            let manager = UndoManager()
            manager.beginUndoGrouping()
            manager.registerUndo(withTarget: manager) { _ in }
            manager.undoNestedGroup()
        }
    }

    @Test("registration without a group, more enabling than disabling")
    func registration() async {
        await #expect(processExitsWith: .failure) { UndoManager().enableUndoRegistration() }
        await #expect(processExitsWith: .failure) {
            let manager = UndoManager()
            manager.groupsByEvent = false
            manager.registerUndo(withTarget: manager) { _ in }
        }
    }

    @Test("undoing and redoing within an undo or redo")
    func withinUndo() async {
        await #expect(processExitsWith: .failure) {
            let manager = UndoManager()
            manager.registerUndo(withTarget: manager) { $0.undo() }
            manager.undo()
        }
        await #expect(processExitsWith: .failure) {
            let manager = UndoManager()
            manager.registerUndo(withTarget: manager) { $0.redo() }
            manager.undo()
        }
        await #expect(processExitsWith: .failure) {
            let manager = UndoManager()
            manager.registerUndo(withTarget: manager) { manager in
                manager.registerUndo(withTarget: manager) { $0.undoNestedGroup() }
            }
            manager.undo()
            manager.redo()
        }
    }

    @Test("selectors other than setters, and targets without key-value coding")
    func selectors() async {
        await #expect(processExitsWith: .failure) {
            UndoManager().registerUndo(withTarget: NSObject(), selector: "setTitle:", object: nil)
        }
        await #expect(processExitsWith: .failure) {
            UndoManager().registerUndo(withTarget: Titled(), selector: "removeTitle", object: nil)
        }
    }

    /// The failing process writes its sentence to where tests cannot read it on every system, so the test checks only
    /// the exit.
    @Test("the sentence names the call and the remedy")
    func sentence() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            UndoManager().endUndoGrouping()
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("endUndoGrouping() needs an open group; call beginUndoGrouping() before it"))
    }
}

final class Titled: KeyValueCoding {
    var title = "old"
    var URL = "old"

    func value(forKey key: String) -> Any? { key == "URL" ? URL : title }
    func setValue(_ value: Any?, forKey key: String) {
        let text = value as? String ?? ""
        if key == "URL" { URL = text } else if key == "title" { title = text }
    }
}

@Suite("Undoing by the name of a setter")
struct SelectorUndoTests {
    @Test("the property is set to the value")
    func setter() {
        let manager = UndoManager()
        let object = Titled()
        manager.beginUndoGrouping()
        manager.registerUndo(withTarget: object, selector: Selector("setTitle:"), object: "new")
        manager.registerUndo(withTarget: object, selector: "setURL:", object: "file")
        manager.endUndoGrouping()
        manager.undo()
        #expect(object.title == "new")
        #expect(object.URL == "file")
    }
}
