// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The one place that uses URLSession: sends a request, and gives the head and the pieces of the answer.
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request as this module knows it.
struct HTTPCall: Sendable {
    var method: String
    var url: URL
    var headers: [String: String]
    var body: Data?
    /// The time without a byte after which the exchange fails.
    var silence: TimeInterval
}

/// The status and the headers of an answer; names are in lower case.
struct HTTPHead: Sendable, Equatable {
    var status: Int
    var headers: [String: String]
}

/// The parts of an answer, in order: one head, then pieces of the body.
enum HTTPEvent: Sendable {
    case head(HTTPHead)
    case piece(Data)
}

/// A session and the answers that are under way in it.
final class HTTPExchange: NSObject, URLSessionDataDelegate, Sendable {
    private typealias Continuation = AsyncThrowingStream<HTTPEvent, any Error>.Continuation

    private let running = Mutex<[Int: Continuation]>([:])
    private let session = Mutex<URLSession?>(nil)

    /// - Parameter connections: the most connections at a time.
    init(connections: Int) {
        super.init()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpMaximumConnectionsPerHost = connections
        session.withLock { $0 = URLSession(configuration: configuration, delegate: self, delegateQueue: nil) }
    }

    /// Ends all exchanges. The session keeps its delegate alive until then.
    func close() {
        let session = session.withLock { session in
            defer { session = nil }
            return session
        }
        session?.invalidateAndCancel()
    }

    /// Starts an exchange, which ends when the answer does, or when the stream has no reader any more.
    ///
    /// The pieces are not held back: a reader that has enough ends the stream.
    func start(_ call: HTTPCall) -> AsyncThrowingStream<HTTPEvent, any Error> {
        AsyncThrowingStream { continuation in
            var request = URLRequest(url: call.url, timeoutInterval: call.silence)
            request.httpMethod = call.method
            request.httpBody = call.body
            for (name, value) in call.headers { request.setValue(value, forHTTPHeaderField: name) }
            guard let task = session.withLock({ $0?.dataTask(with: request) }) else {
                return continuation.finish(throwing: HTTPTransportError.closed)
            }
            running.withLock { $0[task.taskIdentifier] = continuation }
            continuation.onTermination = { reason in
                if case .cancelled = reason { task.cancel() }
            }
            task.resume()
        }
    }

    // MARK: URLSession

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        var head = HTTPHead(status: 0, headers: [:])
        if let response = response as? HTTPURLResponse {
            head.status = response.statusCode
            for (name, value) in response.allHeaderFields { head.headers["\(name)".lowercased()] = "\(value)" }
        }
        continuation(dataTask)?.yield(.head(head))
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        continuation(dataTask)?.yield(.piece(data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let continuation = running.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        continuation?.finish(throwing: error.map(HTTPTransportError.init(connection:)))
    }

    /// H10: a token must not travel to another address than the one that the program named.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    private func continuation(_ task: URLSessionTask) -> Continuation? {
        running.withLock { $0[task.taskIdentifier] }
    }
}

extension HTTPTransportError {
    /// The error of a connection. Those that a pause does not mend are told from the others.
    init(connection error: any Error) {
        guard let error = error as? URLError else {
            self = .noConnection("\((error as NSError).domain) \((error as NSError).code)")
            return
        }
        switch error.code {
        case .timedOut: self = .timedOut
        case .badURL, .unsupportedURL: self = .unsuitableServer("The address cannot be used (\(error.code.rawValue)).")
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired,
            .appTransportSecurityRequiresSecureConnection:
            self = .unsuitableServer("The server's certificate was not accepted (\(error.code.rawValue)).")
        default: self = .noConnection("NSURLErrorDomain \(error.code.rawValue)")
        }
    }
}
