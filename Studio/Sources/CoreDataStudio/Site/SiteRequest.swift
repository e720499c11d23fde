// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Requests and responses as plain values, so that pages are independent of the server.

package import Foundation

/// A request.
package struct SiteRequest: Sendable {
    /// "GET" or "POST".
    package var method: String
    /// The segments of the path, decoded.
    package var path: [String]
    package var query: [String: String]
    /// Lower-case names.
    package var headers: [String: String]
    package var body: Data

    package init(
        method: String = "GET", path: [String], query: [String: String] = [:], headers: [String: String] = [:],
        body: Data = Data()
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }
}

/// An answer.
package struct SiteResponse: Sendable {
    package enum Body: Sendable {
        case data(Data)
        /// Pieces that are sent as they come.
        case stream(AsyncThrowingStream<Data, any Error>)
    }

    package var status: Int
    package var headers: [String: String]
    package var body: Body

    package init(status: Int = 200, type: String, body: Body) {
        self.status = status
        headers = ["content-type": type]
        self.body = body
    }

    static func page(_ html: HTML, status: Int = 200) -> SiteResponse {
        SiteResponse(status: status, type: "text/html; charset=utf-8", body: .data(Data(html.text.utf8)))
    }

    static func json(_ value: some Encodable, status: Int = 200) -> SiteResponse {
        let data = (try? JSONEncoder().encode(value)) ?? Data("{}".utf8)
        return SiteResponse(status: status, type: "application/json", body: .data(data))
    }

    static func text(_ text: String, status: Int) -> SiteResponse {
        SiteResponse(status: status, type: "text/plain; charset=utf-8", body: .data(Data(text.utf8)))
    }
}

/// A failure with the status of the answer and a sentence for the person.
struct SiteFailure: Error {
    let status: Int
    let message: String

    static let notFound = SiteFailure(status: 404, message: "There is no such page.")
}
