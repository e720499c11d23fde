// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs a sequence of random merges, and searches the shortest part of it that fails.

import CoreDataTestSupport

struct MergeRun: Sendable {
    let kind: StoreKind
    /// nil for the error policy.
    let policy: Winner?
    let isApart: Bool
    let refreshes: Bool
    let seed: UInt64
    let rounds: Int
    /// Called before each step, so that the last one is known if the program traps.
    var trace: (@Sendable (String) -> Void)?

    /// - Returns: nil for a run without findings; else instructions to reproduce them.
    func report() -> String? {
        var choice = MergeChoice(seed: seed)
        let sides = choice.views()
        var steps = choice.beginning()
        for _ in 0..<rounds { steps += choice.round(sides, refreshes: refreshes) }
        guard let failure = replay(steps, sides, trace) else { return nil }
        let shortest = Array(steps.prefix(failure.step + 1)).shortened { replay($0, sides) != nil }
        let findings = replay(shortest, sides)?.findings ?? []
        return """
            OCD_MERGE_SEED=\(seed) fails at step \(failure.step). \(kind), policy \(policy?.rawValue ?? "error")\(isApart ? ", coordinators apart" : ""):
              \(sides.enumerated().map { "\($0.offset) \($0.element)" }.joined(separator: ", "))
            \(shortest.map { "    \($0)" }.joined(separator: "\n"))
            \(findings.map { "  ! \($0)" }.joined(separator: "\n"))
            """
    }

    private func replay(
        _ steps: [MergeStep], _ sides: [MergeView], _ trace: (@Sendable (String) -> Void)? = nil
    ) -> (step: Int, findings: [String])? {
        var position = 0
        do {
            let work = try MergeWork(kind, policy, sides: sides, isApart: isApart)
            for step in steps {
                trace?("\(step)")
                let findings = try work.perform(step)
                if !findings.isEmpty { return (position, findings) }
                position += 1
            }
            let findings = try work.finish()
            return findings.isEmpty ? nil : (max(steps.count - 1, 0), findings)
        } catch {
            return (position, ["\(error)"])
        }
    }
}
