// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Errors of the connection, and which of all errors a later try may mend.
public import CoreDataSyncProtocol
public import Foundation

/// Why there is no answer of a sync server. Whether the request arrived is not known.
public enum HTTPTransportError: Error, Equatable, Sendable {
    /// No connection, or it ended early; the text has the domain and the code of the cause.
    case noConnection(String)
    /// The answer took too long.
    case timedOut
    /// The answer is larger than `HTTPTransport.Settings.answerSize`.
    case answerTooLarge
    /// The answer has this status, but not the form of the protocol: another server, or something between.
    case foreignAnswer(status: Int)
    /// The address or the certificate of the server cannot be used; the text says why.
    case unsuitableServer(String)
    /// The transport was closed.
    case closed
}

extension HTTPTransportError: CustomNSError, LocalizedError {
    /// The domain of errors with these codes.
    public static var errorDomain: String { "CoreDataSyncHTTP" }
    /// 1 to 6, in the order of the cases.
    public var errorCode: Int {
        switch self {
        case .noConnection: 1
        case .timedOut: 2
        case .answerTooLarge: 3
        case .foreignAnswer: 4
        case .unsuitableServer: 5
        case .closed: 6
        }
    }
    /// A sentence for people.
    public var errorDescription: String? {
        switch self {
        case .noConnection(let cause): "There is no connection to the server (\(cause))."
        case .timedOut: "The server did not answer in time."
        case .answerTooLarge: "The server's answer is too large."
        case .foreignAnswer(let status): "The answer has the status \(status) and is not that of a sync server."
        case .unsuitableServer(let text): text
        case .closed: "The transport was closed."
        }
    }
    /// The sentence, for programs that see an `NSError`.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription ?? ""] }
}

/// The reaction of a client to an error.
public enum RetryDecision: Equatable, Sendable {
    /// Sends the same request again, after a pause.
    case again
    /// Does what `Documentation/Protocol.md` says for the code, at once: smaller batches, a new replica id, or a pull
    /// of everything.
    case adapt(SyncErrorCode)
    /// Stops until a person or the program did something: credentials, rights, a new version, a defect.
    case stop

    /// The decision for an error of a transport.
    public init(_ error: any Error) {
        switch error {
        case let error as SyncError:
            switch error.code {
            case .tooMany, .unavailable: self = .again
            case .tooLarge, .forked, .gap, .startAnew, .missingData: self = .adapt(error.code)
            default: self = .stop
            }
        case let error as HTTPTransportError:
            switch error {
            case .noConnection, .timedOut: self = .again
            // A gateway answers so while its server starts.
            case .foreignAnswer(let status): self = (500...599).contains(status) || status == 429 ? .again : .stop
            case .answerTooLarge, .unsuitableServer, .closed: self = .stop
            }
        case is CancellationError: self = .stop
        default: self = .again
        }
    }
}

/// The pauses between tries: they double from one second to five minutes, and a random part keeps the devices of a
/// server that restarts from coming back all at once.
public struct RetryPauses: Sendable {
    /// The first pause.
    public var first = Duration.seconds(1)
    /// The longest pause.
    public var longest = Duration.seconds(300)
    private var count = 0

    /// Creates a series that begins with `first`.
    public init() {}

    /// The next pause: between a half of its length and all of it.
    public mutating func next() -> Duration {
        var generator = SystemRandomNumberGenerator()
        return next(using: &generator)
    }

    /// The same with a given source of random numbers.
    public mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let whole = min(longest, first * (1 << min(count, 30)))
        count += 1
        return whole * Double.random(in: 0.5...1, using: &generator)
    }

    /// Begins with `first` again, after a success.
    public mutating func reset() { count = 0 }
}
