// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Values in the server's binary form, and the parts of a connection URL that are shown.

import Foundation
import PostgreSQLDriver
import Testing

@Suite("PostgreSQL's wire") struct WireTests {
    @Test(
        "decimals there and back",
        arguments: [
            "0", "1", "-1", "10000", "9999.9999", "0.0001", "-0.00010203", "123456789012345678901234567890.12345678",
            "1e60", "1e-60", "1e124", "-3e127", "12345e127", "1e-127",
        ]) func decimals(text: String) throws
    {
        let decimal = try #require(Decimal(string: text))
        let bytes = WireNumeric.bytes(decimal)
        let read = bytes.withUnsafeBufferPointer { WireNumeric.decimal($0) }
        #expect(read == decimal)
    }

    @Test("dates are kept to the microsecond") func dates() {
        for seconds in [0, 0.5, -1e9, 700_000_000.123456, 63_113_904_000] {
            #expect(WireTimestamp.seconds(WireTimestamp.microseconds(seconds)) == seconds)
        }
        let past = Date.distantPast.timeIntervalSinceReferenceDate
        #expect(WireTimestamp.microseconds(.infinity) == .max)
        #expect(WireTimestamp.seconds(.min) == past)
    }

    @Test(
        "a password is in nothing that is shown",
        arguments: [
            "postgresql://ada:sesame@localhost/db", "postgresql://ada:ses%40me@localhost:5432/db?schema=a",
            "postgresql:///db?password=sesame&user=ada", "postgresql://ada:sesame@localhost/db?nonsense=1",
        ]) func passwords(text: String) throws
    {
        let url = try #require(URL(string: text))
        #expect(!ConnectionSettings.withoutPassword(url).absoluteString.contains("ses"))
        do {
            let settings = try ConnectionSettings(url)
            #expect(settings["password"]?.hasPrefix("ses") == true)
            #expect(!settings.publicURL.absoluteString.contains("ses"))
        } catch let error as PostgreSQLError {
            #expect(!"\(error)".contains("ses"))
        }
    }
}
