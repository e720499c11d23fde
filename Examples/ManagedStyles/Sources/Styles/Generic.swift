// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Generic classes, private ones, and properties of generic types.

import CoreData

struct Wrap<Value: Codable & Sendable & Hashable>: Codable, Sendable, Hashable {
    var value: Value
    struct Label: Hashable, Sendable { var text: String }
}

class Cell<Content: NSObject, Mark: Hashable>: NSManagedObject {
    @NSManaged var count: Int32
    @NSManaged var content: Content?
    @NSManaged var marks: Set<Mark>
    @NSManaged var neighbour: Cell?
    @NSManaged private var note: String?

    func annotate(_ text: String) -> String? {
        note = text
        return note
    }
}

extension Cell {
    @NSManaged var parts: Set<Part>
    @NSManaged func addToParts(_ value: Part)
}

final class Part: NSManagedObject {
    @NSManaged var mark: String?
    @NSManaged var whole: TextCell?
}

final class TextCell: Cell<NSString, String> {
    @NSManaged var text: String?
}

final class Bag: NSManagedObject {
    typealias Cells = Set<TextCell>
    @NSManaged var cells: Cells
    @NSManaged var ordered: Array<TextCell>
    @NSManaged var maybe: Optional<Cells>
    @NSManaged var table: [String: [Int]]?
    @NSManaged var wrapped: Wrap<String>?
    @NSManaged var deeper: Wrap<Wrap<[Int]>>?
    @NSManaged var label: Wrap<Int>.Label?
}

private class Secret: NSManagedObject {
    @NSManaged var name: String?
    @NSManaged fileprivate var count: Int64
    @NSManaged var other: Secret?
    @NSManaged var others: Set<Secret>
    @NSManaged func addToOthers(_ value: Secret)
    var primitiveAsked = 0
}

private final class DeepSecret: Secret {
    @NSManaged var depth: Double
    @NSManaged private var row: [DeepSecret]
    func line(_ all: [DeepSecret]) -> Int {
        row = all
        return row.count
    }
}

private enum Vault {
    class Coin: NSManagedObject {
        @NSManaged var worth: Int
        @NSManaged private(set) var owner: Secret?
        func give(_ new: Secret) { owner = new }
    }
}

@MainActor func checkSecrets(_ context: NSManagedObjectContext) throws {
    let first = Secret(context: context)
    let second = DeepSecret(context: context)
    (first.name, first.count, first.other) = ("a name that is long enough", 7, second)
    first.count += 1
    second.depth = 1.5
    check(first.name == "a name that is long enough" && first.count == 8 && first.other === second)
    check(second.depth == 1.5 && second.line([second]) == 1 && first.others.isEmpty)
    first.addToOthers(second)
    check(first.others == [second] && first.others.contains { $0 is DeepSecret })
    first.others = [first, second]
    first.others.remove(second)
    check(first.others == [first])
    let coin = Vault.Coin(context: context)
    coin.worth = 5
    coin.give(first)
    check(coin.worth == 5 && coin.owner === first)
    try context.save()
    context.refreshAllObjects()
    let request = NSFetchRequest<Secret>(entityName: "Secret")
    request.predicate = NSPredicate(format: "count == 8")
    let found = try context.fetch(request)
    check(found.map(\.name) == ["a name that is long enough"] && found[0].other?.isEqual(second) == true)
}

@MainActor func checkGenerics(_ context: NSManagedObjectContext) throws {
    let cell = TextCell(context: context)
    check(cell.marks.isEmpty && cell.content == nil)
    (cell.count, cell.content, cell.marks, cell.text) = (3, "content", ["a", "b"], "t")
    cell.count += 1
    cell.neighbour = cell
    check(cell.count == 4 && cell.content == "content" && cell.marks == ["a", "b"] && cell.text == "t")
    check(cell.neighbour === cell && cell.annotate("n") == "n")
    let part = Part(context: context)
    part.mark = "m"
    cell.addToParts(part)
    check(part.mark == "m" && part.whole === cell && cell.parts == [part])
    let bag = Bag(context: context)
    check(bag.cells.isEmpty && bag.table == nil)
    (bag.cells, bag.ordered, bag.table) = ([cell], [cell], ["a": [1, 2]])
    (bag.wrapped, bag.deeper, bag.label) = (Wrap(value: "v"), Wrap(value: Wrap(value: [3])), .init(text: "l"))
    check(bag.cells == [cell] && bag.ordered == [cell] && bag.table == ["a": [1, 2]])
    check(bag.wrapped?.value == "v" && bag.deeper?.value.value == [3] && bag.label?.text == "l")
    bag.maybe = [cell]
    check(bag.maybe == [cell])
    context.delete(bag)
}
