// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs statements: one, several in one round trip, or one with streamed rows.

import CPostgreSQL

/// A statement with its values.
package struct Statement {
    /// The text with placeholders $1, $2 ….
    package var text: String
    package var values: [Parameter]
    /// Whether the statement should be prepared.
    package var isReused: Bool

    /// - Parameter isReused: unless given, all statements are prepared but those that find rows by the elements of an
    ///   array (PostgreSQL-Q4).
    package init(_ text: String, _ values: [Parameter] = [], isReused: Bool? = nil) {
        self.text = text
        self.values = values
        self.isReused = isReused ?? (!values.contains { TypeNumber.isArray($0.type) } || text.hasPrefix("INSERT"))
    }
}

/// The same text with other parameter types is a different statement.
struct PreparedKey: Hashable {
    let text: String
    let types: [UInt32]
}

extension Connection {
    /// Runs one statement and reads its whole answer.
    ///
    /// - Throws: `PostgreSQLError`.
    @discardableResult
    package func run(_ statement: Statement, _ deadline: Deadline) throws -> Answer {
        try run([statement], deadline)[0]
    }

    /// Runs statements in one round trip. After a refused statement, the rest is not run.
    ///
    /// - Returns: an answer for each.
    /// - Throws: the error of the first refused statement.
    package func run(_ statements: [Statement], _ deadline: Deadline) throws -> [Answer] {
        let (answers, failure) = try attempt(statements, deadline)
        if let failure { throw failure }
        return answers
    }

    /// Runs statements in one round trip, for a caller that checks the answers one by one.
    ///
    /// - Returns: an answer for each, and the error of the first refused statement.
    /// - Throws: if the connection is lost.
    package func attempt(_ statements: [Statement], _ deadline: Deadline) throws -> ([Answer], PostgreSQLError?) {
        if statements.isEmpty { return ([], nil) }
        guard !isBroken else { throw PostgreSQLError(.connection, "The connection is cut.") }
        var statements = statements
        let place = preamblePlace(statements)
        if let place, let preamble { statements.insert(preamble, at: place) }
        var reports = StatementReports(onStatement)
        defer { reports.endRest() }
        guard ocd_pq_enter_pipeline(pointer) == 1 else { throw connectionError() }
        var preparations: [Bool] = []
        for statement in statements {
            reports.begin(statement.text)
            try preparations.append(send(statement))
        }
        guard ocd_pq_sync(pointer) == 1 else { throw connectionError() }
        try flush(deadline)
        var answers: [Answer] = []
        var failure: PostgreSQLError?
        for (statement, isPrepared) in zip(statements, preparations) {
            if isPrepared, let preparing = try answerOfOne(deadline) {
                if preparing.isFailure { failure = failure ?? preparing.error }
                if preparing.status != Int32(OCD_PQ_COMMAND_OK) { forget(statement) }
            }
            guard let answer = try answerOfOne(deadline) else { throw connectionError() }
            if answer.isFailure {
                failure = failure ?? answer.error
                // The type of a table has changed since the statement was prepared.
                if answer.error.code == "0A000" { forget(statement) }
            }
            reports.endNext(rows: answer.rowCount, answer.isFailure ? answer.error : nil)
            answers.append(answer)
        }
        guard let sync = try nextAnswer(deadline), sync.status == Int32(OCD_PQ_PIPELINE_SYNC) else {
            throw failure ?? connectionError()
        }
        guard ocd_pq_exit_pipeline(pointer) == 1 else { throw connectionError() }
        if let place { answers.remove(at: place) }
        return (answers, failure)
    }

    /// The index of the preamble: before the first statement that takes a snapshot. Without BEGIN the statements of one
    /// round trip are also a transaction. nil if there is no preamble, or the transaction already has it.
    private func preamblePlace(_ statements: [Statement]) -> Int? {
        if preamble == nil || isInTransaction { return nil }
        let beginnings = ["BEGIN", "LOCK", "SET"]
        return statements.firstIndex { statement in !beginnings.contains { statement.text.hasPrefix($0) } }
            ?? statements.count
    }

    /// libpq 15 applies the streaming mode to the first statement of a pipeline. Its rows then come in parts.
    private func answerOfOne(_ deadline: Deadline) throws -> Answer? {
        guard let first = try nextAnswer(deadline) else { return nil }
        while let further = try nextAnswer(deadline) {
            if further.status == Int32(OCD_PQ_PIPELINE_SYNC) { throw connectionError() }
            first.append(further)
        }
        return first
    }

    /// Runs one statement and passes on its rows as they arrive.
    ///
    /// - Parameters:
    ///   - answerTimeout: the time that the server may be silent.
    ///   - body: must not use the connection.
    package func stream(_ statement: Statement, answerTimeout: Duration, _ body: (CellRow) throws -> Void) throws {
        guard !isBroken else { throw PostgreSQLError(.connection, "The connection is cut.") }
        var reports = StatementReports(onStatement)
        reports.begin(statement.text)
        defer { reports.endRest() }
        let key = key(statement)
        if usesPreparedStatements, statement.isReused, prepared[key] == nil {
            let name = register(key)
            let types = statement.values.map(\.type)
            guard ocd_pq_send_prepare(pointer, name, statement.text, Int32(types.count), types) == 1 else {
                throw connectionError()
            }
            try flush(Deadline(in: answerTimeout))
            while let answer = try nextAnswer(Deadline(in: answerTimeout)) {
                if answer.isFailure {
                    prepared[key] = nil
                    let error = answer.error
                    while try nextAnswer(Deadline(in: answerTimeout)) != nil {}
                    throw error
                }
            }
        }
        var failure: (any Error)?
        let beginning = isInTransaction ? nil : preamble
        if let beginning {
            guard ocd_pq_enter_pipeline(pointer) == 1 else { throw connectionError() }
            let isPrepared = try send(beginning)
            _ = try send(statement)
            guard ocd_pq_sync(pointer) == 1 else { throw connectionError() }
            try flush(Deadline(in: answerTimeout))
            for _ in 0..<(isPrepared ? 2 : 1) {
                guard let answer = try answerOfOne(Deadline(in: answerTimeout)) else { throw connectionError() }
                if answer.isFailure { failure = failure ?? answer.error }
            }
        } else {
            _ = try send(statement)
        }
        guard ocd_pq_stream(pointer, Int32(rowsInPart)) == 1 else { throw connectionError() }
        if beginning == nil { try flush(Deadline(in: answerTimeout)) }
        var row: CellRow?
        // Not an `Answer`: before libpq 17 each row is a separate result.
        while let result = try nextResult(Deadline(in: answerTimeout)) {
            defer { ocd_pq_clear(result) }
            streamedParts += 1
            if failure != nil { continue }
            let cells = row ?? CellRow(count: Int(ocd_pq_column_count(result)))
            row = cells
            do {
                if let error = PostgreSQLError(result) { throw error }
                for index in 0..<Int(ocd_pq_row_count(result)) {
                    cells.take(result, index)
                    reports.rows += 1
                    try body(cells)
                }
            } catch {
                failure = error
            }
        }
        if beginning != nil {
            guard let sync = try nextAnswer(Deadline(in: answerTimeout)), sync.status == Int32(OCD_PQ_PIPELINE_SYNC),
                ocd_pq_exit_pipeline(pointer) == 1
            else { throw failure ?? connectionError() }
        }
        reports.endNext(rows: reports.rows, failure as? PostgreSQLError)
        if let failure { throw failure }
    }

    /// - Returns: whether the statement is prepared first, which has a separate answer.
    private func send(_ statement: Statement) throws -> Bool {
        let key = key(statement)
        var isPrepared = false
        var name = usesPreparedStatements && statement.isReused ? prepared[key] : nil
        if name == nil, usesPreparedStatements, statement.isReused {
            name = register(key)
            isPrepared = true
            let types = statement.values.map(\.type)
            guard ocd_pq_send_prepare(pointer, name ?? "", statement.text, Int32(types.count), types) == 1 else {
                throw connectionError()
            }
        }
        let isSent = withValues(statement.values) { types, values, lengths, formats in
            let count = Int32(statement.values.count)
            if let name { return ocd_pq_send_prepared(pointer, name, count, values, lengths, formats) }
            return ocd_pq_send(pointer, statement.text, count, types, values, lengths, formats)
        }
        guard isSent == 1 else { throw connectionError() }
        return isPrepared
    }

    private func key(_ statement: Statement) -> PreparedKey {
        PreparedKey(text: statement.text, types: statement.values.map(\.type))
    }

    private func register(_ key: PreparedKey) -> String {
        // Programs use few statements. Beyond that number the server keeps the prepared ones, but we forget them.
        if prepared.count > 500 { prepared = [:] }
        preparedNumber += 1
        let name = "ocd\(preparedNumber)"
        prepared[key] = name
        return name
    }

    private func forget(_ statement: Statement) { prepared[key(statement)] = nil }

    private func withValues<T>(
        _ parameters: [Parameter],
        _ body: ([UInt32], UnsafePointer<UnsafePointer<CChar>?>?, [Int32], [Int32]) -> T
    ) -> T {
        // All bytes in one block, with a pointer for each value.
        var block: [CChar] = []
        block.reserveCapacity(parameters.reduce(1) { $0 + ($1.bytes?.count ?? 0) })
        var places: [Int?] = []
        for parameter in parameters {
            places.append(parameter.bytes == nil ? nil : block.count)
            parameter.bytes?.withUnsafeBytes { block.append(contentsOf: $0.bindMemory(to: CChar.self)) }
        }
        block.append(0)
        return block.withUnsafeBufferPointer { block in
            let pointers = places.map { place in place.flatMap { block.baseAddress?.advanced(by: $0) } }
            return pointers.withUnsafeBufferPointer { pointers in
                body(
                    parameters.map(\.type), pointers.baseAddress, parameters.map { Int32($0.bytes?.count ?? 0) },
                    [Int32](repeating: 1, count: parameters.count))
            }
        }
    }
}
