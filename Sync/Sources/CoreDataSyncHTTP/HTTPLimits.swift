// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The bounds of requests over HTTP, with their defaults.

/// The bounds of requests over HTTP.
///
/// A request beyond one of them is answered with an error, and the service does not see it. `SyncLimits` of
/// `CoreDataSyncServer` has the bounds of a batch's content.
public struct HTTPLimits: Sendable {
    /// The greatest size in bytes of a body as it is sent; 64 MB. Error: `tooLarge`.
    public var bodySize = 64 << 20
    /// The greatest size in bytes of a body after decompression; 64 MB. Error: `tooLarge`.
    public var decodedSize = 64 << 20
    /// The greatest size in bytes of all bodies together that the server holds at one time; 256 MB.
    /// Error: `unavailable`. Must not be less than `decodedSize`, or a body of that size is never taken.
    public var heldSize = 256 << 20
    /// The greatest depth of a body's JSON; 24. A value in a composite value needs two levels. Error: `malformed`.
    public var depth = 24
    /// The greatest number of changes in a batch; 20,000. Error: `tooLarge`. They are counted before the JSON is
    /// decoded.
    public var changes = 20_000
    /// The time in which a body must arrive; 120 s. The connection is closed with the error `unavailable`.
    public var bodyTime = Duration.seconds(120)
    /// The time in which a client must read an answer; 120 s. The connection is closed.
    public var answerTime = Duration.seconds(120)
    /// The requests of one user in the long run, for each second; 200. Error: `tooMany`.
    public var userRate = 200.0
    /// The requests of one user at once, beyond the rate; 1,000.
    public var userBurst = 1_000.0
    /// The requests of one replica in the long run, for each second; 50. Error: `tooMany`.
    public var replicaRate = 50.0
    /// The requests of one replica at once, beyond the rate; 500.
    public var replicaBurst = 500.0
    /// The greatest number of open streams of news; 2,000. Error: `tooMany`.
    public var streams = 2_000
    /// The greatest number of open streams of one user; 16. Error: `tooMany`.
    public var userStreams = 16
    /// The time between two signs of life in a stream; 15 s. The token is checked again each time.
    public var heartbeat = Duration.seconds(15)
    /// The size in bytes from which an answer is compressed, if the client accepts that; 1,024.
    public var compressedSize = 1_024

    /// The usual bounds.
    public init() {}
}
