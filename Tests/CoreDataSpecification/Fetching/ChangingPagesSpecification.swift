// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that the pages of a changing list show each unchanged object once, in order: random changes in every store.

#if !canImport(ObjectiveC)
    import CoreData
    import CoreDataTestSupport
    import Foundation
    import Testing

    @Suite("Pages of a changing list") struct ChangingPagesSpecification {
        private static let keys = [
            "pages", "rating", "price", "published", "title", "inPrint", "identifier", "author.name",
        ]

        /// One random walk over the pages.
        private struct Walk {
            var random: SeededGenerator
            let stack: Stack
            let request = Book.request()
            /// Books that a change may have moved.
            var touched: Set<NSManagedObjectID> = []

            init(_ kind: StoreKind, seed: UInt64) throws {
                random = SeededGenerator(seed: seed)
                stack = try Stack(kind, BookshopModel.make())
                stack.context.mergePolicy = NSMergePolicy.overwrite
                for number in 0..<4 where number != 2 {
                    let author = Author(context: stack.context)
                    author.name = "\(number % 2)"
                }
                try stack.context.save()
                for _ in 0..<40 { try fill(Book(context: stack.context)) }
                try stack.context.save()
                request.sortDescriptors = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    let key = ChangingPagesSpecification.keys.randomElement(using: &random) ?? ""
                    let isLocal = key == "title" && Bool.random(using: &random)
                    return NSSortDescriptor(
                        key: key, ascending: Bool.random(using: &random),
                        selector: Selector(isLocal ? "localizedStandardCompare:" : "compare:"))
                }
                if Bool.random(using: &random) { request.predicate = NSPredicate(format: "pages < 4") }
            }

            /// Values of few kinds, so that many are equal, and nil.
            mutating func fill(_ book: Book) throws {
                func some(_ value: Any) -> Any? { Bool.random(using: &random) ? value : nil }
                let number = Int.random(in: 0..<5, using: &random)
                book.title = ["b", "B", "a10", "a9", "é"][number]
                book.pages = Int.random(in: 0..<5, using: &random)
                book.setValue(some(Double(number) / 3), forKey: "rating")
                book.setValue(some(NSDecimalNumber(string: "\(number).1")), forKey: "price")
                book.setValue(some(Date(timeIntervalSinceReferenceDate: Double(number) / 7)), forKey: "published")
                book.setValue(some(UUID()), forKey: "identifier")
                book.setValue(Bool.random(using: &random), forKey: "inPrint")
                let authors = try book.managedObjectContext?.fetch(NSFetchRequest<Author>(entityName: "Author")) ?? []
                book.author = Bool.random(using: &random) ? authors.randomElement(using: &random) : nil
            }

            private static func fresh<T>(_ request: NSFetchRequest<T>) -> NSFetchRequest<T> {
                request.shouldRefreshRefetchedObjects = true
                return request
            }

            /// Changes some books in a context; saves them there or not.
            mutating func change(in context: NSManagedObjectContext) throws {
                for _ in 0..<Int.random(in: 0..<4, using: &random) {
                    let books = try context.fetch(Self.fresh(Book.request()))
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: try fill(Book(context: context))
                    case 1:
                        guard let book = books.randomElement(using: &random) else { continue }
                        touched.insert(book.objectID)
                        context.delete(book)
                    case 2:
                        let authors = try context.fetch(Self.fresh(NSFetchRequest<Author>(entityName: "Author")))
                        guard let author = authors.randomElement(using: &random) else { continue }
                        touched.formUnion(books.filter { $0.author == author }.map(\.objectID))
                        author.name = "\(Int.random(in: 0..<3, using: &random))"
                    default:
                        guard let book = books.randomElement(using: &random) else { continue }
                        touched.insert(book.objectID)
                        try fill(book)
                    }
                }
            }

            mutating func pages() throws -> [NSManagedObjectID] {
                var shown: [NSManagedObjectID] = []
                var next: FetchCursor?
                for _ in 0..<200 {
                    let size = Int.random(in: 1...7, using: &random)
                    let page = try stack.context.page(request, after: next, size: size)
                    shown += page.results.map(\.objectID)
                    guard page.next != nil else { break }
                    next = page.next
                    if Bool.random(using: &random) {
                        try change(in: stack.context)
                        if Bool.random(using: &random) { try stack.context.save() }
                    } else if !stack.context.hasChanges {
                        let other = stack.newContext()
                        try change(in: other)
                        try other.save()
                    }
                }
                return shown
            }
        }

        @Test("each unchanged object is shown once, in order", arguments: StoreKind.all)
        func unchanged(kind: StoreKind) throws {
            for seed in 0..<12 as Range<UInt64> {
                var walk = try Walk(kind, seed: seed)
                let before = try walk.stack.context.fetch(walk.request).map(\.objectID)
                let shown = try walk.pages()
                let unchanged = before.filter { !walk.touched.contains($0) }
                let order = shown.filter { unchanged.contains($0) }
                #expect(order == unchanged, "seed \(seed): \(walk.request.sortDescriptors ?? [])")
            }
        }
    }
#endif
