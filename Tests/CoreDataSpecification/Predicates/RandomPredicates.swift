// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Draws people, and predicates about them, at random. A seed repeats them.

import CoreData
import CoreDataTestSupport
import Foundation

/// Draws predicates that make sense for people, as text and arguments.
struct RandomPredicates: RandomNumberGenerator {
    private var state: UInt64
    var people: [NSManagedObject] = []
    var departments: [NSManagedObject] = []

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    // MARK: Data

    private static let words = [
        "", "a", "A", "ab", "Ab", "áb", "ÁB", "straße", "STRASSE", "İ", "i", "ı", "éa", "e\u{301}a", "a%b", "a_b", "a*",
        "?", "b a", "ﬁ", "FI", "σς",
        "ΣΣ", "Å", "日本", "a\nb", "\\", "'", "\"", "👩‍👩‍👧", "z",
    ]

    private static let badges = (0..<3).map { UUID(uuid: (9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, UInt8($0))) }
    private static let sites = ["https://example.org/a", "https://example.org/b?x=%20y", "file:///tmp/%C3%A9"]
        .compactMap(URL.init(string:))
    private static let photos = [Data(), Data([0]), Data([0, 255, 1]), Data("a".utf8)]

    mutating func fill(_ firm: Firm, people count: Int) throws {
        let departments = (0..<4).map { firm.insert("Department", ["name": word(), "floor": $0]) }
        let projects = (0..<5).map { firm.insert("Project", ["name": word(), "cost": Double($0) * 2.5]) }
        var people: [NSManagedObject] = []
        for number in 0..<count {
            let person = firm.insert(
                pick(["Person", "Employee", "Manager"]), ["name": word() + "-\(number)", "number": number])
            if chance(0.8) { person.setValue(word(), forKey: "nickname") }
            if chance(0.8) { person.setValue(Int.random(in: -3...12, using: &self), forKey: "age") }
            if chance(0.7) { person.setValue(pick([0, 0.1, 0.5, 1, 2.5, -7, 1e300, 3]), forKey: "salary") }
            if chance(0.7) {
                person.setValue(
                    NSDecimalNumber(string: pick(["0.1", "0.10", "2", "-1.5", "1000000", "0.5"])), forKey: "balance")
            }
            if chance(0.7) { person.setValue(Bool.random(using: &self), forKey: "isActive") }
            if chance(0.7) { person.setValue(date(), forKey: "born") }
            if chance(0.6) { person.setValue(pick(Self.badges), forKey: "badge") }
            if chance(0.6) { person.setValue(pick(Self.sites), forKey: "site") }
            if chance(0.6) { person.setValue(pick(Self.photos), forKey: "photo") }
            if chance(0.6) { person.setValue(pick([0.5, 1.25, -7, 80.25] as [Float]), forKey: "weight") }
            if chance(0.8) { person.setValue(pick(departments), forKey: "department") }
            if chance(0.8), !people.isEmpty { person.setValue(pick(people), forKey: "boss") }
            person.setValue(NSSet(array: projects.filter { _ in chance(0.3) }), forKey: "projects")
            people.append(person)
        }
        try firm.context.save()
    }

    mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }
    mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &self)] }
    private mutating func word() -> String { pick(Self.words) }
    mutating func date() -> Date {
        Date(timeIntervalSinceReferenceDate: Double(Int.random(in: -3...3, using: &self)) * 1000.25)
    }

    // MARK: Predicates

    typealias Text = (format: String, arguments: [Any])

    mutating func predicate(depth: Int) -> Text {
        guard depth > 0, chance(0.6) else { return leaf() }
        if chance(0.25) {
            let part = predicate(depth: depth - 1)
            return ("NOT (\(part.format))", part.arguments)
        }
        let one = predicate(depth: depth - 1)
        let other = predicate(depth: depth - 1)
        return ("(\(one.format)) \(pick(["AND", "OR"])) (\(other.format))", one.arguments + other.arguments)
    }

    mutating func leaf() -> Text {
        switch Int.random(in: 0..<18, using: &self) {
        case 14: return odd()
        case 15: return operators()
        case 16: return ternary()
        case 17: return booleans()
        case 0...2: return numbers()
        case 3, 4: return strings(string())
        case 5: return list()
        case 6:
            return (
                "\(pick(["age", "nickname", "department", "boss", "born", "boss.boss", "department.name"])) \(pick(["==", "!="])) nil",
                []
            )
        case 7: return ("\(pick(["isActive", "boss.isActive"])) \(pick(["==", "!="])) %@", [Bool.random(using: &self)])
        case 8: return ("\(pick(["born", "boss.born"])) \(comparison()) %@", [date()])
        case 9, 10: return members()
        case 11: return subquery()
        case 12: return objects()
        default:
            return ("age BETWEEN %@", [[Int.random(in: -3...5, using: &self), Int.random(in: 0...12, using: &self)]])
        }
    }

    /// Values of kinds without an order, or without a useful one.
    private mutating func odd() -> Text {
        let equality = pick(["==", "!="])
        switch Int.random(in: 0..<6, using: &self) {
        case 0: return ("\(pick(["badge", "boss.badge"])) \(equality) %@", [pick(Self.badges)])
        case 1: return ("\(pick(["site", "boss.site"])) \(equality) %@", [pick(Self.sites)])
        case 2: return ("\(pick(["photo", "boss.photo"])) \(equality) %@", [pick(Self.photos)])
        case 3: return ("badge IN %@", [Self.badges.filter { _ in chance(0.5) }])
        case 4: return ("photo IN %@ OR site == nil", [Self.photos.filter { _ in chance(0.5) }])
        default: return ("ANY reports.badge == %@", [pick(Self.badges)])
        }
    }

    /// Functions of the members of a to-many.
    private mutating func operators() -> Text {
        let path = pick([
            "projects.@sum.cost", "projects.@avg.cost", "projects.@max.cost", "projects.@min.cost", "reports.@sum.age",
            "reports.@max.number", "reports.@min.age", "reports.@avg.age",
        ])
        let value: Any = pick([0, 1, 2.5, 5, 12.5])
        return chance(0.2) ? ("\(path) == nil", []) : ("\(path) \(comparison()) %@", [value])
    }

    private mutating func ternary() -> Text {
        let one = numbers()
        let (yes, no) = (number(depth: 0), number(depth: 0))
        return (
            "TERNARY(\(one.format), \(yes.format), \(no.format)) \(comparison()) %@",
            one.arguments + yes.arguments + no.arguments + [Int.random(in: -3...12, using: &self)]
        )
    }

    private mutating func booleans() -> Text {
        switch Int.random(in: 0..<5, using: &self) {
        case 0: return (pick(["TRUEPREDICATE", "FALSEPREDICATE"]), [])
        case 1: return ("\(pick(["uppercase", "lowercase"])):(\(string())) == %@", [word()])
        case 2: return ("abs:(age) \(comparison()) %@", [Int.random(in: 0...5, using: &self)])
        case 3: return ("%@ \(pick(["BEGINSWITH", "CONTAINS"]))\(options()) nickname", [word() + "b"])
        default: return ("age IN {boss.age, number, %@}", [Int.random(in: -3...12, using: &self)])
        }
    }

    mutating func comparison() -> String { pick(["==", "!=", "<", "<=", ">", ">="]) }
    private mutating func string() -> String {
        pick(["name", "nickname", "department.name", "boss.nickname", "boss.department.name"])
    }

    private mutating func number(depth: Int = 1) -> Text {
        switch Int.random(in: 0..<8, using: &self) {
        case 0: return ("%@", [Int.random(in: -3...12, using: &self)])
        case 1: return ("%@", [pick([0.1, 0.5, 2.5, -1.5, 1e10])])
        case 2 where depth > 0:
            let one = number(depth: 0)
            let other = number(depth: 0)
            return ("(\(one.format) \(pick(["+", "-", "*"])) \(other.format))", one.arguments + other.arguments)
        case 3: return (pick(["projects.@count", "reports.@count", "department.people.@count"]), [])
        default:
            return (
                pick(["age", "number", "salary", "balance", "department.floor", "boss.age", "boss.boss.number"]), []
            )
        }
    }

    mutating func numbers() -> Text {
        let one = number()
        let other = number()
        return ("\(one.format) \(comparison()) \(other.format)", one.arguments + other.arguments)
    }

    private mutating func options() -> String { pick(["", "", "[c]", "[d]", "[cd]"]) }

    private mutating func strings(_ path: String) -> Text {
        switch Int.random(in: 0..<7, using: &self) {
        case 0:
            return (
                "\(path) LIKE\(options()) %@",
                [pick(["*", "?", "a*", "*b", "?*-1", "*\(word())*", "\(word())*", "A?*"])]
            )
        case 1: return ("\(path) MATCHES\(options()) %@", [pick([".*", "a.*", ".*-[0-9]", "[a-z]+", "\\w+-\\d+"])])
        case 2: return ("\(path) \(comparison())\(options()) %@", [word()])
        case 3: return ("\(path) == \(string())", [])
        default: return ("\(path) \(pick(["BEGINSWITH", "CONTAINS", "ENDSWITH"]))\(options()) %@", [word()])
        }
    }

    private mutating func list() -> Text {
        if chance(0.5) {
            return (
                "\(pick(["age", "boss.age", "salary"])) IN %@", [(0..<Int.random(in: 0...4, using: &self)).map { $0 }]
            )
        }
        var words: [String] = []
        for _ in 0..<Int.random(in: 0...3, using: &self) { words.append(word()) }
        return ("\(string()) IN\(options()) %@", [words])
    }

    private mutating func members() -> Text {
        let quantifier = pick(["ANY", "ALL", "NONE"])
        if chance(0.5) {
            let text = strings(pick(["projects.name", "reports.nickname"]))
            guard !text.format.contains(" == ") || !text.arguments.isEmpty else {
                return ("\(quantifier) projects.cost > %@", [2])
            }
            return ("\(quantifier) \(text.format)", text.arguments)
        }
        let path = pick([
            "projects.cost", "reports.age", "reports.salary", "department.people.age", "reports.department.floor",
        ])
        return ("\(quantifier) \(path) \(comparison()) %@", [pick([0, 1, 2.5, 5])])
    }

    private mutating func subquery() -> Text {
        let inner: Text =
            switch Int.random(in: 0..<4, using: &self) {
            case 0: ("$m.age \(comparison()) %@", [Int.random(in: -3...12, using: &self)])
            case 1:
                (
                    "$m.nickname CONTAINS[c] %@ OR $m.department.floor == %@",
                    [word(), Int.random(in: 0...3, using: &self)]
                )
            case 2: ("$m.boss.age == nil AND $m.isActive == YES", [])
            default: ("ANY $m.projects.cost > %@", [pick([0, 2.5, 5])])
            }
        let count = Int.random(in: 0...3, using: &self)
        return (
            "SUBQUERY(\(pick(["reports", "department.people"])), $m, \(inner.format)).@count \(comparison()) %@",
            inner.arguments + [count]
        )
    }

    private mutating func objects() -> Text {
        switch Int.random(in: 0..<6, using: &self) {
        case 0: return ("department \(pick(["==", "!="])) %@", [pick(departments)])
        case 1: return ("SELF IN %@", [people.filter { _ in chance(0.3) }])
        case 2: return ("boss.department IN %@", [departments.filter { _ in chance(0.5) }.map(\.objectID)])
        case 3: return ("boss == %@ OR SELF == %@", [pick(people).objectID, pick(people)])
        case 4: return ("ANY reports == %@", [pick(people)])
        default: return ("ANY reports.department IN %@", [departments.filter { _ in chance(0.5) }])
        }
    }
}
