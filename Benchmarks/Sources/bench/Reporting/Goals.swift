// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The performance goals of the framework.

enum Goals {
    /// Ratios to `raw`; for memory, bytes an object.
    static let toRaw: [String: Double] = [
        "J1": 1.0, "J2": 1.4, "J3": 0.65, "J4": 1.0, "J5": 1.4, "J6": 1.1, "J7": 0.9, "J7i": 1.5, "J8": 0.22,
        ResultEntry.memory: 224, "orders-first": 1.8, "orders-fresh": 1.8, "orders-kept": 1.6,
    ]
    static let toTuned: [String: Double] = [
        "J1": 1.5, "J2": 1.5, "J3": 1.8, "J4": 1.05, "J5": 1.4, "J6": 1.3, "J7": 1.5, "J8": 1.15,
    ]
}
