// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Computes functions of several values: sums, averages and extremes.

import Foundation

enum AggregateFunction: String {
    case sum = "sum:"
    case count = "count:"
    case min = "min:"
    case max = "max:"
    case average = "average:"
    case median = "median:"
    case mode = "mode:"
    case standardDeviation = "stddev:"

    /// Ignores missing values, as SQL does. Without values, averages, extremes and deviations are nil, and a sum is 0.
    func apply(to members: [Any?]) throws -> Any? {
        let values = members.compactMap { presentValue($0) }
        switch self {
        case .count: return members.count
        case .sum: return try Arithmetic.sum(values, for: rawValue)
        case .min: return Aggregation.extreme(values, .orderedAscending)
        case .max: return Aggregation.extreme(values, .orderedDescending)
        case .average: return values.isEmpty ? nil : try mean(values)
        case .median: return try median(values)
        case .mode: return mode(values)
        case .standardDeviation: return try deviation(values)
        }
    }

    private func mean(_ values: [Any]) throws -> Any {
        try Arithmetic.divideExactly(Arithmetic.sum(values, for: rawValue), by: values.count, for: rawValue)
    }

    private func median(_ values: [Any]) throws -> Any? {
        let sorted = values.sorted { ValueComparison.order($0, $1) == .orderedAscending }
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : try mean([sorted[middle - 1], sorted[middle]])
    }

    /// All values with the highest frequency.
    private func mode(_ values: [Any]) -> [Any] {
        let distinct = Aggregation.distinct(values)
        var counts: [HashedValue: Int] = [:]
        for value in values {
            if let key = HashedValue(value) { counts[key, default: 0] += 1 }
        }
        let greatest = counts.values.max() ?? 0
        return distinct.filter { value in HashedValue(value).map { counts[$0] == greatest } ?? false }
    }

    /// The standard deviation of the whole population, not of a sample.
    private func deviation(_ values: [Any]) throws -> Any? {
        guard !values.isEmpty else { return nil }
        let numbers = try values.map { value in
            guard let number = Number(value) else {
                throw KeyValueError.notANumber(operation: rawValue, type: String(describing: type(of: value)))
            }
            return number.double
        }
        let mean = numbers.reduce(0, +) / Double(numbers.count)
        return (numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(numbers.count)).squareRoot()
    }
}
