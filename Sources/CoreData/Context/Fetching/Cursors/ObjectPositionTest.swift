// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides whether an object of a context is after a position, by its present values. Cursors-5.

struct ObjectPositionTest {
    private let test: PagingTest
    private let start: FetchPosition?
    private let ties: TieBreaking

    init(_ paging: FetchPaging, _ sorting: [PreparedFetch.Sort], _ ties: TieBreaking) throws {
        test = try PagingTest(paging, sorting)
        start = paging.start
        self.ties = ties
    }

    func includes(_ object: NSManagedObject) throws -> Bool {
        try test.includes(object) { start.map { ties.follows(object, $0) } ?? true }
    }
}
