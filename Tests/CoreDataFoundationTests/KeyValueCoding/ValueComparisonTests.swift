// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which values are equal, and their order.

import Foundation
import Testing

@testable import CoreDataFoundation

@Suite("Comparing values of any types")
struct ValueComparisonTests {
    @Test("numbers of all types are equal by value")
    func numbers() {
        let ones: [Any] = [
            1, Int16(1), UInt8(1), 1.0, Float(1), true, Decimal(1), NSNumber(value: 1), NSNumber(value: true),
        ]
        for left in ones {
            for right in ones {
                #expect(ValueComparison.areEqual(left, right), "\(type(of: left)) \(type(of: right))")
                #expect(HashedValue(left)?.hashValue == HashedValue(right)?.hashValue)
            }
        }
    }

    @Test("integers beyond 2^53 are not rounded to doubles")
    func exactness() {
        let large = 9_007_199_254_740_993
        #expect(ValueComparison.order(large, 9_007_199_254_740_992.0) == .orderedDescending)
        #expect(ValueComparison.order(9_007_199_254_740_992.0, large) == .orderedAscending)
        #expect(ValueComparison.order(Int.max, 0x1p63) == .orderedAscending)
        #expect(ValueComparison.order(Int.min, -0x1p63) == .orderedSame)
        #expect(ValueComparison.order(Int.min, -0x1p64) == .orderedDescending)
        #expect(ValueComparison.order(UInt64.max, Int.max) == .orderedDescending)
        #expect(ValueComparison.order(-1, -1.5) == .orderedDescending)
        #expect(ValueComparison.order(Decimal(Int64.max), Int64.max) == .orderedSame)
        #expect(HashedValue(Decimal(Int64.max))?.hashValue == HashedValue(Int64.max)?.hashValue)
    }

    @Test("fractions have the order of their values")
    func fractions() {
        let ascending: [Any] = [-Double.infinity, -2.5, Float(-0.5), 0.25, Decimal(0.5), 1.5, Double.infinity]
        for (left, right) in zip(ascending, ascending.dropFirst()) {
            #expect(ValueComparison.order(left, right) == .orderedAscending)
            #expect(ValueComparison.order(right, left) == .orderedDescending)
        }
        #expect(ValueComparison.order(0.0, -0.0) == .orderedSame)
    }

    @Test("a decimal equals the double that is written alike")
    func decimals() {
        #expect(ValueComparison.areEqual(Decimal(string: "0.1"), 0.1))
        #expect(ValueComparison.order(Decimal(2), 1.5) == .orderedDescending)
        #expect(ValueComparison.order(1.5, Decimal(2)) == .orderedAscending)
        #expect(ValueComparison.order(Decimal(2), Double.infinity) == .orderedAscending)
    }

    @Test("nil equals only nil and has no order")
    func nils() {
        let empty: Int? = nil
        #expect(ValueComparison.areEqual(nil, nil))
        #expect(ValueComparison.areEqual(nil, NSNull()))
        #expect(ValueComparison.areEqual(nil, empty as Any))
        #expect(!ValueComparison.areEqual(nil, 0))
        #expect(ValueComparison.order(nil, 0) == nil)
        #expect(ValueComparison.order(nil, nil) == nil)
        #expect(ValueComparison.sortOrder(nil, 0) == .orderedAscending)
        #expect(ValueComparison.sortOrder("a", nil) == .orderedDescending)
    }

    @Test("NaN equals nothing")
    func notANumber() {
        #expect(!ValueComparison.areEqual(Double.nan, Double.nan))
        #expect(!ValueComparison.areEqual(Decimal.nan, 0))
        #expect(ValueComparison.order(1, Double.nan) == nil)
    }

    @Test("different kinds are different")
    func kinds() {
        #expect(!ValueComparison.areEqual("1", 1))
        #expect(ValueComparison.order("1", 1) == nil)
    }

    /// Decided by `NSPredicate(format: "'a' < 'B'").evaluate(with: nil)`, and the same with composed and decomposed
    /// letters.
    @Test("strings order by their bytes", .tags(.assumed))
    func strings() {
        #expect(ValueComparison.order("a", "b") == .orderedAscending)
        #expect(ValueComparison.order("a", "B") == .orderedDescending)
        #expect(ValueComparison.order("ab", "a") == .orderedDescending)
        #expect(ValueComparison.areEqual(NSString(string: "x"), "x"))
        #expect(!ValueComparison.areEqual("e\u{301}", "\u{e9}"))
    }

    @Test("dates, identifiers, addresses and data compare in both spellings")
    func others() throws {
        let date = Date(timeIntervalSinceReferenceDate: 5)
        let uuid = UUID()
        let url = try #require(URL(string: "https://example.org/a"))
        #expect(ValueComparison.areEqual(date, NSDate(timeIntervalSinceReferenceDate: 5)))
        #expect(ValueComparison.order(date, Date(timeIntervalSinceReferenceDate: 6)) == .orderedAscending)
        #expect(ValueComparison.areEqual(uuid, NSUUID(uuidString: uuid.uuidString)))
        #expect(ValueComparison.areEqual(url, NSURL(string: "https://example.org/a")))
        #expect(ValueComparison.areEqual(Data([1, 2]), NSData(data: Data([1, 2]))))
        #expect(ValueComparison.order(Data([1]), Data([1, 0])) == .orderedAscending)
    }

    @Test("collections are equal by their members, sets in any order")
    func collections() {
        #expect(ValueComparison.areEqual([1, 2], [1.0, 2.0]))
        #expect(!ValueComparison.areEqual([1, 2], [2, 1]))
        #expect(!ValueComparison.areEqual([1, 2], [1, 2, 3]) && !ValueComparison.areEqual([1, 2, 3], [1, 2]))
        #expect(!ValueComparison.areEqual(Set([1, 2]), Set([1, 2, 3])))
        #expect(ValueComparison.areEqual(Set([1, 2]), NSSet(array: [2, 1])))
        #expect(ValueComparison.areEqual(["a": 1], NSDictionary(dictionary: ["a": 1])))
    }

    private final class Keyed: ComparisonKeyed {
        let comparisonKey: AnyHashable
        init(_ key: Int) { comparisonKey = key }
    }

    @Test("objects are equal by identity, by isEqual, or by the identity they represent")
    func objects() {
        let one = Keyed(1)
        #expect(ValueComparison.areEqual(one, one))
        #expect(ValueComparison.areEqual(one, Keyed(1)))
        #expect(!ValueComparison.areEqual(one, Keyed(2)))
        #expect(ValueComparison.areEqual(NSObject.self as Any, NSObject.self as Any) == false)
        #expect(!ValueComparison.areEqual(NSObject(), NSObject()))
        #expect(HashedValues([one]).contains(Keyed(1)))
    }
}

@Suite("Decimals and doubles") struct ExactDecimalTests {
    @Test("a decimal is compared with a double that no decimal represents") func order() {
        #expect(NumberComparison.order(Decimal(5), 1e-140) == .orderedDescending)
        #expect(NumberComparison.order(Decimal(-5), 1e-140) == .orderedAscending)
        #expect(
            NumberComparison.order(Decimal(sign: .plus, exponent: 125, significand: 1), 1e124) == .orderedDescending)
        #expect(NumberComparison.order(Decimal(7), 1e200) == .orderedAscending)
    }

    @Test("numbers become decimals exactly, where there are any") func exact() throws {
        #expect(ExactDecimal.of(1e124) == Decimal(sign: .plus, exponent: 124, significand: 1))
        #expect(ExactDecimal.of(1e300) == nil && ExactDecimal.of(.infinity) == nil)
        #expect(ExactDecimal.of(NSNumber(value: UInt64.max)) == Decimal(UInt64.max))
        #expect(ExactDecimal.of(NSNumber(value: Double.infinity)).isNaN)
        #expect(ExactDecimal.of(0.1) == Decimal(string: "0.1"))
    }
}
