# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
"""Draws the pictures of the documentation as SVG, readable on light and on dark ground. Scripts/docs writes them."""
from html import escape

STYLE = """
  text { font: 14px system-ui, sans-serif; fill: #1c1c1e } .small { font-size: 11px; fill: #55555c }
  .box { fill: #eef3fb; stroke: #5b7db1; stroke-width: 1.4 } .kept { fill: #eaf5ec; stroke: #4f9160; stroke-width: 1.4 }
  .bad { fill: #fbeeee; stroke: #b35959; stroke-width: 1.4 } .line { stroke: #6b6b73; stroke-width: 1.5; fill: none }
  .head { fill: #6b6b73 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f0f2 } .small { fill: #b3b3ba } .box { fill: #1f2a3d; stroke: #7fa3da }
    .kept { fill: #1e3324; stroke: #79bd8b } .bad { fill: #3b2323; stroke: #d98888 }
    .line { stroke: #a0a0a8 } .head { fill: #a0a0a8 }
  }
"""


class Drawing:
    def __init__(self, title, width, height):
        self.title, self.width, self.height, self.parts = title, width, height, []

    def box(self, x, y, width, text, detail="", kind="box"):
        """A box of 46 in height, with a line of text and one of detail."""
        self.parts.append(f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="46" rx="7"/>')
        middle = x + width / 2
        self.parts.append(f'<text x="{middle}" y="{y + (20 if detail else 28)}" text-anchor="middle">{escape(text)}</text>')
        if detail:
            self.parts.append(
                f'<text class="small" x="{middle}" y="{y + 37}" text-anchor="middle">{escape(detail)}</text>')

    def arrow(self, points, label="", at=None, anchor="middle"):
        """An arrow along points; the label is at a place, or above the middle of the first stretch."""
        path = "M" + " L".join(f"{x} {y}" for x, y in points)
        self.parts.append(f'<path class="line" d="{path}" marker-end="url(#head)"/>')
        if label:
            (x, y), (to_x, to_y) = points[0], points[1]
            place = at or ((x + to_x) / 2, (y + to_y) / 2 - 6)
            self.note(*place, label, anchor)

    def note(self, x, y, text, anchor="middle"):
        self.parts.append(f'<text class="small" x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>')

    def svg(self):
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img" aria-label="{escape(self.title)}">\n'
            f"<title>{escape(self.title)}</title>\n<style>{STYLE}</style>\n"
            '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
            'orient="auto-start-reverse"><path class="head" d="M0 0 L10 5 L0 10 z"/></marker></defs>\n'
            + "\n".join(self.parts) + "\n</svg>\n")


def life():
    drawing = Drawing("The life of a managed object: new, saved, changed, fault, deleted", 760, 250)
    drawing.box(20, 30, 150, "inserted", "isInserted, temporary id")
    drawing.box(300, 30, 160, "saved", "permanent id, no changes", "kept")
    drawing.box(590, 30, 150, "changed", "isUpdated")
    drawing.box(300, 170, 160, "fault", "isFault: an id, no values")
    drawing.box(20, 170, 150, "gone", "no context, no record", "bad")
    drawing.box(590, 170, 150, "deleted", "isDeleted, until the save", "bad")
    drawing.arrow([(95, 4), (95, 30)], "Book(context:)", (103, 18), "start")
    drawing.arrow([(170, 53), (300, 53)], "save()")
    drawing.arrow([(460, 43), (590, 43)], "book.title = …", (525, 35))
    drawing.arrow([(590, 65), (460, 65)], "save(), rollback()", (525, 82))
    drawing.arrow([(350, 170), (350, 76)], "a value is read", (342, 128), "end")
    drawing.arrow([(410, 76), (410, 170)], "refresh, reset", (418, 128), "start")
    drawing.arrow([(460, 76), (590, 172)], "delete(_:)", (545, 122), "start")
    drawing.arrow([(665, 216), (665, 238), (95, 238), (95, 216)], "save()", (380, 232))
    drawing.arrow([(95, 76), (95, 170)], "delete(_:), rollback()", (103, 126), "start")
    return drawing


def save():
    drawing = Drawing("A save: hooks, validation, conflicts, one transaction, notifications", 780, 200)
    steps = [("willSave", "hooks, delete rules"), ("validate", "rules of the model"), ("compare", "versions of records"),
             ("write", "one transaction"), ("didSave", "ids, notifications")]
    for index, (name, detail) in enumerate(steps):
        drawing.box(10 + index * 155, 30, 135, name, detail, "kept" if name == "write" else "box")
        if index:
            drawing.arrow([(index * 155 - 10, 53), (10 + index * 155, 53)])
    drawing.box(165, 130, 135, "error 1550 …", "nothing written", "bad")
    drawing.arrow([(232, 76), (232, 130)], "a rule is broken", (240, 106), "start")
    drawing.box(320, 130, 135, "error 133020", "unless a policy merges", "bad")
    drawing.arrow([(387, 76), (387, 130)], "others changed it", (395, 106), "start")
    drawing.box(475, 130, 135, "error 134030", "changes stay pending", "bad")
    drawing.arrow([(542, 76), (542, 130)], "the disk fails", (550, 106), "start")
    return drawing


def fetch():
    drawing = Drawing("A fetch: from the request to objects", 780, 190)
    drawing.box(10, 30, 140, "fetch request", "predicate, order, window")
    drawing.box(210, 30, 150, "checked request", "each name is known")
    drawing.box(420, 30, 150, "SQL", "the part that SQL can say", "kept")
    drawing.box(630, 30, 140, "rows", "into the row cache", "kept")
    drawing.box(630, 130, 140, "unsaved changes", "of this context")
    drawing.box(420, 130, 150, "memory", "the rest of the predicate")
    drawing.box(210, 130, 150, "objects", "one for each record")
    drawing.arrow([(150, 53), (210, 53)])
    drawing.arrow([(360, 53), (420, 53)])
    drawing.arrow([(570, 53), (630, 53)])
    drawing.arrow([(700, 76), (700, 130)])
    drawing.arrow([(630, 153), (570, 153)])
    drawing.arrow([(420, 153), (360, 153)])
    drawing.note(80, 150, "An object that the context")
    drawing.note(80, 166, "has already is used again.")
    return drawing


def contexts():
    drawing = Drawing("Parents and children: contexts, coordinator, store", 780, 260)
    drawing.box(20, 20, 200, "child context", "a draft: saves into its parent")
    drawing.box(20, 110, 200, "viewContext", "main queue")
    drawing.box(300, 110, 200, "newBackgroundContext()", "a queue of its own")
    drawing.box(560, 110, 200, "performBackgroundTask", "a context for one block")
    drawing.box(300, 200, 200, "coordinator, SQLite store", "readers beside one writer", "kept")
    drawing.arrow([(120, 66), (120, 110)], "save()", (128, 92), "start")
    drawing.arrow([(120, 156), (300, 215)], "save()", (170, 200))
    drawing.arrow([(400, 156), (400, 200)], "save()", (408, 182), "start")
    drawing.arrow([(660, 156), (500, 215)], "save()", (610, 200))
    drawing.arrow([(300, 125), (220, 125)], "merge", (260, 119))
    drawing.note(470, 40, "Objects stay in their context; only an objectID goes from one to another.")
    drawing.note(470, 58, "automaticallyMergesChangesFromParent takes over the saves of others.")
    return drawing


def conflict():
    drawing = Drawing("A conflict: two contexts change one record", 780, 250)
    drawing.box(20, 20, 190, "context A", "reads version 1, sets title")
    drawing.box(570, 20, 190, "context B", "reads version 1, sets text")
    drawing.box(295, 20, 190, "record, version 1", "", "kept")
    drawing.box(295, 110, 190, "record, version 2", "title is new", "kept")
    drawing.box(20, 190, 230, "no policy: 133020", "B keeps its change, unsaved", "bad")
    drawing.box(275, 190, 230, "object trump", "both changes: title and text", "kept")
    drawing.box(530, 190, 230, "store trump", "of one property: A's value", "kept")
    drawing.arrow([(210, 43), (252, 43), (252, 133), (295, 133)], "A saves first", (246, 92), "end")
    drawing.arrow([(665, 66), (665, 133), (485, 133)], "B saves: version 1 is not 2", (575, 126))
    drawing.arrow([(390, 156), (390, 190)])
    drawing.arrow([(340, 156), (200, 190)])
    drawing.arrow([(440, 156), (580, 190)])
    return drawing


def layers():
    drawing = Drawing("The products and their layers", 780, 270)
    drawing.box(20, 20, 230, "SwiftData", "@Model, ModelContext")
    drawing.box(275, 20, 230, "CoreDataModeling", "@ManagedObject")
    drawing.box(530, 20, 230, "coredata-tool, Studio", "stores without their apps")
    drawing.box(20, 110, 740, "CoreData: contexts, objects, requests, coordinator", "Apple's names and rules")
    drawing.box(20, 200, 170, "SQLite", "Apple's tables", "kept")
    drawing.box(210, 200, 170, "XML, binary, memory", "whole files", "kept")
    drawing.box(400, 200, 170, "PostgreSQL", "CoreDataPostgreSQL", "kept")
    drawing.box(590, 200, 170, "a store of yours", "NSIncrementalStore", "kept")
    for x in (135, 390, 645):
        drawing.arrow([(x, 66), (x, 110)])
    for x in (105, 295, 485, 675):
        drawing.arrow([(x, 156), (x, 200)])
    return drawing


def drawn():
    return {f"{picture.__name__}.svg": picture().svg() for picture in (life, save, fetch, contexts, conflict, layers)}
