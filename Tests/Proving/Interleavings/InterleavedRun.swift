// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One run of a script: its processes, its findings, and a digest of all its steps.

import CFaults
import CoreDataTestSupport
import Foundation

struct InterleavedRun {
    private(set) var findings: [String] = []
    private(set) var digest: UInt64 = 0
    private(set) var steps: Int64 = 0
    private(set) var switches: [ScriptedSwitch] = []
    private(set) var records: [InterleavedRecord] = []
    private(set) var deaths = 0

    /// - Parameter template: a closed store with the accounts.
    init(_ script: InterleavingScript, template: URL, isTraced: Bool = false) throws {
        let place = try Place()
        if !script.isNew { try FileManager.default.copyItem(at: template, to: place.store) }
        ocd_watch(place.folder.path)
        ocd_steps_trace(isTraced)
        let given = script.switches?.map { ocd_switch(process: $0.process, next: $0.next, step: $0.step) }
        // An empty list of switches has an address, too.
        let none = ocd_switch(process: -1, next: 0, step: 0)
        ocd_steps_prepare(
            Int32(script.processes), script.seed, script.chance, script.switchesInAllocations,
            given.map { $0 + [none] }, (given?.count ?? -1) + 1, script.plant)
        let url = place.store
        let processes = (0..<script.processes).map { InterleavedProcess(script, $0, url, isTraced: isTraced) }
        let count = script.processes
        onThreads(count + 1) { number in
            if number < count { processes[number].run() } else { ocd_steps_run() }
        }
        ocd_watch(nil)
        digest = ocd_steps_digest()
        steps = ocd_steps_count()
        var length = 0
        if let all = ocd_steps_switches(&length) {
            switches = UnsafeBufferPointer(start: all, count: length).map {
                ScriptedSwitch(process: $0.process, step: $0.step, next: $0.next)
            }
        }
        records = processes.flatMap(\.records)
        deaths = processes.reduce(0) { $0 + $1.deaths }
        check(script, url)
    }

    /// The place of the copy that a step makes.
    static func backup(_ step: ScriptedStep, beside url: URL) -> URL {
        url.deletingLastPathComponent().appending(path: "Copy-\(step.number).sqlite")
    }

    private mutating func check(_ script: InterleavingScript, _ url: URL) {
        let setup = script.setup
        if steps > Self.most { findings.append("the processes do not end: \(steps) steps") }
        do {
            // Each process may have died before it had made the accounts.
            if script.isNew { try Ledger.filled(setup, url).close() }
            for record in records {
                if let copy = record.backup { try checkCopy(setup, copy, of: record) }
            }
            let contents = try LedgerContents(setup, url)
            findings += LedgerCheck.findings(records, contents)
        } catch {
            findings += records.flatMap(\.problems) + ["the store cannot be read: \(error)"]
        }
        if let damage = Site.damage(setup, url) { findings.append(damage) }
        // A copy with its files, which its process may have left half made.
        let copies = script.steps.filter { $0.operation == .backup }.flatMap { step in
            ["", "-wal", "-shm"].map { Self.backup(step, beside: url).lastPathComponent + $0 }
        }
        findings += Site.leftovers(beside: url, largeData: nil, also: Set(copies))
    }

    private mutating func checkCopy(_ setup: Setup, _ copy: URL, of record: InterleavedRecord) throws {
        let contents = try LedgerContents(setup, copy)
        let sum = contents.accounts.values.reduce(0) { $0 + $1.amount }
        let whole = Ledger.accounts * Ledger.amount
        if !contents.accounts.isEmpty, sum != whole {
            findings.append("the copy of \(record.step.name) has the sum \(sum)")
        }
        let names = Set(contents.accounts.values.flatMap(\.log))
        for entry in contents.entries where entry.code.hasPrefix("e") && !names.contains("s\(entry.code.dropFirst())") {
            findings.append("the copy of \(record.step.name) has \(entry.code), and not its transfer")
        }
        findings += contents.unaccounted.map { "the copy of \(record.step.name): \($0)" }
        if let damage = Site.damage(setup, copy) { findings.append("the copy of \(record.step.name): \(damage)") }
    }

    /// The number of steps after which the processes are stopped.
    private static let most = 4_000_000
}
