// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The JSON API: routes, and the statuses of errors.

import CoreData
import Foundation
public import Hummingbird

extension TodoValue: ResponseEncodable {}

struct NewTodo: Decodable { let project, title: String }
struct Mark: Decodable { let isDone: Bool }

/// The routes of the API.
public func todoRouter(_ store: TodoStore) -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: ErrorStatuses())
    router.get("todos") { request, _ in
        let limit = request.uri.queryParameters.get("limit", as: Int.self) ?? 100
        return try await store.todos(
            of: request.uri.queryParameters.get("project"), limit: min(max(limit, 1), 1000))
    }
    router.post("todos") { request, context in
        let new = try await request.decode(as: NewTodo.self, context: context)
        let todo = try await store.add(new.title, to: new.project)
        return EditedResponse(status: .created, response: todo)
    }
    router.patch("todos/:id") { request, context in
        let mark = try await request.decode(as: Mark.self, context: context)
        guard let todo = try await store.mark(try context.parameters.require("id", as: UUID.self), done: mark.isDone)
        else { throw HTTPError(.notFound) }
        return todo
    }
    router.delete("todos/:id") { _, context in
        guard try await store.remove(try context.parameters.require("id", as: UUID.self)) else {
            throw HTTPError(.notFound)
        }
        return HTTPResponse.Status.noContent
    }
    return router
}

/// Converts errors of Core Data to statuses: 422 with a sentence for each property, 409 for a conflict, 503 when busy.
struct ErrorStatuses<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as CocoaError {
            switch error.code.rawValue {
            case 1550...1690:
                let single = error.userInfo[NSDetailedErrorsKey] as? [CocoaError] ?? [error]
                let sentences = Dictionary(single.map { ($0.validationKey ?? "", $0.localizedDescription) }) { $1 }
                var response = try context.responseEncoder.encode(sentences, from: request, context: context)
                response.status = .unprocessableContent
                return response
            case _ where error.isConflict: throw HTTPError(.conflict)
            case NSPersistentStoreTimeoutError, NSPersistentStoreOperationError: throw HTTPError(.serviceUnavailable)
            default:
                context.logger.error("\(error)")
                throw error
            }
        }
    }
}
