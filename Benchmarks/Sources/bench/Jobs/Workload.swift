// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The data: 100 departments and any number of employees, computed by formulas that all contenders share.

import Foundation

/// The values of an employee.
struct EmployeeValues {
    let name: String
    let salary: Double
    let hireDate: Date
    let isActive: Bool
    let badge: Int64
    /// The number of the department.
    let department: Int
    /// The number of the manager.
    let manager: Int?
}

final class Workload {
    static let departments = 100

    let rows: Int
    let searches: Int
    /// Computed once, before any measurement.
    private(set) lazy var employees: [EmployeeValues] = (0..<rows).map(employee)
    /// The wide table: 16,000 orders for 100,000 employees.
    private(set) lazy var orders: [OrderValues] = (0..<max(10, rows * 4 / 25)).map(OrderValues.init)
    /// How often the orders are fetched in one run.
    static let orderFetches = 10

    /// - Parameter searches: fewer in a million rows, because a search takes time in proportion to the rows.
    init(rows: Int, searches: Int? = nil) {
        self.rows = rows
        self.searches = searches ?? (rows > 100_000 ? 100 : 1_000)
    }

    /// The number of employees that J6 and J7 change.
    var touched: Int { min(rows, 10_000) }
    var lookUps: Int { 10_000 }
    var summaries: Int { rows > 100_000 ? 4 : 20 }

    /// The badges that J3 looks up, spread over the table.
    func badge(ofLookUp number: Int) -> Int64 { Int64((number * 7_919 + 13) % rows) }

    /// The minimum salary of a search in J4: between the lower and the upper quartile.
    func salary(ofSearch number: Int) -> Double {
        let place = rows / 4 + (number * 611) % max(1, rows / 2)
        return 20_000 + Double(place) * 0.5
    }

    static func departmentName(_ number: Int) -> String { "Department \(number)" }

    private func employee(_ number: Int) -> EmployeeValues {
        EmployeeValues(
            name: Self.name(number),
            // All values are distinct and in no order: 7,919 and powers of ten have no common factor. The same
            // applies to badges.
            salary: 20_000 + Double((number * 7_919) % rows) * 0.5,
            hireDate: Date(timeIntervalSinceReferenceDate: Double((number * 97_003) % 600_000_000)),
            isActive: number % 3 != 0,
            badge: Int64((number * 104_729) % rows),
            department: number % Self.departments,
            manager: manager(number))
    }

    /// The first of each ten is the manager of the others. The manager of the last is half the table away, so some of
    /// the remaining employees lose their manager when J7 deletes 10,000.
    private func manager(_ number: Int) -> Int? {
        switch number % 10 {
        case 0: nil
        case 9: (number - 9 + rows / 2) % rows
        default: number - number % 10
        }
    }

    private static func name(_ number: Int) -> String {
        "\(givenNames[number % givenNames.count]) \(familyNames[number / givenNames.count % familyNames.count])"
    }

    /// A third of the names exceed the 15 bytes that a Swift string stores without an allocation.
    private static let givenNames = [
        "ada", "benedikt", "clara", "dorothea", "emil", "friederike", "gerda", "hugo", "ingeborg", "jan", "karoline",
        "leopold", "max", "nora", "otto", "pauline", "quentin", "rosalind", "sven", "theodora", "ulla", "veronika",
        "wanda", "xaver", "yara", "zoe",
    ]
    private static let familyNames = [
        "abelmann", "bergmann", "castell", "dornbusch", "eberhard", "finkenstein", "gruber", "hartmann", "ibsen",
        "jungermann", "kowalski", "lindgren", "moser", "nyman", "olsen", "petersen", "quasthoff", "richter",
        "svensson", "thomas", "ulrich",
    ]
}
