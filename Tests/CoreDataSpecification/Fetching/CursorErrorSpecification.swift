// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the errors of cursors: those of other requests, entities and versions, and changed or invented texts.

#if !canImport(ObjectiveC)
    import CoreData
    import CoreDataTestSupport
    import Foundation
    import Testing

    @Suite("Cursors that do not fit") struct CursorErrorSpecification {
        private let key = Data("a key of the server".utf8)

        private func shop(_ kind: StoreKind = .sqlite) throws -> Bookshop {
            let shop = try Bookshop(in: kind)
            for number in 0..<6 { shop.book("Book \(number)", pages: number) }
            for number in 0..<6 { _ = shop.author("Author \(number)") }
            try shop.context.save()
            return shop
        }

        private func request(_ format: String? = nil, key: String = "pages", ascending: Bool = true)
            -> NSFetchRequest<Book>
        {
            let request = Book.request()
            request.predicate = format.map { NSPredicate(format: $0) }
            request.sortDescriptors = [NSSortDescriptor(key: key, ascending: ascending)]
            return request
        }

        /// The error of a page; nil if the page can be read.
        private func failure(
            _ request: NSFetchRequest<Book>, _ cursor: FetchCursor?, _ context: NSManagedObjectContext,
            size: Int = 2, key: Data? = nil
        ) throws -> FetchCursorError? {
            do {
                _ = try context.page(request, after: cursor, size: size, signedWith: key)
                return nil
            } catch let error as FetchCursorError {
                return error
            }
        }

        @Test("a cursor fits only its request", arguments: StoreKind.all)
        func otherRequest(kind: StoreKind) throws {
            let shop = try shop(kind)
            let author = try shop.context.fetch(NSFetchRequest<Author>(entityName: "Author"))[0]
            let cursor = try #require(try shop.context.page(request("pages >= 0"), size: 2).next)
            #expect(try failure(request("pages >= 0"), cursor, shop.context) == nil)
            let others = [
                request("pages >= 1"), request(), request("pages >= 0", key: "title"),
                request("pages >= 0", ascending: false), request("pages > 0"),
            ]
            for other in others {
                let error = try failure(other, cursor, shop.context)
                #expect(error?.reason == .otherRequest)
                #expect(error?.entityName == "Book")
            }
            let byAuthor = request()
            byAuthor.predicate = NSPredicate(format: "author == %@ OR pages > 0", author)
            let itsCursor = try #require(try shop.context.page(byAuthor, size: 2).next)
            let context = shop.stack.newContext()
            let again = request()
            again.predicate = NSPredicate(format: "author == %@ OR pages > 0", author.objectID)
            #expect(try failure(again, itsCursor, context) == nil)
            let authors = NSFetchRequest<Author>(entityName: "Author")
            var reason: FetchCursorError.Reason?
            do {
                _ = try shop.context.page(authors, after: cursor, size: 2)
            } catch let error as FetchCursorError {
                reason = error.reason
            }
            #expect(reason == .otherEntity)
        }

        @Test("a cursor of another version of the entity is an error, also of an entity in the order")
        func otherVersion() throws {
            let shop = try shop()
            let cursor = try #require(try shop.context.page(request(key: "author.name"), size: 2).next)
            for name in ["Book", "Author"] {
                let model = BookshopModel.make()
                try #require(model.entitiesByName[name]).versionHashModifier = "new"
                let other = try Stack(.inMemory, model)
                let error = try failure(request(key: "author.name"), cursor, other.context)
                #expect(error?.reason == .otherModel, "\(name)")
            }
        }

        @Test("every changed character is found", arguments: [true, false])
        func tampering(isSigned: Bool) throws {
            let shop = try shop()
            let secret = isSigned ? key : nil
            let cursor = try #require(try shop.context.page(request(), size: 2, signedWith: secret).next)
            #expect(try failure(request(), cursor, shop.context, key: secret) == nil)
            let text = Array(cursor.rawValue)
            for position in text.indices {
                var changed = text
                changed[position] = changed[position] == "A" ? "B" : "A"
                let error = try failure(request(), FetchCursor(rawValue: String(changed)), shop.context, key: secret)
                #expect(error?.reason == .altered, "\(position)")
            }
            for length in 0..<text.count {
                let short = FetchCursor(rawValue: String(text.prefix(length)))
                let error = try failure(request(), short, shop.context, key: secret)
                #expect([.malformed, .altered].contains(error?.reason), "\(length)")
            }
        }

        @Test("a cursor needs the key that signed it")
        func keys() throws {
            let shop = try shop()
            let long = Data(repeating: 7, count: 100)
            let secrets: [Data?] = [nil, key, long, Data()]
            for secret in secrets {
                let cursor = try #require(try shop.context.page(request(), size: 2, signedWith: secret).next)
                for other in secrets {
                    let error = try failure(request(), cursor, shop.context, key: other)
                    #expect(error?.reason == (other == secret ? nil : .altered))
                }
            }
        }

        @Test("invented texts are errors, never traps")
        func invented() throws {
            let shop = try shop()
            var random = SeededGenerator(seed: 44)
            let texts =
                ["", "=", "a", "é", "\0", "....", "{}", "AAAA+/==", String(repeating: "A", count: 5_000)]
                + (0..<200).map { _ in
                    let count = Int.random(in: 0..<200, using: &random)
                    let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                    return Data(bytes).base64EncodedString()
                        .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
                }
            for text in texts {
                let error = try failure(request(), FetchCursor(rawValue: text), shop.context)
                #expect([.malformed, .altered].contains(error?.reason), "\(text)")
            }
        }

        @Test("requests without pages are errors that name entity and property")
        func unsupported() throws {
            let shop = try shop()
            for (key, name) in [("author", "author"), ("keywords", "keywords")] {
                let error = try failure(request(key: key), nil, shop.context)
                #expect(error?.reason == .unsupportedOrder)
                #expect(error?.propertyName == name)
                #expect(error?.description.contains("'Book.\(name)'") == true)
            }
            let limited = request()
            limited.fetchLimit = 3
            #expect(try failure(limited, nil, shop.context)?.reason == .unsupportedRequest)
            let moved = request()
            moved.fetchOffset = 3
            #expect(try failure(moved, nil, shop.context)?.reason == .unsupportedRequest)
            for size in [0, -1, Int.min, Int.max] {
                #expect(try failure(request(), nil, shop.context, size: size)?.reason == .unsupportedRequest)
            }
            let unknown = request(key: "pges")
            #expect(throws: CocoaError.self) { try shop.context.page(unknown, size: 2) }
        }

        @Test("a cursor at an unsaved object fits the contexts that know it", arguments: StoreKind.all)
        func unsaved(kind: StoreKind) throws {
            let shop = try shop(kind)
            for number in 0..<3 { shop.book("New", pages: -number) }
            let cursor = try #require(try shop.context.page(request(), size: 2).next)
            #expect(try failure(request(), cursor, shop.context) == nil)
            #expect(try failure(request(), cursor, shop.stack.newContext())?.reason == .unsavedObject)
        }
    }
#endif
