// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Handles requests: guards, then routes, then pages. Independent of the server.

import CoreData
import CoreDataToolKit
import Foundation

/// The pages about one store, or about one model.
package final class Site: Sendable {
    /// The subject of all pages.
    enum Subject: Sendable {
        case store(StudioSession)
        case model(BrowsedModel)
    }

    package let guards: SiteGuard
    let subject: Subject
    let address: SiteAddress

    package init(session: StudioSession) {
        subject = .store(session)
        guards = SiteGuard()
        address = SiteAddress(token: guards.token)
    }

    init(model: BrowsedModel) {
        subject = .model(model)
        guards = SiteGuard()
        address = SiteAddress(token: guards.token)
    }

    /// Opens a store or a model.
    ///
    /// - Throws: `BrowsingError`.
    package static func open(
        _ path: String, model: String? = nil, modelVersion: String? = nil, overlay: String? = nil,
        isWritable: Bool = false
    ) throws -> Site {
        if try BrowsedModel.isModel(path: path) { return Site(model: try BrowsedModel(path: path)) }
        return Site(
            session: try StudioSession(
                path: path, model: model, modelVersion: modelVersion, overlay: overlay, isWritable: isWritable))
    }

    /// Makes the first page of the largest entity once and discards it: the counts, the statements and the pages of the
    /// file are ready for the first request. Studio-R4.
    package func prepare() async {
        guard let session else { return }
        let counts = try? await session.read { desk in try desk.entityCounts() }
        guard let largest = counts?.max(by: { $0.count < $1.count }) else { return }
        _ = try? await gridPage(session, largest.name, [:])
    }

    /// nil for a model.
    var session: StudioSession? {
        if case .store(let session) = subject { return session }
        return nil
    }

    /// Ends the streams of events, so that a server can stop.
    package func close() { session?.news.close() }

    /// Keeps the streams of events open. Call it every few seconds.
    package func keepAlive() { session?.news.keepAlive() }

    /// Answers a request. Never throws: a failure is an answer.
    ///
    /// - Parameter port: the port of the server.
    package func respond(to request: SiteRequest, port: Int) async -> SiteResponse {
        var response: SiteResponse
        if let refusal = guards.refusal(of: request, port: port) {
            response = .text(refusal.message + "\n", status: refusal.status)
        } else {
            response = await answer(request)
        }
        for (name, value) in SiteGuard.headers where response.headers[name] == nil { response.headers[name] = value }
        return response
    }

    private func answer(_ request: SiteRequest) async -> SiteResponse {
        let path = Array(request.path.dropFirst())
        do {
            if request.method == "POST" { return try await edit(path, request) }
            return try await route(path, request)
        } catch let failure as SiteFailure {
            return failurePage(failure.message, status: failure.status, path)
        } catch let mistake as FilterMistake {
            return failurePage(mistake.message, status: 400, path)
        } catch {
            return failurePage(BrowsingError.text(of: error), status: 500, path)
        }
    }

    private func failurePage(_ message: String, status: Int, _ path: [String]) -> SiteResponse {
        let isFragment = ["rows", "filter", "condition", "explain", "edit", "objects"].contains(path.first ?? "")
        if isFragment { return .page("<p class=\"error\">\(message)</p>", status: status) }
        return .page(
            Shell(self).page(title: "Not shown", section: nil, "<h1>Not shown</h1><p>\(message)</p>"), status: status)
    }

    private func route(_ path: [String], _ request: SiteRequest) async throws -> SiteResponse {
        let query = request.query
        switch (path.first ?? "", path.count) {
        case ("static", 2): return try StaticFiles.response(path[1])
        case ("model", 1): return .page(try await modelPage(query))
        case ("model", 2) where path[1] == "versions": return .page(try versionsPage(query))
        case ("", _) where session == nil: return .page(try await modelPage(query))
        default: break
        }
        guard let session else { throw SiteFailure.notFound }
        switch (path.first ?? "", path.count) {
        case ("", _): return .page(try await overviewPage(session))
        case ("data", 2): return .page(try await gridPage(session, path[1], query))
        case ("rows", 2): return try await rows(session, path[1], query)
        case ("object", 3): return .page(try await cardPage(session, path[1] + "/" + path[2], query))
        case ("blob", 4): return try await blob(session, path[1] + "/" + path[2], key: path[3])
        case ("objects", 2): return .json(try await candidates(session, path[1], query["q"] ?? ""))
        case ("filter", 2): return .json(try await completion(session, path[1], query))
        case ("condition", 2): return .json(try await condition(session, path[1], query))
        case ("explain", 2): return .page(try await explanation(session, path[1], query))
        case ("export", 2): return try await export(session, path[1], query)
        case ("doctor", 1): return .page(try await doctorPage(session, query))
        case ("statistics", 1): return .page(try await statisticsPage(session))
        case ("history", 1): return .page(try await historyPage(session, query))
        case ("migration", 1): return .page(try await migrationPage(session, query))
        case ("sql", 1): return .page(try await sqlPage(session, query))
        case ("search", 1): return .page(try await searchPage(session, query))
        case ("sync", 1): return .page(try await syncPage(session))
        case ("events", 1):
            return SiteResponse(type: "text/event-stream", body: .stream(session.news.listen()))
        case ("edit", 2) where path[1] == "state":
            return .json(try await session.read { $0.editState() })
        case ("edit", 2) where path[1] == "conflicts":
            try checkWritable(session)
            return .page(conflictsFragment(try await session.read { $0.conflictSides() }))
        case ("edit", 4) where path[1] == "deletion":
            try checkWritable(session)
            return .page(deletionFragment(try await session.preview(deletionOf: path[2] + "/" + path[3])))
        case ("edit", 5) where path[1] == "field":
            try checkWritable(session)
            return .page(try await fieldFragment(session, path[2] + "/" + path[3], key: path[4]))
        default: throw SiteFailure.notFound
        }
    }

    private func checkWritable(_ session: StudioSession) throws {
        guard session.isWritable else {
            throw SiteFailure(status: 403, message: "The store is open for reading: start Studio with --writable.")
        }
    }

    // MARK: Writes

    private func edit(_ path: [String], _ request: SiteRequest) async throws -> SiteResponse {
        let isFile = Self.isFile(path)
        guard let session, path.count == 2 && path[0] == "edit" || isFile else { throw SiteFailure.notFound }
        try checkWritable(session)
        var edit = EditRequest()
        let (action, body) = (path[1], request.body)
        if isFile {
            (edit.object, edit.property) = (path[2] + "/" + path[3], path[4])
        } else {
            do {
                edit = try JSONDecoder().decode(EditRequest.self, from: body.isEmpty ? Data("{}".utf8) : body)
            } catch {
                throw SiteFailure(status: 400, message: "The request is malformed.")
            }
        }
        return try await answer(session, action, edit, body)
    }

    /// Whether the body of a request is a file for an attribute.
    private static func isFile(_ path: [String]) -> Bool {
        path.count == 5 && path[0] == "edit" && path[1] == "data"
    }

    /// The most bytes that the body of a request may have. Studio-S8: a request that the guards refuse is not even
    /// read.
    package func bodyLimit(of request: SiteRequest, port: Int) -> Int {
        guard guards.refusal(of: request, port: port) == nil else { return 0 }
        return Self.isFile(Array(request.path.dropFirst())) ? 100_000_000 : 4_000_000
    }

    private func answer(_ session: StudioSession, _ action: String, _ edit: EditRequest, _ body: Data) async throws
        -> SiteResponse
    {
        do {
            let state = try await session.read { desk in
                switch action {
                case "set": try desk.set(edit)
                case "data": try desk.set(file: body, edit.property ?? "", of: edit.object ?? "")
                case "insert": try desk.insert(edit)
                case "delete": try desk.delete(edit)
                case "undo": desk.undo()
                case "redo": desk.redo()
                case "save": desk.save()
                case "discard": desk.discard()
                case "resolve": try desk.resolve(edit)
                default: throw SiteFailure.notFound
                }
            }
            session.news.tell(.edits)
            return .json(state, status: state.ok ? 200 : 409)
        } catch let failure as FieldFailure {
            var state = try await session.read { $0.editState(failure.message) }
            state.ok = false
            state.failures = [
                .init(object: edit.object ?? "", title: "", property: edit.property ?? "", message: failure.message)
            ]
            return .json(state, status: 422)
        }
    }
}
