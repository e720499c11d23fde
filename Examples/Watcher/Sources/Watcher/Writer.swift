// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The other process: saves random changes, and a last one that the list waits for.

import CoreData

enum Writer {
    /// The title of the last insertion.
    static let farewell = "lock the door"

    private static let rooms = ["Cellar", "Garden", "Kitchen", "Study"]
    private static let chores = ["air", "dust", "mend the lamp", "paint", "sweep", "tidy up", "wash the windows"]

    /// - Parameter count: the number of saves.
    static func run(_ path: String, count: Int) throws {
        let context = Store.container(path).newBackgroundContext()
        try context.performAndWait {
            context.transactionAuthor = "writer"
            for _ in 0..<count - 1 {
                try change(context)
                try context.save()
                usleep(20_000)
            }
            insert(farewell, in: context)
            try context.save()
        }
    }

    private static func change(_ context: NSManagedObjectContext) throws {
        let known = try context.fetch(Chore.request())
        guard let chore = known.randomElement(), Int.random(in: 0..<3) > 0 else {
            return insert(chores.randomElement() ?? "", in: context)
        }
        switch Int.random(in: 0..<4) {
        case 0: context.delete(chore)
        case 1: chore.room = rooms.randomElement() ?? ""
        default: chore.title = chores.randomElement() ?? ""
        }
    }

    private static func insert(_ title: String, in context: NSManagedObjectContext) {
        let chore = Chore(context: context)
        chore.title = title
        chore.room = rooms.randomElement() ?? ""
    }
}
