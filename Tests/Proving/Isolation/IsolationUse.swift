// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The ways in which contexts are used, and the anomalies that each of them may show.

import CoreData
import CoreDataTestSupport

/// A row of the table in Isolation.md.
enum IsolationUse: String, CaseIterable {
    case block
    case fetch
    case generation
    case guarded
    case nested
    case properties
    case overwrite
    case objectTrump = "object-trump"
    case storeTrump = "store-trump"
    case batch

    var allowed: Set<Anomaly> {
        switch self {
        case .block, .nested, .properties: [.readSkew, .writeSkew]
        case .fetch, .generation: [.writeSkew]
        case .guarded, .batch: []
        case .overwrite, .objectTrump, .storeTrump: [.lostUpdate]
        }
    }

    /// Whether saves overrule each other.
    var losesUpdates: Bool { allowed.contains(.lostUpdate) }
    var isPinned: Bool { self == .generation || self == .guarded }

    var policy: NSMergePolicy {
        switch self {
        case .properties, .objectTrump: .mergeByPropertyObjectTrump
        case .storeTrump: .mergeByPropertyStoreTrump
        case .overwrite: .overwrite
        default: .error
        }
    }
}

/// A rule that the clients break, so that the check must find the anomaly.
struct PlantedAnomaly {
    var anomaly: Anomaly
    var use: IsolationUse

    static let all: [PlantedAnomaly] = [
        .init(anomaly: .dirtyWrite, use: .block), .init(anomaly: .abortedRead, use: .block),
        .init(anomaly: .intermediateRead, use: .block), .init(anomaly: .circularInformation, use: .block),
        .init(anomaly: .readSkew, use: .generation), .init(anomaly: .writeSkew, use: .guarded),
        .init(anomaly: .lostUpdate, use: .block), .init(anomaly: .staleRead, use: .block),
        .init(anomaly: .ownRead, use: .block),
    ]
}
