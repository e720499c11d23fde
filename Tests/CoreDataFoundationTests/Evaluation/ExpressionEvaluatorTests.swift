// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Calculates expressions.

import Foundation
import Testing

@testable import CoreDataFoundation

@Suite("Evaluating expressions")
struct ExpressionEvaluatorTests {
    private func call(_ name: String, _ arguments: Any?...) throws -> Any? {
        try ExpressionEvaluator.value(
            of: .function(name: name, arguments: arguments.map { .constant($0) }), object: nil)
    }

    private func equal(_ left: Any?, _ right: Any?) -> Bool { ValueComparison.areEqual(left, right) }

    @Test("arithmetic keeps integers while they fit and never traps")
    func arithmetic() throws {
        #expect(try call("add:to:", 1, 2) as? Int == 3)
        #expect(try call("from:subtract:", 1, 2) as? Int == -1)
        #expect(try call("multiply:by:", 3, 1.5) as? Double == 4.5)
        #expect(try call("divide:by:", 7, 2) as? Int == 3)
        #expect(try call("divide:by:", 7, 2.0) as? Double == 3.5)
        #expect(try call("modulus:by:", 7, 4) as? Int == 3)
        #expect(try call("modulus:by:", 7.5, 4) as? Double == 3.5)
        #expect(try call("add:to:", Int.max, 1) as? Double == 0x1p63)
        #expect(try call("divide:by:", Int.min, -1) as? Double == 0x1p63)
        #expect(try call("divide:by:", 1, 0) == nil)
        #expect(try call("divide:by:", 1.5, 0.0) == nil)
        #expect(try call("modulus:by:", 1, 0) == nil)
        #expect(try call("divide:by:", Decimal(1), 0) == nil)
        #expect(equal(try call("add:to:", Decimal(string: "0.1"), Decimal(string: "0.2")), Decimal(string: "0.3")))
        #expect(equal(try call("modulus:by:", Decimal(-7), Decimal(4)), -3))
        #expect(try call("add:to:", nil, 1) == nil)
    }

    @Test("functions of one number")
    func numbers() throws {
        #expect(try call("sqrt:", 9) as? Double == 3)
        #expect(try call("log:", 100) as? Double == 2)
        #expect(try call("ln:", 1) as? Double == 0)
        #expect(try call("exp:", 0) as? Double == 1)
        #expect(try call("raise:toPower:", 2, 10) as? Double == 1024)
        #expect(try call("floor:", -1.5) as? Double == -2)
        #expect(try call("ceiling:", 1.2) as? Double == 2)
        #expect(try call("trunc:", -1.5) as? Double == -1)
        #expect(try call("abs:", -3) as? Int == 3)
        #expect(try call("abs:", Int.min) as? Double == 0x1p63)
        #expect(equal(try call("trunc:", Decimal(string: "-1.5")), -1))
        #expect(equal(try call("floor:", Decimal(string: "-1.5")), -2))
        #expect(equal(try call("ceiling:", Decimal(string: "-1.5")), -1))
    }

    @Test("functions of bits")
    func bits() throws {
        #expect(try call("bitwiseAnd:with:", 6, 3) as? Int == 2)
        #expect(try call("bitwiseOr:with:", 6, 3) as? Int == 7)
        #expect(try call("bitwiseXor:with:", 6, 3) as? Int == 5)
        #expect(try call("onesComplement:", 0) as? Int == -1)
        #expect(try call("leftshift:by:", 1, 4) as? Int == 16)
        #expect(try call("leftshift:by:", 1, 400) as? Int == 0)
        #expect(try call("rightshift:by:", 16, 4) as? Int == 1)
    }

    @Test("functions of text, chance and time")
    func others() throws {
        #expect(try call("uppercase:", "ä") as? String == "Ä")
        #expect(try call("lowercase:", "Ä") as? String == "ä")
        #expect(try call("length:", "abc") as? Int == 3)
        #expect(try call("canonical:", "CAFÉ") as? String == "cafe")
        let chance = try #require(try call("random:", 3) as? Int)
        #expect((0..<3).contains(chance))
        #expect(try call("random") is Int)
        let before = Date()
        let now = try #require(try call("now") as? Date)
        #expect(before <= now && now <= Date())
        #expect(equal(try call("from:subtract:", now, now.addingTimeInterval(-5)), 5))
        #expect(try call("add:to:", now, 5) as? Date == now.addingTimeInterval(5))
        #expect(try call("noindex:", 1) as? Int == 1)
        #expect(try call("distinct:", [1, 2, 1]) as? [Int] == [1, 2])
        #expect(try call("objectFrom:withIndex:", [1, 2], 1) as? Int == 2)
    }

    @Test("functions of many values")
    func aggregates() throws {
        let values: [Any] = [4, 1, NSNull(), 4, 3]
        #expect(try call("sum:", values) as? Int == 12)
        #expect(try call("count:", values) as? Int == 5)
        #expect(try call("min:", values) as? Int == 1)
        #expect(try call("max:", values) as? Int == 4)
        #expect(try call("average:", values) as? Double == 3)
        #expect(try call("median:", values) as? Double == 3.5)
        #expect(try call("mode:", values) as? [Int] == [4])
        #expect(try call("stddev:", [2, 4, 4, 4, 5, 5, 7, 9]) as? Double == 2)
        #expect(try call("average:", [Int]()) == nil)
        #expect(try call("sum:", [Int]()) as? Int == 0)
        #expect(try call("sum:", 1, 2) as? Int == 3)
        let object = ["people": Set([["pay": 5, "id": 1], ["pay": 5, "id": 2]])]
        let sum = ExpressionSyntax.function(name: "sum:", arguments: [.keyPath("people.pay")])
        #expect(try ExpressionEvaluator.value(of: sum, object: object) as? Int == 10)
    }

    @Test("CAST changes the type")
    func casts() throws {
        let date = Date(timeIntervalSinceReferenceDate: 86_400)
        #expect(try call("castObject:toType:", date, "NSNumber") as? Double == 86_400)
        #expect(try call("castObject:toType:", 86_400, "NSDate") as? Date == date)
        #expect(try call("castObject:toType:", "2001-01-02T00:00:00Z", "NSDate") as? Date == date)
        #expect(try call("castObject:toType:", 5, "NSString") as? String == "5")
        #expect(try call("castObject:toType:", "5", "NSNumber") as? Int == 5)
        #expect(try call("castObject:toType:", "5.5", "NSNumber") as? Double == 5.5)
        #expect(equal(try call("castObject:toType:", "0.1", "NSDecimalNumber"), Decimal(string: "0.1")))
        let uuid = UUID()
        #expect(try call("castObject:toType:", uuid.uuidString, "NSUUID") as? UUID == uuid)
        for type in ["NSNumber", "NSDecimalNumber", "NSDate", "NSUUID"] {
            for text in ["", "x"] { #expect(try call("castObject:toType:", text, type) == nil, "\(text) as \(type)") }
        }
        #expect(try call("castObject:toType:", Data([1]), "NSString") == nil)
        #expect(throws: PredicateEvaluationError.cannotCast("5", to: "Nonsense")) {
            try call("castObject:toType:", 5, "Nonsense")
        }
    }

    @Test("the bits of a number beyond 64 bits, and a result that is no number, are nil")
    func noNumbers() throws {
        #expect(try call("bitwiseAnd:with:", 1e300, 1) == nil)
        #expect(try call("onesComplement:", -1e300) == nil)
        #expect(try call("leftshift:by:", 1, Double.infinity) == nil)
        #expect(try call("from:subtract:", Double.infinity, Double.infinity) == nil)
        #expect(try call("multiply:by:", Double.infinity, 0) == nil)
        #expect(try call("add:to:", Decimal.nan, 1) == nil)
    }

    @Test("conditions, sets and indices")
    func structures() throws {
        let object: [String: Any] = ["n": 5, "list": [1, 2, 3], "set": Set([1, 2])]
        func value(_ syntax: ExpressionSyntax) throws -> Any? {
            try ExpressionEvaluator.value(of: syntax, object: object)
        }
        let large = compare(key("n"), .greaterThan, constant(3))
        #expect(try value(.conditional(large, constant("many"), constant("few"))) as? String == "many")
        #expect(try value(.setOperation(.union, key("set"), constant([3]))) as? NSSet == NSSet(array: [1, 2, 3]))
        #expect(try value(.setOperation(.intersection, key("set"), constant([2, 3]))) as? NSSet == NSSet(array: [2]))
        #expect(try value(.setOperation(.minus, key("set"), constant([2]))) as? NSSet == NSSet(array: [1]))
        #expect(try value(.index(key("list"), .first)) as? Int == 1)
        #expect(try value(.index(key("list"), .last)) as? Int == 3)
        #expect(try value(.index(key("list"), .size)) as? Int == 3)
        #expect(try value(.index(key("list"), .at(constant(1)))) as? Int == 2)
        #expect(try value(.index(key("list"), .at(constant(9)))) == nil)
        #expect(try value(.index(.evaluatedObject, .at(constant("n")))) as? Int == 5)
        let block = ExpressionBlock { object, arguments, _ in (arguments.first as? Int).map { $0 + 1 } }
        #expect(try value(.block(block, arguments: [key("n")])) as? Int == 6)
    }

    @Test("errors name their cause")
    func errors() {
        #expect(throws: PredicateEvaluationError.unsupportedFunction("distanceToLocation:fromLocation:")) {
            try call("distanceToLocation:fromLocation:", 1, 2)
        }
        #expect(throws: PredicateEvaluationError.wrongArgumentCount(function: "add:to:", expected: 2, found: 1)) {
            try call("add:to:", 1)
        }
        #expect(throws: PredicateEvaluationError.wrongArgument(function: "sqrt:", type: "String")) {
            try call("sqrt:", "x")
        }
    }

    @Test("numbers and dates at the ends of their ranges give a value or an error")
    func extremes() throws {
        let sum = try ExpressionEvaluator.value(
            of: .parsing("%@ - %@", arguments: [Decimal.greatestFiniteMagnitude, Decimal.leastNormalMagnitude]),
            object: nil)
        #expect((sum as? Double).map { $0 > 1e100 } == true)
        let never = Date(timeIntervalSinceReferenceDate: .nan)
        #expect(try ExpressionEvaluator.value(of: .parsing("CAST(a, 'NSString')"), object: ["a": never]) == nil)
        #expect(throws: PredicateEvaluationError.self) {
            try PredicateEvaluator(.parsing("3 BETWEEN b")).matches(["b": never])
        }
        let decimals = ["a": [Decimal(string: "1.5"), Decimal(string: "2.5")]]
        let union = try ExpressionEvaluator.value(of: .parsing("(a UNION a)[SIZE]"), object: decimals)
        #expect(union as? Int == 2)
    }

    @Test(
        "FUNCTION reads properties and calls the methods of values",
        arguments: [
            ("FUNCTION(name, 'uppercaseString')", "ADA"), ("FUNCTION(name, 'substringFromIndex:', 1)", "da"),
            ("FUNCTION(SELF, 'name')", "Ada"), ("FUNCTION(name, 'stringByAppendingString:', '!')", "Ada!"),
            ("FUNCTION(SELF, 'valueForKeyPath:', 'home.path')", "/x"), ("FUNCTION(home, 'lastPathComponent')", "x"),
            ("FUNCTION(age, 'stringValue')", "36"),
        ])
    func methods(text: String, result: String) throws {
        let object: [String: Any] = ["name": "Ada", "age": 36, "home": URL(filePath: "/x")]
        if text.contains("home.path") {
            let nested: [String: Any] = ["home": ["path": "/x"]]
            #expect(try ExpressionEvaluator.value(of: .parsing(text), object: nested) as? String == result)
            return
        }
        #expect(try ExpressionEvaluator.value(of: .parsing(text), object: object) as? String == result)
    }

    @Test("FUNCTION with a method that only Objective-C could call says so")
    func unknownMethods() {
        #expect(throws: PredicateEvaluationError.unsupportedFunction("FUNCTION(…, 'frob:')")) {
            try ExpressionEvaluator.value(of: .parsing("FUNCTION(a, 'frob:', 1)"), object: ["a": 1])
        }
        #expect(throws: PredicateEvaluationError.self) {
            try ExpressionEvaluator.value(of: .parsing("FUNCTION(a, 'hasPrefix:', 1)"), object: ["a": "b"])
        }
    }
}
