// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// SQL queries in query generations, with unsaved objects, and over columns that queries do not read.

#if !canImport(ObjectiveC)
    import CoreData
    import CoreDataTestSupport
    import Foundation
    import Testing

    @Suite("SQL queries beside the common ones") struct UnsavedQuerySpecification {
        private func error(_ context: NSManagedObjectContext, _ query: SQLQuery) -> SQLQueryError? {
            do {
                _ = try context.rows(query, as: Int?.self)
                return nil
            } catch { return error as? SQLQueryError }
        }

        @Test("a plan in a generation is the one of its moment's store") func plan() throws {
            let shop = try Bookshop(in: .sqlite)
            shop.book("Dune")
            try shop.context.save()
            let context = shop.stack.newContext()
            try context.setQueryGenerationFrom(.current)
            let query: SQLQuery = "SELECT count(*) FROM Book WHERE author.name = 'Frank'"
            #expect(try context.rows(query, as: Int.self) == [0])
            let plan = try context.explain(query)
            #expect(plan.description.contains("ZBOOK"))
            #expect(try plan == shop.stack.newContext().explain(query))
        }

        @Test("an unsaved object, large data and whole composites are named as what no query reads") func names() throws
        {
            let museum = try Museum(in: .sqlite)
            let exhibit = museum.stack.insert("Exhibit")
            exhibit.setValue("vase", forKey: "name")
            let room = museum.stack.insert("Room")
            room.setValue("hall", forKey: "name")
            let unsaved = error(museum.context, "SELECT count(*) FROM Exhibit WHERE room = \(room.objectID)")
            #expect(unsaved?.description.contains("'Room' is unsaved") == true)
            museum.context.rollback()
            let large = error(museum.context, "SELECT count(scan) FROM Exhibit")
            #expect(large?.reason == .unknownName)
        }
    }
#endif
