// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Values of Swift's Codable types as bytes.

import CoreDataFoundation
import Foundation
import Testing

@Suite("Codable values in transformers") struct CodableTransformerTests {
    struct Route: Codable, Hashable {
        var stops: [String]
        var length: Double
    }

    @Test("come back equal, and equal values have equal bytes") func roundTrip() throws {
        let transformer = CodableTransformer<Route>()
        let route = Route(stops: ["Łódź", "a/b"], length: 2.5)
        let data = try #require(transformer.transformedValue(route) as? Data)
        #expect(String(decoding: data, as: UTF8.self) == #"{"length":2.5,"stops":["Łódź","a/b"]}"#)
        #expect(transformer.reverseTransformedValue(data) as? Route == route)
        #expect(transformer.transformedValue(Route(stops: ["Łódź", "a/b"], length: 2.5)) as? Data == data)
    }

    @Test("are found by the name they were registered under") func registration() {
        let name = "Routes-\(UUID().uuidString)"
        CodableTransformer<Route>.register(name: name)
        #expect(ValueTransformer(forName: NSValueTransformerName(name)) is CodableTransformer<Route>)
    }

    @Test(
        "nil, other types and bytes of something else give nil", arguments: [Data(), Data("[1]".utf8), Data("{".utf8)])
    func nothing(data: Data) {
        let transformer = CodableTransformer<Route>()
        #expect(transformer.transformedValue(nil) == nil)
        #expect(transformer.transformedValue("a string") == nil)
        #expect(transformer.transformedValue(Route(stops: [], length: .infinity)) == nil)
        #expect(transformer.reverseTransformedValue(nil) == nil)
        #expect(transformer.reverseTransformedValue(data) == nil)
    }

    @Test("may be plain values and optionals") func fragments() throws {
        let transformer = CodableTransformer<[Int?]>()
        let data = try #require(transformer.transformedValue([1, nil, 3] as [Int?]) as? Data)
        #expect(transformer.reverseTransformedValue(data) as? [Int?] == [1, nil, 3])
        #expect(CodableTransformer<Int>().reverseTransformedValue(Data("7".utf8)) as? Int == 7)
    }
}
