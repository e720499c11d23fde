// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Records with one known anomaly each, which the check must name, and records without any.

import CoreDataTestSupport
import Testing

@Suite("Isolation: the check of records names each anomaly")
struct IsolationCheckTests {
    private func transaction(
        _ number: Int, as outcome: RecordedTransaction.Outcome = .committed, at begin: UInt64 = 0, _ steps: ListStep...
    ) -> RecordedTransaction {
        RecordedTransaction(
            client: 1, number: number, steps: steps, outcome: outcome, begin: begin,
            end: outcome == .committed ? begin + 1 : .max)
    }

    private func anomalies(_ transactions: RecordedTransaction..., inRealTime: Bool = false) -> Set<Anomaly> {
        Set(IsolationCheck(transactions).anomalies(inRealTime: inRealTime).map(\.anomaly))
    }

    @Test("transactions one after the other have none") func serial() {
        #expect(
            anomalies(
                transaction(1, at: 10, .read(key: 1, []), .append(key: 1, 1), .read(key: 1, [1])),
                transaction(2, at: 20, .read(key: 1, [1]), .append(key: 1, 2), .read(key: 2, [])),
                transaction(3, at: 30, .read(key: 1, [1, 2]), .read(key: 2, [])), inRealTime: true
            ).isEmpty)
    }

    @Test("versions in opposite orders are G0") func mixedWrites() {
        #expect(
            anomalies(
                transaction(1, .append(key: 1, 1), .append(key: 2, 1)),
                transaction(2, .append(key: 1, 2), .append(key: 2, 2)),
                transaction(3, .read(key: 1, [1, 2]), .read(key: 2, [2, 1]))
            ).contains(.dirtyWrite))
    }

    @Test("a number of a failed transaction, or of none, is G1a") func abortedRead() {
        #expect(
            anomalies(transaction(1, as: .failed, .append(key: 1, 1)), transaction(2, .read(key: 1, [1])))
                == [.abortedRead])
        #expect(anomalies(transaction(1, .read(key: 1, [7]))) == [.abortedRead])
    }

    @Test("a list that its writer continued is G1b") func intermediateRead() {
        #expect(
            anomalies(
                transaction(1, .append(key: 1, 1), .append(key: 1, 2)), transaction(2, .read(key: 1, [1])),
                transaction(3, .read(key: 1, [1, 2]))
            ).contains(.intermediateRead))
    }

    @Test("two that have read each other are G1c") func circularInformation() {
        #expect(
            anomalies(
                transaction(1, .append(key: 1, 1), .read(key: 2, [2])),
                transaction(2, .append(key: 2, 2), .read(key: 1, [1]))) == [.circularInformation])
    }

    @Test("one object before a save and one after it are G-single") func readSkew() {
        #expect(
            anomalies(
                transaction(1, .append(key: 1, 1), .append(key: 2, 2)),
                transaction(2, .read(key: 1, []), .read(key: 2, [2])),
                transaction(3, .read(key: 1, [1]), .read(key: 2, [2]))) == [.readSkew])
    }

    @Test("two saves that have each read the other's object are G2") func writeSkew() {
        #expect(
            anomalies(
                transaction(1, .read(key: 1, []), .append(key: 2, 1)),
                transaction(2, .read(key: 2, []), .append(key: 1, 2)),
                transaction(3, .read(key: 1, [2]), .read(key: 2, [1]))) == [.writeSkew])
    }

    @Test("two appends to one version, and a number that is gone, are lost updates") func lostUpdate() {
        #expect(
            anomalies(
                transaction(1, .read(key: 1, []), .append(key: 1, 1)),
                transaction(2, .read(key: 1, []), .append(key: 1, 2)), transaction(3, .read(key: 1, [2])))
                == [.lostUpdate])
        #expect(anomalies(transaction(1, .append(key: 1, 1)), transaction(2, .read(key: 1, []))) == [.lostUpdate])
    }

    @Test("a list without a number that was saved before is stale") func staleRead() {
        let saved = transaction(1, at: 10, .read(key: 1, []), .append(key: 1, 1))
        let late = transaction(2, at: 20, .read(key: 1, []))
        let last = transaction(3, at: 30, .read(key: 1, [1]))
        #expect(anomalies(saved, late, last) == [.staleRead])
        #expect(anomalies(saved, transaction(2, at: 10, .read(key: 1, [])), last).isEmpty)
    }

    @Test("a list without the transaction's own number is an own read") func ownRead() {
        #expect(
            anomalies(
                transaction(1, .read(key: 1, []), .append(key: 1, 1), .read(key: 1, [])),
                transaction(2, .read(key: 1, [1]))) == [.ownRead])
    }

    @Test("an unknown transaction counts if its number was read") func unknown() {
        #expect(anomalies(transaction(1, as: .unknown, .append(key: 1, 1)), transaction(2, .read(key: 1, []))).isEmpty)
        #expect(
            anomalies(
                transaction(1, as: .unknown, .append(key: 1, 1), .append(key: 2, 2)),
                transaction(2, .read(key: 1, []), .read(key: 2, [2])),
                transaction(3, .read(key: 1, [1]), .read(key: 2, [2]))) == [.readSkew])
    }

    @Test("a line holds the whole record, and half a line none") func lines() throws {
        let original = transaction(4, at: 5, .read(key: 1, [3, 4]), .append(key: 2, 9), .read(key: 3, []))
        let read = try #require(RecordedTransaction(line: original.line[...]))
        #expect(read.steps == original.steps)
        #expect([read.begin, read.end] == [5, 6])
        #expect(RecordedTransaction(line: "1 4 committed 5") == nil)
        #expect(RecordedTransaction(line: "1 4 committed 5 6 r:1") == nil)
    }
}
