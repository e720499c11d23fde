// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Scenarios of large to-many relationships: additions, removals, counts, reordering, many-to-many links.

import CoreData

enum ToManyScenario: Scenario {
    static let name = "a to-many of 100,000"

    static func run(_ stage: Stage) throws -> [Finding] {
        let large = try stage.library(owners: 1, itemsEach: stage.size(100_000))
        let small = try stage.library(owners: 1, itemsEach: stage.size(1_000))
        let touched = stage.size(500)
        return [
            finding(
                "adding and saving, to the same with 1,000 members",
                try stage.ratio({ try add(stage, large, touched) }, to: { try add(stage, small, touched) }), "×",
                atMost: 1.5, because: "a member is added through its to-one: nobody looks at the others"),
            finding(
                "removing and saving, to the same with 1,000 members",
                try stage.ratio({ try remove(stage, large, touched) }, to: { try remove(stage, small, touched) }), "×",
                atMost: 1.5, because: "a member is removed through its to-one: nobody looks at the others"),
            finding(
                "counting by a request, to raw",
                try stage.ratio({ try count(stage, large) }, to: { try countByHand(stage, large) }), "×", atMost: 2,
                because: "the statement is the same, and its time is that of the rows"),
        ]
    }

    private static func owner(_ context: NSManagedObjectContext) throws -> Owner {
        guard let owner = try context.all(Owner.self).first else { throw BenchmarkFailure("there is no owner") }
        return owner
    }

    private static func add(_ stage: Stage, _ file: URL, _ count: Int) throws -> Double {
        let context = stage.context(try stage.coordinator(file))
        return try context.performAndWait {
            let owner = try owner(context)
            let time = try stage.time {
                for number in 0..<count {
                    let item = Item(context: context)
                    item.number = Int64(number)
                    item.text = "added"
                    item.owner = owner
                }
                try context.save()
            }
            for item in context.registeredObjects where item is Item { context.delete(item) }
            try context.save()
            return time
        }
    }

    private static func remove(_ stage: Stage, _ file: URL, _ count: Int) throws -> Double {
        let context = stage.context(try stage.coordinator(file))
        return try context.performAndWait {
            let owner = try owner(context)
            let items = try context.all(Item.self, limit: count)
            let time = try stage.time {
                for item in items { item.owner = nil }
                try context.save()
            }
            for item in items { item.owner = owner }
            try context.save()
            return time
        }
    }

    private static func count(_ stage: Stage, _ file: URL) throws -> Double {
        let context = stage.context(try stage.coordinator(file))
        return try context.performAndWait {
            let request = NSFetchRequest<Item>(entityName: "Item")
            request.predicate = NSPredicate(format: "owner == %@", try owner(context))
            return try stage.time { for _ in 0..<20 { try check(context.count(for: request)) } }
        }
    }

    private static func check(_ count: Int) { precondition(count > 0) }

    private static func countByHand(_ stage: Stage, _ file: URL) throws -> Double {
        let raw = try RawDatabase(file, tuning: .asFramework)
        let statement = try raw.prepare("SELECT count(*) FROM ZITEM WHERE ZOWNER = ?")
        return try stage.time {
            for _ in 0..<20 {
                statement.bind(Int64(1), 1)
                try check(statement.step() ? Int(statement.integer(0)) : 0)
                statement.reset()
            }
        }
    }
}

enum OrderScenario: Scenario {
    static let name = "moves in an ordered to-many of 10,000"

    static func run(_ stage: Stage) throws -> [Finding] {
        let file = stage.newFile()
        let coordinator = try stage.coordinator(file)
        let context = stage.context(coordinator)
        let (count, moves) = (stage.size(10_000), 100)
        try context.performAndWait {
            let owner = Owner(context: context)
            owner.name = "book"
            for number in 0..<count {
                let page = Page(context: context)
                page.number = Int64(number)
                page.owner = owner
            }
            try context.save()
        }
        var written = 0
        let raw = try RawDatabase(file, tuning: .none)
        for move in 0..<moves {
            let before = try state(raw)
            try context.performAndWait {
                guard let owner = try context.all(Owner.self).first else { return }
                let from = (move * 7_919) % count, to = (move * 104_729 + 1) % count
                owner.pages.moveObjects(at: IndexSet(integer: from), to: to)
                try context.save()
            }
            written += zip(before, try state(raw)).filter { $0 != $1 }.count
        }
        return [
            finding(
                "rows written for a move, on average", Double(written) / Double(moves), "rows", atMost: 2,
                because: "the page that moved takes a place between its neighbours; the owner's version may count up")
        ]
    }

    /// The positions and versions of all rows, owners first.
    private static func state(_ raw: RawDatabase) throws -> [[Int64]] {
        let statement = try raw.prepare(
            "SELECT 0, Z_PK, Z_OPT, 0 FROM ZOWNER UNION ALL SELECT 1, Z_PK, Z_OPT, Z_FOK_OWNER FROM ZPAGE ORDER BY 1, 2"
        )
        var rows: [[Int64]] = []
        while try statement.step() { rows.append((0..<4).map { statement.integer($0) }) }
        return rows
    }
}

enum ManyToManyScenario: Scenario {
    static let name = "import of 1,000,000 many-to-many links"
    private static let tags = 100

    static func run(_ stage: Stage) throws -> [Finding] {
        let items = stage.size(10_000)
        return [
            finding(
                "to raw inserts into the same table", try ratio(stage, items), "×", atMost: 4,
                because:
                    "a link is a member at both ends and a row: two entries in sets and telling which are new cost a row's time each"
            )
        ]
    }

    private static func ratio(_ stage: Stage, _ items: Int) throws -> Double {
        // A million links take seconds, so there is no repetition.
        let file = stage.newFile()
        let own = try link(stage, file, items)
        let byHand = try linkByHand(stage, file, items)
        return own / byHand
    }

    private static func link(_ stage: Stage, _ file: URL, _ items: Int) throws -> Double {
        let context = stage.context(try stage.coordinator(file))
        return try context.performAndWait {
            let tags = (0..<Self.tags).map { number in
                let tag = Tag(context: context)
                tag.number = Int64(number)
                return tag
            }
            try context.save()
            let all = Set(tags)
            return try stage.time {
                for start in stride(from: 0, to: items, by: 1_000) {
                    for number in start..<min(start + 1_000, items) {
                        let item = Item(context: context)
                        item.number = Int64(number)
                        item.text = "linked"
                        item.setValue(all, forKey: "tags")
                    }
                    try context.save()
                    for tag in tags { context.refresh(tag, mergeChanges: false) }
                }
            }
        }
    }

    private static func linkByHand(_ stage: Stage, _ file: URL, _ items: Int) throws -> Double {
        let raw = try RawDatabase(file, tuning: .asFramework)
        try raw.execute(
            "CREATE TABLE copy (a INTEGER, b INTEGER, PRIMARY KEY (a, b)); CREATE INDEX back ON copy (b, a)")
        let insert = try raw.prepare("INSERT INTO copy VALUES (?, ?)")
        return try stage.time {
            for start in stride(from: 0, to: items, by: 1_000) {
                try raw.transaction {
                    for item in start..<min(start + 1_000, items) {
                        for tag in 0..<Self.tags {
                            insert.bind(Int64(item), 1)
                            insert.bind(Int64(tag), 2)
                            try insert.run()
                        }
                    }
                }
            }
        }
    }
}
