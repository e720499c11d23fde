// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The anomalies of concurrent transactions by their names.

/// An observation that no order of whole transactions explains (Isolation.md, "Names").
public enum Anomaly: String, CaseIterable, Sendable {
    case dirtyWrite = "G0"
    case abortedRead = "G1a"
    case intermediateRead = "G1b"
    case circularInformation = "G1c"
    case readSkew = "G-single"
    case writeSkew = "G2"
    case lostUpdate = "lost-update"
    case staleRead = "stale-read"
    case ownRead = "own-read"
}

/// One occurrence of an anomaly, with the transactions and keys that show it.
public struct AnomalyFinding: Sendable, CustomStringConvertible {
    public var anomaly: Anomaly
    public var text: String

    public var description: String { "\(anomaly.rawValue): \(text)" }
}
