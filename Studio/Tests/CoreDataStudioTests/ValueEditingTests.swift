// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Edits of values with parts, of data, of archives, and of texts that a cell truncates.

import CoreData
import CoreDataToolKit
import Foundation
import StudioSample
import Testing

@testable import CoreDataStudio

/// Proves: Studio-E7, Studio-S8
@Suite("Values that are no single line are edited without loss")
struct ValueEditingTests {
    private let sample: SampleStore
    private let site: Site

    init() throws {
        sample = try SampleStore(books: ["Dune"])
        site = Site(session: try sample.session())
    }

    private func set(_ property: String, _ value: String?) async throws -> (status: Int, text: String) {
        let body = try JSONEncoder().encode(["object": "Book/1", "property": property, "value": value])
        return await site.post("set", String(decoding: body, as: UTF8.self))
    }

    /// The value that another program reads after a save.
    private func saved<Value>(_ key: String, as type: Value.Type = Value.self) async throws -> Value? {
        #expect(await site.post("save").status == 200)
        var value: Value?
        try sample.edit { context in
            value =
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).first?.value(forKey: key)
                as? Value
        }
        return value
    }

    @Test func aCompositeHasAFieldForEachElement() async throws {
        let card = await site.ask(["object", "Book", "1"]).text
        for name in ["size.width", "size.height", "size.unit"] { #expect(card.contains("data-property=\"\(name)\"")) }
        #expect(try await set("size.width", "12.5").status == 200)
        #expect(try await set("size.unit", "cm").status == 200)
        let size = try #require(try await saved("size", as: [String: Any].self))
        #expect(size["width"] as? Double == 12.5 && size["unit"] as? String == "cm" && size["height"] == nil)
        #expect(try await set("size.width", nil).status == 200)
        #expect(try await saved("size", as: [String: Any].self)?.keys.sorted() == ["unit"])
        #expect(try await set("size.unit", nil).status == 200)
        #expect(try await saved("size", as: [String: Any].self) == nil)
    }

    @Test func oneElementIsOneStepOfUndo() async throws {
        _ = try await set("size.width", "1")
        _ = try await set("size.height", "2")
        _ = await site.post("undo")
        let size = try #require(try await saved("size", as: [String: Any].self))
        #expect(size["width"] as? Double == 1 && size["height"] == nil)
    }

    @Test func dataIsEditedAsText() async throws {
        #expect(await site.ask(["object", "Book", "1"]).text.contains("&quot;colour&quot;: &quot;sand&quot;"))
        #expect(try await set("facts", #"{"colour": "red"}"#).status == 200)
        #expect(try await saved("facts") == Data(#"{"colour": "red"}"#.utf8))
    }

    @Test func aFileReplacesData() async throws {
        let file = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        let answer = await site.post(file: file, to: "cover", of: "1")
        #expect(answer.status == 200)
        #expect(try await saved("cover") == file)
        let response = await site.respond(
            to: SiteRequest(
                path: [site.guards.token, "blob", "Book", "1", "cover"], headers: ["host": "127.0.0.1:\(Site.port)"]),
            port: Site.port)
        guard case .data(let data) = response.body else {
            Issue.record("no data")
            return
        }
        #expect(data == file)
        #expect(
            !(await site.ask(["object", "Book", "1"]).text.contains("<textarea class=\"code\" id=\"field-cover\"")))
    }

    @Test func aPlainArchiveIsEditedAsJSON() async throws {
        #expect(try await set("tags", #"["classic", "desert", 3, true]"#).status == 200)
        let tags = try #require(try await saved("tags", as: [Any].self))
        #expect(tags as NSArray == ["classic", "desert", 3, true] as NSArray)
        #expect(
            await site.ask(["object", "Book", "1"]).text.contains("[&quot;classic&quot;, &quot;desert&quot;, 3, true]"))
    }

    @Test func anArchiveOfMoreThanJSONIsShownAlone() async throws {
        try sample.edit { context in
            for book in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")) {
                book.setValue([Date(timeIntervalSinceReferenceDate: 0)] as NSArray, forKey: "tags")
            }
        }
        let card = await Site(session: try sample.session()).ask(["object", "Book", "1"]).text
        #expect(card.contains("2001-01-01T00:00:00Z"))
        #expect(!card.contains("data-property=\"tags\""))
        #expect(card.contains("data-upload=\"tags\""))
    }

    @Test(arguments: [
        ("size.width", "wide"), ("size.depth", "1"), ("size", "x"), ("tags", "[1"), ("tags", ""), ("title.x", "1"),
    ])
    func aWrongValueIsRefused(_ property: String, _ value: String) async throws {
        let answer = try await set(property, value)
        #expect(answer.status == 422)
        #expect(answer.text.contains("\"changes\":0"))
    }

    @Test func aFileIsPutNowhereElse() async {
        for property in ["title", "size", "size.width", "author", "nothing"] {
            #expect(await site.post(file: Data([1]), to: property, of: "1").status == 422)
        }
        let answer = await site.post(file: Data("no archive".utf8), to: "tags", of: "1")
        #expect(answer.status == 422)
        #expect(answer.text.contains("archive"))
        #expect(await site.post(file: Data([1]), to: "cover", of: "99").status == 404)
    }

    @Test func aTextThatACellCutsIsEditedInADialog() async throws {
        let long = String(repeating: "long ", count: 100)
        for title in [long, "two\nlines", "bell\u{7}"] {
            let sample = try SampleStore(books: [title])
            let site = Site(session: try sample.session())
            let grid = await site.ask(["data", "Book"]).text
            #expect(grid.contains("data-dialog=\"title\"") && !grid.contains("data-editable=\"title\""))
            let field = await site.ask(["edit", "field", "Book", "1", "title"])
            #expect(field.status == 200)
            #expect(field.text.contains("data-property=\"title\"") != title.contains("\u{7}"))
        }
        #expect(await site.ask(["data", "Book"]).text.contains("data-editable=\"title\""))
        #expect(await site.ask(["edit", "field", "Book", "1", "nothing"]).status == 404)
    }

    @Test func linesKeepTheirEnds() async throws {
        _ = try await set("title", "one\r\ntwo")
        let card = await site.ask(["object", "Book", "1"]).text
        #expect(card.contains("one\ntwo</textarea>"))
        #expect(try await set("title", "one\ntwo\nthree").status == 200)
        #expect(try await saved("title") == "one\r\ntwo\r\nthree")
    }

    @Test func theBodyOfARefusedRequestIsNotRead() {
        let origin = "http://127.0.0.1:\(Site.port)"
        var request = SiteRequest(
            method: "POST", path: [site.guards.token, "edit", "data", "Book", "1", "cover"],
            headers: ["host": "127.0.0.1:\(Site.port)", "origin": origin, "x-studio-key": site.guards.key])
        #expect(site.bodyLimit(of: request, port: Site.port) == 100_000_000)
        request.path = [site.guards.token, "edit", "set"]
        #expect(site.bodyLimit(of: request, port: Site.port) == 4_000_000)
        request.headers["x-studio-key"] = "wrong"
        #expect(site.bodyLimit(of: request, port: Site.port) == 0)
    }
}
