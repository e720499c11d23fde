// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares the records of a run's processes with the store at its end.

import CFaults

/// SimulatedProcesses-V5.
final class LedgerCheck {
    private typealias Record = InterleavedRecord

    private let records: [InterleavedRecord]
    private let contents: LedgerContents
    private var findings: [String] = []
    /// The number of each author's transaction in the history.
    private var numbers: [String: [Int64]] = [:]

    static func findings(_ records: [InterleavedRecord], _ contents: LedgerContents) -> [String] {
        let check = LedgerCheck(records, contents)
        check.run()
        return check.findings
    }

    private init(_ records: [InterleavedRecord], _ contents: LedgerContents) {
        (self.records, self.contents) = (records, contents)
        for transaction in contents.history ?? [] {
            numbers[transaction.author, default: []].append(transaction.number)
        }
    }

    private func run() {
        for record in records { findings += record.problems }
        checkLogs()
        checkAccounts()
        checkEntries()
        checkBatches()
        checkClaims()
        checkHistory()
        checkReads()
        checkConflicts()
    }

    private func expect(_ condition: Bool, _ text: @autoclosure () -> String) {
        if !condition { findings.append(text()) }
    }

    private func steps(of record: InterleavedRecord) -> String {
        "\(record.step.name) of process \(record.step.process) (steps \(record.begin) to \(record.end), "
            + "\(record.outcome.rawValue))"
    }

    /// Whether a transfer is in the store.
    private func isThere(_ record: InterleavedRecord) -> Bool {
        contents.accounts.values.contains { $0.log.contains(record.step.name) }
    }

    private func checkLogs() {
        for record in records {
            guard case .transfer(let from, let to, _, _) = record.step.operation else { continue }
            let count = [from, to].map { account in
                contents.accounts[account]?.log.count { $0 == record.step.name } ?? 0
            }
            switch record.outcome {
            case .committed: expect(count == [1, 1], "\(steps(of: record)) is in the logs \(count) times")
            case .unknown:
                expect(count == [1, 1] || count == [0, 0], "\(steps(of: record)) is there in part: \(count)")
            case .refused, .nothing: expect(count == [0, 0], "\(steps(of: record)) is in the logs \(count) times")
            }
        }
    }

    private func checkAccounts() {
        expect(
            contents.accounts.keys.sorted() == Array(0..<Ledger.accounts),
            "the accounts \(contents.accounts.keys.sorted())")
        for (number, account) in contents.accounts {
            let amount = amount(number, account.log)
            expect(account.amount == amount, "account \(number) has \(account.amount) in place of \(amount)")
            let entries = contents.entries.count { $0.account == number }
            expect(
                contents.counts[number] == entries,
                "account \(number) has \(entries) entries, and counts \(contents.counts[number] ?? -1)")
            let raises = records.filter { $0.step.operation == .raise(number) }
            let least = raises.count { $0.outcome == .committed }
            let most = least + raises.count { $0.outcome == .unknown }
            let range =
                contents.history == nil ? least...most : { $0...$0 }(raises.count { numbers[$0.step.name] != nil })
            expect(range.contains(account.raises), "account \(number) was raised \(account.raises) times of \(range)")
        }
    }

    /// The amount of an account with a log.
    private func amount(_ number: Int, _ log: [String]) -> Int {
        records.reduce(Ledger.amount) { amount, record in
            guard case .transfer(let from, let to, let change, _) = record.step.operation,
                log.contains(record.step.name)
            else { return amount }
            return amount + (from == number ? -change : to == number ? change : 0)
        }
    }

    private func checkEntries() {
        let codes = contents.entries.map(\.code)
        expect(Set(codes).count == codes.count, "there are two entries with one code: \(codes.sorted())")
        for record in records {
            guard case .transfer(let from, _, _, _) = record.step.operation else { continue }
            let code = "e\(record.step.number)"
            let entry = contents.entries.first { $0.code == code }
            let deletions = records.filter { $0.deleted == code && $0.outcome != .refused }
            let isDeleted = deletions.contains { $0.outcome == .committed }
            if isThere(record), deletions.isEmpty { expect(entry != nil, "\(steps(of: record)) lost its entry") }
            if !isThere(record) || isDeleted {
                expect(entry == nil, "\(code) is there: \(isDeleted ? "it was deleted" : "its transfer is not there")")
            }
            if let entry { expect(entry.account == from, "\(code) is of account \(entry.account ?? -1)") }
        }
    }

    private func checkBatches() {
        var known: Set<String> = []
        for (index, record) in records.enumerated() {
            guard case .insertEntries(let count) = record.step.operation else { continue }
            let all = Set((0..<count).map { "b\(record.step.number)-\($0)" })
            known.formUnion(all)
            // The records of a process are in its order.
            let removals = records[index...].filter {
                $0.step.process == record.step.process && $0.step.operation == .removeEntries
            }
            let found = contents.entries.count { all.contains($0.code) }
            let mayBeThere = record.outcome != .nothing && !removals.contains { $0.outcome == .committed }
            let mayLack = record.outcome != .committed || removals.contains { $0.outcome != .nothing }
            expect(
                (found == count && mayBeThere) || (found == 0 && mayLack),
                "\(found) of \(count) entries of \(steps(of: record)) are there")
        }
        for entry in contents.entries where entry.code.hasPrefix("b") {
            expect(known.contains(entry.code), "an entry that no process has inserted: \(entry.code)")
        }
    }

    private func checkClaims() {
        for code in 0..<3 {
            let claims = records.filter { $0.step.operation == .claim(code) && $0.outcome != .nothing }
            let found = contents.claims.filter { $0.code == "k\(code)" }
            expect(found.count <= 1, "\(found.count) claims have the code k\(code)")
            for record in claims {
                expect(record.outcome != .refused, "\(steps(of: record)): a conflict in spite of its policy")
            }
            guard let author = found.first?.author else {
                expect(!claims.contains { $0.outcome == .committed }, "the claim k\(code) is missing")
                continue
            }
            guard let writer = claims.first(where: { $0.step.name == author }) else {
                findings.append("the claim k\(code) is of \(author)")
                continue
            }
            if contents.history != nil {
                let last = claims.max { numbers[$0.step.name]?.last ?? 0 < numbers[$1.step.name]?.last ?? 0 }
                expect(
                    last?.step.name == author,
                    "the claim k\(code) is of \(author), and the last one \(last?.step.name ?? "")")
            }
            let later = claims.first { $0.outcome == .committed && $0.begin > writer.end }
            if writer.outcome == .committed {
                expect(
                    later == nil,
                    "the claim k\(code) of \(author), and not that of a later one, \(later?.step.name ?? "")")
            }
        }
    }

    private func checkHistory() {
        findings += contents.unaccounted
        guard let history = contents.history else { return }
        let order = history.map(\.number)
        expect(zip(order, order.dropFirst()).allSatisfy { $0 < $1 }, "the transactions have the numbers \(order)")
        for record in records where record.step.number > 0 {
            let count = numbers[record.step.name]?.count ?? 0
            switch record.outcome {
            case .committed:
                // A deletion of no rows is no transaction.
                let mayLack = record.step.operation == .removeEntries
                expect(count == 1 || (mayLack && count == 0), "\(steps(of: record)) has \(count) transactions")
            case .unknown: expect(count <= 1, "\(steps(of: record)) has \(count) transactions")
            case .refused, .nothing: expect(count == 0, "\(steps(of: record)) has \(count) transactions")
            }
        }
        let written = records.filter { numbers[$0.step.name] != nil }
        for one in written {
            for other in written where one.end < other.begin {
                let (first, second) = (numbers[one.step.name]![0], numbers[other.step.name]![0])
                expect(first < second, "\(steps(of: one)) has number \(first), and later \(steps(of: other)) \(second)")
            }
        }
        for (number, account) in contents.accounts {
            let order = account.log.map { numbers[$0]?.first ?? 0 }
            expect(order == order.sorted(), "the log of account \(number), \(account.log), has the numbers \(order)")
        }
    }

    private func checkReads() {
        for record in records {
            for read in record.reads { check(read, record) }
        }
    }

    private func check(_ read: InterleavedRecord.Read, _ record: InterleavedRecord) {
        let sum = read.accounts.values.reduce(0) { $0 + $1.amount }
        expect(sum == Ledger.accounts * Ledger.amount, "\(steps(of: record)) reads the sum \(sum)")
        for (number, account) in read.accounts {
            let last = contents.accounts[number]?.log ?? []
            expect(
                Array(last.prefix(account.log.count)) == account.log,
                "\(steps(of: record)) reads the log \(account.log) of account \(number), which is \(last) at the end")
            let amount = amount(number, account.log)
            expect(
                account.amount == amount,
                "\(steps(of: record)) reads \(account.amount) of account \(number), \(amount) by its log")
            for other in records where other.accounts.contains(number) {
                guard case .transfer = other.step.operation else { continue }
                if other.outcome == .committed, other.end < read.begin {
                    expect(
                        account.log.contains(other.step.name), "\(steps(of: record)) does not see \(steps(of: other))")
                }
            }
        }
    }

    private func checkConflicts() {
        for (index, record) in records.enumerated() where record.outcome == .refused {
            let begin = record.deleted == nil ? record.begin : moment(ofRowsOf: index)
            let others = records.filter {
                $0.step.number != record.step.number && ($0.outcome == .committed || $0.outcome == .unknown)
                    && !$0.accounts.isDisjoint(with: record.accounts) && $0.begin <= record.end && $0.end >= begin
            }
            expect(!others.isEmpty, "\(steps(of: record)) has a conflict with no other save since step \(begin)")
        }
    }

    /// The step at which a process has read the accounts that a deletion changes: they may come from the row cache of
    /// its coordinator, which does not know of other processes until it fetches.
    private func moment(ofRowsOf index: Int) -> Int64 {
        var begin = records[index].begin
        for record in records[..<index].reversed() where record.step.process == records[index].step.process {
            if record.step.operation == .reopen || record.step.disturbance.kind == OCD_DISTURBANCE_CRASH { break }
            begin = record.begin
            if case .transfer = record.step.operation { break }
            if record.step.operation == .read { break }
        }
        return begin
    }
}
