// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The reference for undo: whole states, as they were before each group.

struct ReferenceHistory {
    /// Whether there is an undo manager.
    var isRecording = false
    var eventStart = ReferenceContext.State()
    private(set) var undoable: [ReferenceContext.State] = []
    private(set) var redoable: [ReferenceContext.State] = []
    /// The state before the open group; nil for an empty one.
    private(set) var openGroup: ReferenceContext.State?

    var isEmpty: Bool { undoable.isEmpty && redoable.isEmpty && openGroup == nil }
    var canUndo: Bool { !undoable.isEmpty || openGroup != nil }
    var states: [ReferenceContext.State] { undoable + redoable + [openGroup].compactMap { $0 } }

    mutating func endEvent(_ state: ReferenceContext.State) {
        defer { eventStart = state }
        guard isRecording, state != eventStart else { return }
        if openGroup == nil { openGroup = eventStart }
        redoable = []
    }

    mutating func closeGroup() {
        if let openGroup { undoable.append(openGroup) }
        openGroup = nil
    }

    mutating func undo(_ state: ReferenceContext.State) -> ReferenceContext.State? {
        closeGroup()
        guard let earlier = undoable.popLast() else { return nil }
        redoable.append(state)
        return earlier
    }

    mutating func redo(_ state: ReferenceContext.State) -> ReferenceContext.State? {
        closeGroup()
        guard let later = redoable.popLast() else { return nil }
        undoable.append(state)
        return later
    }

    /// A save is not a separate step.
    mutating func saved(_ state: ReferenceContext.State) { eventStart = state }

    /// Undo steps retain their objects; all other objects lose an unsaved value with their release.
    mutating func forgetMood(of name: String, to mood: Value?) {
        eventStart.records[name]?.attributes["mood"] = mood
        for index in undoable.indices { undoable[index].records[name]?.attributes["mood"] = mood }
        for index in redoable.indices { redoable[index].records[name]?.attributes["mood"] = mood }
        openGroup?.records[name]?.attributes["mood"] = mood
    }

    mutating func clear(_ state: ReferenceContext.State) {
        undoable = []
        redoable = []
        openGroup = nil
        eventStart = state
    }
}
