// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the findings of the scenarios as a table.

struct BeyondReport {
    let findings: [Finding]

    var text: String {
        "| scenario | figure | found | bound | why this bound |\n| --- | --- | ---: | ---: | --- |\n"
            + findings.map(line).joined()
    }

    private func line(_ finding: Finding) -> String {
        let found = Decimals.text(finding.value, places: 2) + " " + finding.unit
        let bound = Decimals.text(finding.bound, places: finding.bound.rounded() == finding.bound ? 0 : 1)
        return "| \(finding.scenario) | \(finding.figure) | \(finding.isKept ? found : "**\(found)**") | \(bound) | "
            + "\(finding.argument) |\n"
    }
}
