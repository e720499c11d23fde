// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A small store of authors and books in a separate folder.

import CoreData
import Foundation
import StudioSample

@testable import CoreDataStudio

/// A folder with a store, removed with this value.
final class SampleStore {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("studio-\(UUID().uuidString)")
    var url: URL { folder.appendingPathComponent("Shop.sqlite") }

    /// - Parameter books: titles; each has the author "Frank Herbert" and its place as its number of pages.
    init(books: [String] = ["Dune", "Dune Messiah", "Children of Dune"]) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try edit { try SampleShop.fill($0, titles: books, author: "Frank Herbert") }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func session(isWritable: Bool = true) throws -> StudioSession {
        try StudioSession(path: url.path, isWritable: isWritable)
    }

    /// Another program's work.
    func edit(_ body: (NSManagedObjectContext) throws -> Void) throws { try SampleShop.edit(url, body) }

    func titles() throws -> [String] {
        var titles: [String] = []
        try edit { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            titles = try context.fetch(request).compactMap { $0.value(forKey: "title") as? String }.sorted()
        }
        return titles
    }
}

extension Site {
    static let port = 4711

    /// Sends a request as a page of this site does.
    func ask(_ path: [String], query: [String: String] = [:]) async -> (status: Int, text: String) {
        await text(
            respond(
                to: SiteRequest(
                    path: [guards.token] + path, query: query, headers: ["host": "127.0.0.1:\(Self.port)"]),
                port: Self.port))
    }

    func post(_ action: String, _ body: String = "{}") async -> (status: Int, text: String) {
        await text(
            respond(
                to: SiteRequest(
                    method: "POST", path: [guards.token, "edit", action],
                    headers: [
                        "host": "127.0.0.1:\(Self.port)", "origin": "http://127.0.0.1:\(Self.port)",
                        "x-studio-key": guards.key,
                    ], body: Data(body.utf8)), port: Self.port))
    }

    /// Sends a file for an attribute of a book.
    func post(file: Data, to property: String, of id: String) async -> (status: Int, text: String) {
        await text(
            respond(
                to: SiteRequest(
                    method: "POST", path: [guards.token, "edit", "data", "Book", id, property],
                    headers: [
                        "host": "127.0.0.1:\(Self.port)", "origin": "http://127.0.0.1:\(Self.port)",
                        "x-studio-key": guards.key,
                    ], body: file), port: Self.port))
    }

    func text(_ response: SiteResponse) async -> (status: Int, text: String) {
        switch response.body {
        case .data(let data): return (response.status, String(decoding: data, as: UTF8.self))
        case .stream(let stream):
            var data = Data()
            do {
                for try await piece in stream { data += piece }
            } catch {
                return (599, "\(error)")
            }
            return (response.status, String(decoding: data, as: UTF8.self))
        }
    }
}
