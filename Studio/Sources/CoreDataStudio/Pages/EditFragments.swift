// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The contents of dialogs: a deletion with its consequences, and the sides of conflicts.

import CoreDataToolKit

extension Site {
    func deletionFragment(_ preview: DeletionPreview) -> HTML {
        func list(_ groups: [DeletionPreview.Group]) -> HTML {
            "<ul>\(groups.html { group in "<li><strong>\(CountText.text(group.count)) \(group.entityName)</strong>: \(group.titles.joined(separator: ", "))\(group.count > group.titles.count ? " …" : "")</li>" })</ul>"
        }
        let total = preview.deleted.reduce(0) { $0 + $1.count }
        let changed: HTML =
            preview.changed.isEmpty
            ? .nothing : "<h3>These stay, and lose a relationship</h3>\(list(preview.changed))"
        let obstacles: HTML =
            preview.obstacles.isEmpty
            ? .nothing
            : "<h3>A save will refuse it</h3><ul class=\"error\">\(preview.obstacles.html { "<li>\($0)</li>" })</ul>"
        return """
            <h2 id="dialog-title">Delete \(preview.title)?</h2>
            <h3>\(total == 1 ? "One object goes" : "\(CountText.text(total)) objects go")</h3>\(list(preview.deleted))
            \(changed)\(obstacles)
            <p class="faint">Nothing is written before you save; undo brings all of it back.</p>
            <div class="buttons"><button type="button" data-action="close">Cancel</button>
            <button type="button" class="danger" data-action="confirm-delete" data-object="\(preview.id)">Delete</button></div>
            """
    }

    func conflictsFragment(_ conflicts: [ConflictSides]) -> HTML {
        guard !conflicts.isEmpty else {
            return """
                <h2 id="dialog-title">No conflict</h2><p>Nothing is in the way any more.</p>
                <div class="buttons"><button type="button" class="primary" data-action="close">Close</button></div>
                """
        }
        return """
            <h2 id="dialog-title">Another program was first</h2>
            <p>Nothing is saved yet. Choose a side for each object, then save again.</p>
            \(conflicts.html(sides))
            <div class="buttons"><button type="button" data-action="close">Later</button></div>
            """
    }

    private func sides(_ conflict: ConflictSides) -> HTML {
        let lines = conflict.lines.html { line in
            """
            <tr><th scope="row">\(line.property)</th><td>\(line.base)</td>
            <td class="\(line.isMine ? "changed" : "")">\(line.mine)</td><td class="\(line.isTheirs ? "changed" : "")">\(
                conflict.isGone ? "deleted" : line.theirs)</td></tr>
            """
        }
        let mine: HTML =
            conflict.isGone
            ? .nothing
            : "<button type=\"button\" data-action=\"resolve\" data-choice=\"mine\" data-object=\"\(conflict.id)\">Keep mine</button>"
        return """
            <section class="conflict" aria-label="\(conflict.title)"><h3>\(conflict.title)</h3>
            <div class="table-wrap"><table class="plain"><thead><tr><th scope="col">Property</th><th scope="col">Before</th><th scope="col">Mine</th><th scope="col">Theirs</th></tr></thead>
            <tbody>\(lines)</tbody></table></div>
            <div class="buttons">\(mine)<button type="button" data-action="resolve" data-choice="theirs" data-object="\(conflict.id)">\(conflict.isGone ? "Accept the deletion" : "Take theirs")</button></div></section>
            """
    }
}
