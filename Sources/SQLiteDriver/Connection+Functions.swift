// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Adds SQL functions, aggregates and collations written in Swift to a connection.

import CSQLite

/// The properties of a function that SQLite may rely on.
package struct FunctionOptions: OptionSet, Sendable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// Equal arguments have equal results, so indexes may use the function, and constant calls run once.
    package static let deterministic = FunctionOptions(rawValue: SQLITE_DETERMINISTIC)
    /// Only statements of the program may call it, not triggers, views or constraints in the file.
    package static let directOnly = FunctionOptions(rawValue: SQLITE_DIRECTONLY)
    /// Harmless for any arguments: triggers and views of untrusted files may call it.
    package static let innocuous = FunctionOptions(rawValue: SQLITE_INNOCUOUS)
}

/// The state of an aggregate function for one group.
package protocol SQLAggregateFunction {
    mutating func step(_ arguments: FunctionArguments) throws
    /// Called once, also for a group without rows.
    mutating func result() throws -> SQLiteValue
}

/// Closures run inside `step()`, on the connection's thread. They must not use the connection; retaining it would
/// keep it open forever. An error that they throw becomes the error of the statement: a `SQLiteError` keeps code
/// and message, any other error becomes `SQLITE_ERROR` with its description. A second function with the same name
/// and number of arguments replaces the first. All methods throw `isBusy` if a running statement uses the function
/// to be replaced.
extension Connection {
    /// - Parameter argumentCount: nil accepts any number.
    package func addFunction(
        _ name: String, argumentCount: Int?, options: FunctionOptions = [],
        _ body: @escaping @Sendable (FunctionArguments) throws -> SQLiteValue
    ) throws(SQLiteError) {
        try create(name, argumentCount, options, Box(body)) { context, count, values in
            guard let body: ScalarBody = Box.content(context) else { return }
            let result = FunctionResult(context)
            do {
                result.set(try body(FunctionArguments(count: count, values: values)))
            } catch {
                result.fail(error)
            }
        }
    }

    /// Adds a function of one text that neither copies nor allocates. A null argument is nil, a number is
    /// converted to text.
    ///
    /// - Parameter body: receives bytes that are valid during the call. nil results in null; a Boolean is 1 or 0.
    package func addTextFunction(
        _ name: String, options: FunctionOptions = [],
        _ body: @escaping @Sendable (UnsafeBufferPointer<UInt8>?) throws -> Int64?
    ) throws(SQLiteError) {
        try create(name, 1, options, Box(body)) { context, _, values in
            guard let body: TextBody = Box.content(context), let values else { return }
            let result = FunctionResult(context)
            do {
                result.set(try body(textBytes(values[0])))
            } catch {
                result.fail(error)
            }
        }
    }

    /// Adds a function of two texts with the same rules, as `LIKE` and similar operators need.
    package func addTextFunction(
        _ name: String, options: FunctionOptions = [],
        _ body: @escaping @Sendable (UnsafeBufferPointer<UInt8>?, UnsafeBufferPointer<UInt8>?) throws -> Int64?
    ) throws(SQLiteError) {
        try create(name, 2, options, Box(body)) { context, _, values in
            guard let body: TwoTextsBody = Box.content(context), let values else { return }
            let result = FunctionResult(context)
            do {
                result.set(try body(textBytes(values[0]), textBytes(values[1])))
            } catch {
                result.fail(error)
            }
        }
    }

    /// - Parameters:
    ///   - argumentCount: nil accepts any number.
    ///   - makeState: called once per group.
    package func addAggregate(
        _ name: String, argumentCount: Int?, options: FunctionOptions = [],
        _ makeState: @escaping @Sendable () -> any SQLAggregateFunction
    ) throws(SQLiteError) {
        let box = Box(makeState)
        let code = sqlite3_create_function_v2(
            handle, name, Int32(argumentCount ?? -1), SQLITE_UTF8 | options.rawValue, CallbackObject.retained(box), nil,
            { context, count, values in
                guard let state = AggregateState.current(of: context, isLast: false) else { return }
                state.step(FunctionArguments(count: count, values: values), FunctionResult(context))
            },
            { context in
                guard let state = AggregateState.current(of: context, isLast: true) else { return }
                state.finish(FunctionResult(context))
            }, releaseBox)
        try check(code, name)
    }

    /// - Parameter argumentCount: the number given when the function was added.
    package func removeFunction(_ name: String, argumentCount: Int?) throws(SQLiteError) {
        try check(
            sqlite3_create_function_v2(
                handle, name, Int32(argumentCount ?? -1), SQLITE_UTF8, nil, nil, nil, nil, nil), name)
    }

    /// Adds an order of texts.
    ///
    /// - Parameter compare: negative, zero or positive if the first text precedes, equals or follows the second. It
    ///   must be a total order and never change, because indexes are built on it.
    package func addCollation(
        _ name: String,
        _ compare: @escaping @Sendable (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Int
    ) throws(SQLiteError) {
        let box = CallbackObject.retained(Box(compare))
        let code = sqlite3_create_collation_v2(
            handle, name, SQLITE_UTF8, box,
            { context, leftCount, left, rightCount, right in
                guard let context else { return 0 }
                let compare = CallbackObject.object(at: context, as: Box<CompareBody>.self).content
                let order = compare(bytes(left, leftCount), bytes(right, rightCount))
                return Int32(order.signum())
            }, releaseBox)
        // SQLite does not release the context of a collation when the call fails, unlike that of a function.
        if code != SQLITE_OK { releaseBox(box) }
        try check(code, name)
    }

    private func create<Body>(
        _ name: String, _ argumentCount: Int?, _ options: FunctionOptions, _ box: Box<Body>,
        _ call: @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void
    ) throws(SQLiteError) {
        let code = sqlite3_create_function_v2(
            handle, name, Int32(argumentCount ?? -1), SQLITE_UTF8 | options.rawValue, CallbackObject.retained(box),
            call, nil, nil,
            releaseBox)
        try check(code, name)
    }

    private func check(_ code: Int32, _ name: String) throws(SQLiteError) {
        guard code == SQLITE_OK else {
            let error = SQLiteError(of: handle, code: code, sql: nil)
            throw SQLiteError(
                extendedCode: error.extendedCode, message: "'\(name)' cannot be added: \(error.message)", path: path)
        }
    }
}

private typealias ScalarBody = @Sendable (FunctionArguments) throws -> SQLiteValue
private typealias TextBody = @Sendable (UnsafeBufferPointer<UInt8>?) throws -> Int64?
private typealias TwoTextsBody =
    @Sendable (UnsafeBufferPointer<UInt8>?, UnsafeBufferPointer<UInt8>?) throws -> Int64?
private typealias CompareBody = @Sendable (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Int

/// Gives a closure an address for C. SQLite releases it with the function.
private final class Box<Content> {
    let content: Content

    init(_ content: Content) { self.content = content }

    /// The content of a running function's box.
    static func content(_ context: OpaquePointer?) -> Content? {
        guard let box = sqlite3_user_data(context) else { return nil }
        return CallbackObject.object(at: box, as: Box<Content>.self).content
    }
}

private let releaseBox: @convention(c) (UnsafeMutableRawPointer?) -> Void = { box in
    if let box { CallbackObject.release(box) }
}

/// The state of one group, stored in the memory that SQLite provides for it.
private final class AggregateState {
    private var function: any SQLAggregateFunction
    private var hasFailed = false

    private init(_ function: any SQLAggregateFunction) { self.function = function }

    /// - Parameter isLast: removes the state; for a group without rows a new one is created.
    static func current(of context: OpaquePointer?, isLast: Bool) -> AggregateState? {
        let size = Int32(MemoryLayout<UnsafeRawPointer?>.size)
        let slot = sqlite3_aggregate_context(context, isLast ? 0 : size)?
            .assumingMemoryBound(to: UnsafeRawPointer?.self)
        if let address = slot?.pointee {
            guard isLast else { return CallbackObject.object(at: address) }
            slot?.pointee = nil
            return CallbackObject.take(address)
        }
        guard let makeState: @Sendable () -> any SQLAggregateFunction = Box.content(context) else { return nil }
        guard isLast || slot != nil else {
            sqlite3_result_error_nomem(context)
            return nil
        }
        let state = AggregateState(makeState())
        if !isLast { slot?.pointee = UnsafeRawPointer(CallbackObject.retained(state)) }
        return state
    }

    func step(_ arguments: FunctionArguments, _ result: FunctionResult) {
        guard !hasFailed else { return }
        do {
            try function.step(arguments)
        } catch {
            hasFailed = true
            result.fail(error)
        }
    }

    /// SQLite also calls this after a failed step, to release the state.
    func finish(_ result: FunctionResult) {
        guard !hasFailed else { return }
        do {
            result.set(try function.result())
        } catch {
            result.fail(error)
        }
    }
}

private func bytes(_ start: UnsafeRawPointer?, _ count: Int32) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: Int(count))
}
