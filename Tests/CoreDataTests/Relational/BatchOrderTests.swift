// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The places in a file of members that a batch insertion adds to an order: other tools read them, too.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Orders after a batch insertion") struct BatchOrderTests {
    @Test("each new member has a greater place in the file than the member before it") func places() throws {
        let shop = try Bookshop(in: .sqlite)
        let book = shop.book("Dune")
        try shop.context.save()
        let rows: [[String: Any]] = ["a", "b", "c"].map { ["heading": $0, "book": book.objectID] }
        try shop.context.execute(NSBatchInsertRequest(entityName: "Chapter", objects: rows))
        let connection = try Connection(url: shop.stack.url, options: .init(access: .readOnly))
        let places = try connection.rows("SELECT Z_FOK_BOOK FROM ZCHAPTER ORDER BY ZHEADING").compactMap {
            $0[0].integerValue
        }
        try connection.close()
        #expect(places.count == 3 && Set(places).count == 3)
        #expect(places == places.sorted())
    }
}
