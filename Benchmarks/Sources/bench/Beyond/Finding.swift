// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The result of a scenario with its bound.

/// One measurement of a scenario. Lower values are better.
struct Finding: Codable {
    let scenario: String
    let figure: String
    let value: Double
    let unit: String
    /// Derived from the work to be done, not from an earlier measurement.
    let bound: Double
    let argument: String

    var isKept: Bool { value <= bound }
}

/// A task beyond J1 to J8.
protocol Scenario: Sendable {
    static var name: String { get }
    static func run(_ stage: Stage) throws -> [Finding]
}

extension Scenario {
    static func finding(
        _ figure: String, _ value: Double, _ unit: String, atMost bound: Double, because argument: String
    ) -> Finding {
        Finding(scenario: name, figure: figure, value: value, unit: unit, bound: bound, argument: argument)
    }
}

enum Scenarios {
    static var all: [any Scenario.Type] {
        [
            FaultScenario.self, ToManyScenario.self, OrderScenario.self, ManyToManyScenario.self, ImportScenario.self,
            LargeContextScenario.self, PageScenario.self, UndoScenario.self, NestingScenario.self, MergeScenario.self,
            ReaderScenario.self, ConcurrencyScenario.self, LogScenario.self, OpeningScenario.self, BatchScenario.self,
            HistoryScenario.self, RemoteScenario.self, ResultsScenario.self, PredicateScenario.self, PathScenario.self,
            SearchScenario.self, ModelScenario.self,
        ]
    }
}
