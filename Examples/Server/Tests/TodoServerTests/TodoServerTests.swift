// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The API as clients see it, and many of them at once.

import CoreData
import Foundation
import Hummingbird
import HummingbirdTesting
import Testing
import TodoServer

/// The status and the body of an answer.
private struct Answer: Sendable {
    let status: HTTPResponse.Status
    let body: Data

    init(_ response: TestResponse) { (status, body) = (response.status, Data(response.body.readableBytesView)) }

    var todos: [TodoValue] { (try? JSONDecoder().decode([TodoValue].self, from: body)) ?? [] }
    var todo: TodoValue? { try? JSONDecoder().decode(TodoValue.self, from: body) }
}

extension TestClientProtocol {
    fileprivate func ask(
        _ method: HTTPRequest.Method, _ uri: String, _ body: String? = nil
    ) async throws -> Answer {
        Answer(try await execute(uri: uri, method: method, body: body.map { ByteBuffer(string: $0) }))
    }
}

@Suite("To-do server") struct TodoServerTests {
    private func server(at url: URL? = nil) async throws -> some ApplicationProtocol {
        Application(router: todoRouter(try await TodoStore(at: url)))
    }

    @Test("a to-do is added, listed, marked and removed") func life() async throws {
        let answers = try await server().test(.router) { client in
            let added = try await client.ask(.post, "/todos", #"{"project": "Home", "title": "Bread"}"#)
            let id = added.todo?.id.uuidString ?? ""
            return [
                added, try await client.ask(.patch, "/todos/\(id)", #"{"isDone": true}"#),
                try await client.ask(.get, "/todos?project=Home"), try await client.ask(.delete, "/todos/\(id)"),
                try await client.ask(.delete, "/todos/\(id)"),
            ]
        }
        #expect(answers.map(\.status) == [.created, .ok, .ok, .noContent, .notFound])
        #expect(answers[0].todo?.title == "Bread")
        #expect(answers[2].todos.map(\.isDone) == [true])
    }

    @Test("a value that the model refuses is 422, with the property, and leaves nothing") func refused() async throws {
        let (refused, left) = try await server().test(.router) { client in
            let refused = try await client.ask(.post, "/todos", #"{"project": "Home", "title": ""}"#)
            return (refused, try await client.ask(.get, "/todos"))
        }
        #expect(refused.status == .unprocessableContent)
        let sentences = try JSONDecoder().decode([String: String].self, from: refused.body)
        #expect(sentences.keys.sorted() == ["title"])
        #expect(left.status == .ok && left.todos.isEmpty)
    }

    @Test("parallel requests for a new project make one", arguments: [400]) func load(count: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "Server-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try await server(at: folder.appending(path: "Todos.sqlite"))
        let (statuses, seconds, all, one) = try await server.test(.router) { client in
            let start = ContinuousClock.now
            let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                for number in 0..<count {
                    let text = #"{"project": "Project \#(number % 10)", "title": "To-do \#(number)"}"#
                    group.addTask { try await client.ask(.post, "/todos", text).status }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            let all = try await client.ask(.get, "/todos?limit=1000").todos
            return (statuses, seconds, all, try await client.ask(.get, "/todos?project=Project%203").todos)
        }
        print("load test: \(count) parallel insertions in \(seconds) s")
        #expect(statuses == [.created: count])
        #expect(all.count == count && Set(all.map(\.project)).count == 10)
        #expect(one.count == count / 10)
    }
}
