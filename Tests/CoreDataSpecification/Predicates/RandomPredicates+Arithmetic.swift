// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Draws arithmetic about people at random: nested operators, over numbers of all kinds.

import CoreData
import Foundation

extension RandomPredicates {
    /// The kinds of numbers that one expression calculates with.
    enum Numbers: CaseIterable {
        /// Integers up to the greatest one, and real numbers.
        case wholeAndReal
        /// Small integers, decimals, and real numbers.
        case decimal
        /// Only numbers of the row with sums that are exact in any order: for groups and batch updates.
        case exact

        var paths: [String] {
            let own = ["age", "number", "weight"]
            let related = [
                "isActive", "department.floor", "boss.age", "boss.boss.number", "projects.@count", "reports.@sum.age",
                "reports.@max.age", "SUBQUERY(reports, $r, $r.age > 3).@count", "count:(reports)", "max:(reports.age)",
                "salary", "boss.weight", "projects.@sum.cost", "projects.@avg.cost", "reports.@avg.age",
                "average:(reports.age)", "(born - boss.born)",
            ]
            return switch self {
            case .wholeAndReal: own + related
            case .decimal:
                own + related + ["balance", "balance", "boss.balance", "reports.@sum.balance", "reports.@max.balance"]
            case .exact: own + ["isActive", "balance"]
            }
        }

        var constants: [Any] {
            let small: [Any] = [0, 1, 2, 3, -1, -2, 7, 0.5, 2.5, -1.5, 3.0, true]
            return switch self {
            case .wholeAndReal: small + [Int.max, Int.min, 1 << 62, 9_007_199_254_740_993]
            case .decimal: small + [Decimal(string: "0.1") ?? 0, Decimal(string: "-2.25") ?? 0, Decimal(3)]
            case .exact: small
            }
        }
    }

    /// A number.
    mutating func arithmetic(_ numbers: Numbers, depth: Int = 3) -> Text {
        guard depth > 0, chance(0.8) else { return operand(numbers) }
        let one = arithmetic(numbers, depth: depth - 1)
        let other = arithmetic(numbers, depth: depth - 1)
        let both = one.arguments + other.arguments
        switch Int.random(in: 0..<12, using: &self) {
        case 0: return ("abs:(\(one.format))", one.arguments)
        case 1: return ("-(\(one.format))", one.arguments)
        case 2:
            let test = self.numbers()
            return ("TERNARY(\(test.format), \(one.format), \(other.format))", test.arguments + both)
        case 3: return ("modulus:by:(\(one.format), \(other.format))", both)
        case 4: return ("(\(pick(["age", "number"])) \(pick(["&", "|"])) %@)", [Int.random(in: 0...7, using: &self)])
        case 5...8: return ("(\(one.format) / \(other.format))", both)
        default: return ("(\(one.format) \(pick(["+", "-", "*"])) \(other.format))", both)
        }
    }

    private mutating func operand(_ numbers: Numbers) -> Text {
        if chance(0.35) { return ("%@", [pick(numbers.constants)]) }
        return (pick(numbers.paths), [])
    }

    /// A comparison of numbers, or of dates that are moved.
    mutating func arithmeticPredicate() -> Text {
        let numbers = pick(Numbers.allCases)
        let one = arithmetic(numbers)
        switch Int.random(in: 0..<8, using: &self) {
        case 0: return ("\(one.format) \(pick(["==", "!="])) nil", one.arguments)
        case 1: return ("\(one.format) IN %@", one.arguments + [numbers.constants])
        case 2: return ("NOT (\(one.format) BETWEEN %@)", one.arguments + [[-2, 2.5]])
        case 3:
            return (
                "\(pick(["born", "boss.born"])) + \(pick(["age", "salary", "1000.25"])) \(comparison()) %@", [date()]
            )
        default:
            let other = arithmetic(numbers, depth: 1)
            return ("\(one.format) \(comparison()) \(other.format)", one.arguments + other.arguments)
        }
    }
}
