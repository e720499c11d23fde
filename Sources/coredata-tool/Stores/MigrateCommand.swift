// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool migrate`: checks, plans, runs and verifies the migration of a store to another version of its model.

import ArgumentParser
import CoreDataToolKit
import Foundation

struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Brings a store to another version of its model: check, plan, run, verify.",
        discussion: """
            Examples:
              coredata-tool migrate check Shop.sqlite --model Shop.xcdatamodeld
              coredata-tool migrate plan Shop.sqlite --model Shop.xcdatamodeld \\
                  --model-version 'Shop 3'
              coredata-tool migrate run Shop.sqlite --model Shop.xcdatamodeld
              coredata-tool migrate verify Shop.sqlite --model Shop.xcdatamodeld \\
                  --against Before.sqlite

            Exit status: check ends with 0 where the store has the version, 2 where a migration is needed and possible, and 3 \
            where none is possible; plan and run with 0, or 3. These three end with 1 for an error, such as a missing or \
            damaged file. verify ends as other commands do: 0 for a whole store, 1 with findings, 2 for an error.
            """,
        subcommands: [
            MigrateCheckCommand.self, MigratePlanCommand.self, MigrateRunCommand.self, MigrateVerifyCommand.self,
        ])
}

/// The format of a report.
enum ReportFormat: String, ExpressibleByArgument {
    case table
    case json
}

/// The store and the version to migrate it to.
struct MigrationArguments: ParsableArguments {
    @Argument(help: "A store.")
    var store: String

    @Option(help: "The model (.xcdatamodeld, .xcdatamodel, .momd, .mom). Each of its versions may be the store's.")
    var model: String

    @Option(help: "The version that the store shall have; the current one otherwise.")
    var modelVersion: String?

    @Option(help: "The configuration of the model with the entities of the store; all entities otherwise.")
    var configuration: String?

    @Option(
        parsing: .upToNextOption,
        help: "Models that the way may lead through, oldest first, even if it loses more than a direct step.")
    var through: [String] = []

    @Option(help: "A compiled mapping model (.cdm) from the store's version, or one on the way, to the next.")
    var mapping: String?

    @Flag(help: "Allow a way through the versions of --mapping that loses more than a direct step.")
    var allowLoss = false

    @OptionGroup var inference: InferenceOptions

    @Option(help: "table or json.")
    var format: ReportFormat = .table

    func check(
        rebuilds: Bool = false, keepsOriginal: Bool = false, quarantines: Bool = false, isWritten: Bool = false
    ) throws -> MigrationCheck {
        try MigrationCheck(
            MigrationTask(
                URL(place: store), model: URL(fileURLWithPath: model), version: modelVersion,
                configuration: configuration, through: through.map { URL(fileURLWithPath: $0) },
                mapping: mapping.map { URL(fileURLWithPath: $0) }, allowsLoss: allowLoss, rebuilds: rebuilds,
                keepsOriginal: keepsOriginal, quarantines: quarantines, inference: inference.chosen,
                isWritten: isWritten))
    }
}

/// The exit statuses other than 0 and 1.
enum MigrationStatus {
    static let needed = ExitCode(2)
    static let impossible = ExitCode(3)

    /// Runs a command that ends with one of these statuses, or with nil for 0.
    static func run(_ body: () throws -> ExitCode?) throws {
        var status: ExitCode?
        // 2 would mean that a migration is needed.
        try Terminal.run(failing: ExitCode(1)) { status = try body() }
        if let status { throw status }
    }
}

struct MigrateCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Says whether a store has a version of a model, or can be migrated to it. Changes nothing.",
        discussion: """
            Exit status: 0 where the store has the version, 2 where a migration is needed and possible, 3 where none is \
            possible, 1 for an error. "Drift" are differences that no version hash shows, such as a missing index.

            Example, for a build that must not ship an impossible migration:
              coredata-tool migrate check Released.sqlite --model Shop.xcdatamodeld \\
                  || [ $? -eq 2 ]
            """)

    @OptionGroup var arguments: MigrationArguments

    func run() throws {
        try MigrationStatus.run {
            let check = try arguments.check()
            try Terminal.write(check.text(isJSON: arguments.format == .json, isPlan: false, width: Terminal.width))
            switch check.verdict {
            case .fits: return nil
            case .needed: return MigrationStatus.needed
            case .impossible: return MigrationStatus.impossible
            }
        }
    }
}

struct MigratePlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Prints the steps, statements, costs and warnings of a migration. Changes nothing.",
        discussion: """
            Exit status: 0 where there is a way, or nothing to do; 3 where no migration is possible; 1 for an error.

            Example:
              coredata-tool migrate plan Shop.sqlite --model Shop.xcdatamodeld \\
                  --format json
            """)

    @OptionGroup var arguments: MigrationArguments

    @Flag(help: "Make every table with rows anew, so that its columns have the order of a new store.")
    var rebuild = false

    @Flag(help: "Put rows that cannot come along into a store of the old version beside the store.")
    var quarantine = false

    func run() throws {
        try MigrationStatus.run {
            let check = try arguments.check(rebuilds: rebuild, quarantines: quarantine)
            try Terminal.write(check.text(isJSON: arguments.format == .json, isPlan: true, width: Terminal.width))
            return check.verdict == .impossible ? MigrationStatus.impossible : nil
        }
    }
}

struct MigrateRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Migrates a store, or mends its drift, in one transaction.",
        discussion: """
            Exit status: 0 where the store has the version afterwards, 3 where no migration is possible, 1 for an error, such as \
            a store in use. After 1 and 3 the store is as before. A terminal shows the rows that are written; Ctrl-C \
            cancels the migration and leaves the store as it was.

            Example:
              coredata-tool migrate run Shop.sqlite --model Shop.xcdatamodeld \\
                  --keep-original --quarantine
            A store that keeps no model, and whose version --model lacks, is read with the model inferred from its tables by \
            --infer. A guess may be wrong: this needs --keep-original, `plan` lists the guesses, and --overlay corrects them.
            """)

    @OptionGroup var arguments: MigrationArguments

    @Flag(help: "Make every table with rows anew, so that its columns have the order of a new store.")
    var rebuild = false

    @Flag(help: "Keep the store from before, with its large data, under another name beside it.")
    var keepOriginal = false

    @Flag(help: "Put rows that cannot come along into a store of the old version beside the store.")
    var quarantine = false

    func run() throws {
        try MigrationStatus.run {
            // The check makes no file next to a store that will not be changed.
            let look = try arguments.check(rebuilds: rebuild, quarantines: quarantine)
            guard look.verdict != .impossible else { return refuse(look) }
            guard look.verdict != .fits || !look.drift.isEmpty else {
                let outcome = MigrationCheck.Outcome.none
                try Terminal.write(outcome.text(isJSON: arguments.format == .json, width: Terminal.width))
                return nil
            }
            let check = try arguments.check(
                rebuilds: rebuild, keepsOriginal: keepOriginal, quarantines: quarantine, isWritten: true)
            guard check.verdict != .impossible else { return refuse(check) }
            let outcome = try ProgressWatch.run("Migrating") { try check.run(progress: $0) }
            try Terminal.write(outcome.text(isJSON: arguments.format == .json, width: Terminal.width))
            return nil
        }
    }

    private func refuse(_ check: MigrationCheck) -> ExitCode {
        for reason in check.reasons { Terminal.printNote(reason) }
        return MigrationStatus.impossible
    }
}

struct MigrateVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Says whether a store is whole, and whether it has the values of its original. Changes nothing.",
        discussion: """
            Reads every page, compares the tables with those of a new store, and looks for references to no object and for \
            missing files of large data. --against compares every value with the store before its migration. Objects that \
            stayed behind are looked for in the store that --quarantine names, and have to be there with their values. A store \
            on a server is examined by the doctor's statements for rows, references, orders and indexes; its original may be \
            another store on a server, or a copy in a file.

            Exit status: 0 for a whole store, 1 with findings, 2 where the store could not be examined.

            Example:
              coredata-tool migrate verify Shop.sqlite --model Shop.xcdatamodeld \\
                  --against Before.sqlite
            """)

    @Argument(help: "A store.")
    var store: String

    @Option(help: "The model of the store (.xcdatamodeld, .xcdatamodel, .momd, .mom); the one it keeps otherwise.")
    var model: String?

    @Option(help: "The store's version of the model; the current one otherwise.")
    var modelVersion: String?

    @Option(help: "The configuration of the model with the entities of the store; all entities otherwise.")
    var configuration: String?

    @Option(help: "A copy of the store from before its migration.")
    var against: String?

    @Option(help: "With --against: a store with objects that did not come along. May be given several times.")
    var quarantine: [String] = []

    @OptionGroup var inference: InferenceOptions

    @Option(help: "table or json.")
    var format: ReportFormat = .table

    func run() throws {
        try Terminal.report {
            let verification = try StoreVerification(
                URL(place: store), model: model.map { URL(fileURLWithPath: $0) }, version: modelVersion,
                configuration: configuration, original: against.map { URL(place: $0) },
                quarantines: quarantine.map { URL(place: $0) }, inference: inference.chosen)
            try Terminal.write(verification.text(isJSON: format == .json))
            return verification.isWhole ? nil : Terminal.findings
        }
    }
}
