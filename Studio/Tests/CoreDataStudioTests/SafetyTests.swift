// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Requests that are refused, and text that stays text.

import CoreData
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import CoreDataStudio

/// Proves: Studio-S2, Studio-S3, Studio-S4, Studio-S5, Studio-S6, Studio-S7, Studio-S8
@Suite("Studio answers only its own pages, and never makes markup of text")
struct SafetyTests {
    private let sample: SampleStore
    private let site: Site

    init() throws {
        sample = try SampleStore()
        site = Site(session: try sample.session())
    }

    private func status(
        _ path: [String], _ headers: [String: String] = [:], method: String = "GET", host: String = "127.0.0.1:4711"
    ) async -> Int {
        let all = headers.merging(["host": host]) { first, _ in first }
        return await site.respond(
            to: SiteRequest(method: method, path: path, headers: all), port: Site.port
        ).status
    }

    @Test func aPathWithoutTheTokenIsNotFound() async {
        #expect(await status([]) == 404)
        #expect(await status(["data", "Book"]) == 404)
        #expect(await status([String(site.guards.token.dropLast()) + "!"]) == 404)
        #expect(await status([site.guards.token]) == 200)
        #expect(site.guards.token.count == 26)
        #expect(SiteGuard().token != site.guards.token)
    }

    @Test func anotherHostOrOriginIsRefused() async {
        let path = [site.guards.token]
        #expect(await status(path, host: "evil.example") == 421)
        #expect(await status(path, host: "127.0.0.1:80") == 421)
        #expect(await status(path, host: "localhost:4711") == 200)
        #expect(await status(path, ["origin": "http://evil.example"]) == 403)
        #expect(await status(path, ["sec-fetch-site": "cross-site"]) == 403)
    }

    @Test func aWriteNeedsOriginAndKey() async {
        let path = [site.guards.token, "edit", "undo"]
        let origin = ["origin": "http://127.0.0.1:4711"]
        #expect(await status(path, method: "POST") == 403)
        #expect(await status(path, origin, method: "POST") == 403)
        #expect(await status(path, ["x-studio-key": site.guards.key], method: "POST") == 403)
        #expect(await status(path, origin.merging(["x-studio-key": site.guards.token]) { $1 }, method: "POST") == 403)
        #expect(await status(path, origin.merging(["x-studio-key": site.guards.key]) { $1 }, method: "POST") == 200)
        #expect(await status(path, origin, method: "DELETE") == 405)
    }

    @Test(arguments: [
        ["static", "../studio.css"], ["static", "studio.css", ".."], ["static", "/etc/passwd"], ["static", ".."],
        ["blob", "Book", "1", "../../etc/passwd"], ["object", "..", ".."], ["data", "../Book"],
        ["export", "Book.sqlite"],
    ])
    func noPathReachesTheFileSystem(_ path: [String]) async {
        let answer = await site.ask(path)
        #expect(answer.status == 404)
        #expect(!answer.text.contains("root:"))
    }

    @Test func textOfTheStoreStaysText() async throws {
        let evil = "<script>alert('1')</script>\"><img src=x onerror=alert(2)>"
        let hostile = try SampleStore(books: [evil])
        let site = Site(session: try hostile.session())
        let pages: [([String], [String: String])] = [
            (["data", "Book"], [:]), (["rows", "Book"], [:]), (["object", "Book", "1"], ["trail": "Author/1"]),
            (["object", "Author", "1"], [:]), (["history"], [:]), (["doctor"], [:]), (["statistics"], [:]),
            (["model"], [:]), (["data", "Book"], ["q": evil]),
            (["edit", "deletion", "Book", "1"], [:]), (["object", evil, "1"], [:]), (["explain", "Book"], ["q": evil]),
            (["data", "Book"], ["sort": evil]), (["data", "Book"], ["hide": evil]),
            (["data", "Book"], ["search": evil]), (["rows", "Book"], ["search": "onerror"]),
        ]
        for (path, query) in pages {
            let text = await site.ask(path, query: query).text
            #expect(!text.contains("<script>alert"), "\(path)")
            #expect(!text.contains("<img src=x"), "\(path)")
            // Markup of the pages is not escaped by mistake either.
            #expect(!text.contains("&lt;p class") && !text.contains("&lt;div"), "\(path)")
        }
    }

    @Test func markedTextStaysText() async throws {
        let hostile = try SampleStore(books: ["<script>alert(1)</script> <mark>\"img\" src='x'</mark>"])
        let site = Site(session: try hostile.session())
        let text = await site.ask(["rows", "Book"], query: ["search": "script img src"]).text
        #expect(text.contains("&lt;<mark>script</mark>&gt;alert(1)&lt;/<mark>script</mark>&gt;"))
        #expect(text.contains("&lt;mark&gt;&quot;<mark>img</mark>&quot; <mark>src</mark>=&#39;x&#39;&lt;/mark&gt;"))
    }

    @Test func everyAnswerForbidsInlineScripts() async throws {
        for path in [[], ["data", "Book"], ["static", "studio.js"], ["nothing"]] {
            let response = await site.respond(
                to: SiteRequest(path: [site.guards.token] + path, headers: ["host": "127.0.0.1:4711"]), port: 4711)
            let policy = try #require(response.headers["content-security-policy"])
            #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
            #expect(response.headers["referrer-policy"] == "same-origin")
            let text = await site.text(response).text
            #expect(!text.contains(" style=\"") && !text.contains(" onclick="))
        }
    }

    @Test func dataIsADownloadUnlessItIsAnImage() async throws {
        let markup = Data("<html><script>alert(1)</script></html>".utf8)
        let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0])
        #expect(DataKind(markup).imageType == nil)
        #expect(DataKind(png).imageType == "image/png")
        try sample.edit { context in
            for book in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).prefix(1) {
                book.setValue(markup, forKey: "cover")
            }
        }
        let site = Site(session: try sample.session(isWritable: false))
        let names = ["1", "2", "3"]
        var downloads = 0
        for name in names {
            let response = await site.respond(
                to: SiteRequest(
                    path: [site.guards.token, "blob", "Book", name, "cover"], headers: ["host": "127.0.0.1:4711"]),
                port: 4711)
            if response.status == 200, response.headers["content-type"] == "application/octet-stream",
                response.headers["content-disposition"]?.hasPrefix("attachment") == true
            {
                downloads += 1
            }
        }
        #expect(downloads == 1)
    }

    @Test func theServerCarriesAnswersOverHTTP() async throws {
        let responder = StudioResponder(site: site)
        let application = StudioServer.application(port: 0, responder: responder)
        let token = site.guards.token
        // Browsers leave out this port in Host, and the test client does so, too.
        responder.setPort(80)
        let (page, missing, css) = try await application.test(.router) { client in
            (
                try await client.executeRequest(
                    uri: "/\(token)/data/Book?q=pages%20%3E%201", method: .get, headers: [:], body: nil),
                try await client.executeRequest(uri: "/", method: .get, headers: [:], body: nil),
                try await client.executeRequest(
                    uri: "/\(token)/static/studio.css", method: .get, headers: [:], body: nil)
            )
        }
        #expect(page.status == .ok)
        #expect(String(buffer: page.body).contains("2 objects"))
        #expect(missing.status == .notFound)
        #expect(css.headers[.contentType] == "text/css; charset=utf-8")
        #expect(css.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
    }
}
