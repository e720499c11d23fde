// Written by `coredata-tool port`: names of Apple's module `os` for other systems. The file is yours to change.
//
// Messages go to standard error, those of the levels debug and info only with LOG_LEVEL=debug or info in the
// environment. As on Apple's systems, values are private unless they are numbers, Booleans or marked as public.

#if !canImport(os)
    import Foundation

    public nonisolated struct Logger: Sendable {
        private let log: OSLog

        public init() { log = .default }

        public init(_ log: OSLog) { self.log = log }

        public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

        public func log(level: OSLogType = .default, _ message: OSLogMessage) { log.write(level, message) }

        public func trace(_ message: OSLogMessage) { log.write(.debug, message) }

        public func debug(_ message: OSLogMessage) { log.write(.debug, message) }

        public func info(_ message: OSLogMessage) { log.write(.info, message) }

        public func notice(_ message: OSLogMessage) { log.write(.default, message) }

        public func warning(_ message: OSLogMessage) { log.write(.error, message) }

        public func error(_ message: OSLogMessage) { log.write(.error, message) }

        public func critical(_ message: OSLogMessage) { log.write(.fault, message) }

        public func fault(_ message: OSLogMessage) { log.write(.fault, message) }
    }

    public nonisolated struct OSLogType: RawRepresentable, Hashable, Sendable {
        public static let `default` = OSLogType(rawValue: 0)
        public static let info = OSLogType(rawValue: 1)
        public static let debug = OSLogType(rawValue: 2)
        public static let error = OSLogType(rawValue: 16)
        public static let fault = OSLogType(rawValue: 17)

        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public init(_ rawValue: UInt8) { self.rawValue = rawValue }
    }

    public nonisolated final class OSLog: Sendable {
        public static let `default` = OSLog(label: "", isEnabled: true)
        public static let disabled = OSLog(label: "", isEnabled: false)

        private static let level = ProcessInfo.processInfo.environment["LOG_LEVEL"]
        private let label: String
        private let isOn: Bool

        public convenience init(subsystem: String, category: String) {
            self.init(label: "[\(subsystem):\(category)] ", isEnabled: true)
        }

        private init(label: String, isEnabled: Bool) {
            self.label = label
            isOn = isEnabled
        }

        public func isEnabled(type: OSLogType) -> Bool {
            switch type {
            case .debug: isOn && OSLog.level == "debug"
            case .info: isOn && (OSLog.level == "debug" || OSLog.level == "info")
            default: isOn
            }
        }

        fileprivate func write(_ type: OSLogType, _ message: OSLogMessage) {
            guard isEnabled(type: type) else { return }
            FileHandle.standardError.write(Data("\(label)\(message.text)\n".utf8))
        }
    }

    public nonisolated struct OSLogPrivacy: Sendable {
        public enum Mask: Sendable { case hash, none }

        public static let auto = OSLogPrivacy(isPublic: nil)
        public static let `public` = OSLogPrivacy(isPublic: true)
        public static let `private` = OSLogPrivacy(isPublic: false)
        public static let sensitive = OSLogPrivacy(isPublic: false)

        fileprivate let isPublic: Bool?

        public static func auto(mask: Mask) -> OSLogPrivacy { .auto }

        public static func `private`(mask: Mask) -> OSLogPrivacy { .private }

        public static func sensitive(mask: Mask) -> OSLogPrivacy { .sensitive }
    }

    public nonisolated struct OSLogStringAlignment: Sendable {
        public static let none = OSLogStringAlignment(columns: 0)

        fileprivate let columns: Int

        public static func left(columns: Int) -> OSLogStringAlignment { OSLogStringAlignment(columns: columns) }

        public static func right(columns: Int) -> OSLogStringAlignment { OSLogStringAlignment(columns: -columns) }
    }

    public nonisolated struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
        public struct StringInterpolation: StringInterpolationProtocol {
            fileprivate var text = ""

            public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

            public mutating func appendLiteral(_ literal: String) { text += literal }

            public mutating func appendInterpolation<Value>(
                _ value: Value, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
            ) {
                let isPublic = privacy.isPublic ?? (value is any Numeric || value is Bool)
                let shown = isPublic ? "\(value)" : "<private>"
                let padding = String(repeating: " ", count: max(0, abs(align.columns) - shown.count))
                text += align.columns < 0 ? padding + shown : shown + padding
            }

            public mutating func appendInterpolation<Value: BinaryFloatingPoint & CVarArg>(
                _ value: Value, format: OSLogFloatFormatting, align: OSLogStringAlignment = .none,
                privacy: OSLogPrivacy = .auto
            ) {
                let shown = format.precision.map { String(format: "%.\($0)f", value) } ?? "\(value)"
                appendInterpolation(shown, align: align, privacy: privacy.isPublic == false ? .private : .public)
            }

            public mutating func appendInterpolation<Value: BinaryInteger>(
                _ value: Value, format: OSLogIntegerFormatting, align: OSLogStringAlignment = .none,
                privacy: OSLogPrivacy = .auto
            ) {
                let digits = String(value, radix: format.radix)
                let shown = String(repeating: "0", count: max(0, format.minimumDigits - digits.count)) + digits
                appendInterpolation(shown, align: align, privacy: privacy.isPublic == false ? .private : .public)
            }
        }

        let text: String

        public init(stringLiteral value: String) { text = value }

        public init(stringInterpolation value: StringInterpolation) { text = value.text }

        /// - Parameter format: with `%@`, `%{public}s`, `%d` and the like, each for one argument.
        init(format: StaticString, _ arguments: [Any?]) {
            var (message, rest) = (StringInterpolation(literalCapacity: 0, interpolationCount: 0), arguments[...])
            var parts = "\(format)".split(separator: "%", omittingEmptySubsequences: false)[...]
            message.appendLiteral(parts.popFirst().map(String.init) ?? "")
            while let part = parts.popFirst() {
                guard !part.isEmpty else {
                    message.appendLiteral("%" + (parts.popFirst().map(String.init) ?? ""))
                    continue
                }
                let isPublic = part.hasPrefix("{") && part.prefix { $0 != "}" }.contains("public")
                let conversion = part.hasPrefix("{") ? part.drop { $0 != "}" }.dropFirst() : part
                let end = conversion.firstIndex { "@dDiuUxXoOfeEgGcCsSpaAF".contains($0) } ?? conversion.startIndex
                let value = rest.popFirst() ?? nil
                message.appendInterpolation(value ?? "(null)" as Any, privacy: !isPublic ? .auto : .public)
                message.appendLiteral(String(conversion[end...].dropFirst()))
            }
            text = message.text
        }
    }

    public nonisolated struct OSLogFloatFormatting: Sendable {
        public static let fixed = OSLogFloatFormatting(precision: 6)

        fileprivate let precision: Int?

        public static func fixed(precision: Int) -> OSLogFloatFormatting { OSLogFloatFormatting(precision: precision) }
    }

    public nonisolated struct OSLogIntegerFormatting: Sendable {
        public static let decimal = OSLogIntegerFormatting(radix: 10, minimumDigits: 0)
        public static let hex = OSLogIntegerFormatting(radix: 16, minimumDigits: 0)
        public static let octal = OSLogIntegerFormatting(radix: 8, minimumDigits: 0)

        fileprivate let radix: Int
        fileprivate let minimumDigits: Int

        public static func decimal(minDigits: Int) -> OSLogIntegerFormatting {
            OSLogIntegerFormatting(radix: 10, minimumDigits: minDigits)
        }
    }

    public nonisolated func os_log(
        _ format: StaticString, log: OSLog = .default, type: OSLogType = .default, _ arguments: Any?...
    ) {
        log.write(type, OSLogMessage(format: format, arguments))
    }

    public nonisolated func os_log(
        _ type: OSLogType, log: OSLog = .default, _ format: StaticString, _ arguments: Any?...
    ) {
        log.write(type, OSLogMessage(format: format, arguments))
    }

    @_disfavoredOverload
    public nonisolated func os_log(_ message: OSLogMessage) { OSLog.default.write(.default, message) }

    @_disfavoredOverload
    public nonisolated func os_log(_ type: OSLogType, log: OSLog = .default, _ message: OSLogMessage) {
        log.write(type, message)
    }

    public nonisolated struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
        // The lock guards the state.
        private final class Storage: @unchecked Sendable {
            let lock = NSLock()
            var state: State

            init(_ state: State) { self.state = state }
        }

        private let storage: Storage

        public init(uncheckedState: State) { storage = Storage(uncheckedState) }

        public init(initialState: State) where State: Sendable { storage = Storage(initialState) }

        public init() where State == Void { storage = Storage(()) }

        public func withLockUnchecked<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
            storage.lock.lock()
            defer { storage.lock.unlock() }
            return try body(&storage.state)
        }

        public func withLock<Result: Sendable>(
            _ body: @Sendable (inout State) throws -> Result
        ) rethrows -> Result {
            try withLockUnchecked(body)
        }

        public func withLockIfAvailable<Result: Sendable>(
            _ body: @Sendable (inout State) throws -> Result
        ) rethrows -> Result? {
            guard storage.lock.try() else { return nil }
            defer { storage.lock.unlock() }
            return try body(&storage.state)
        }
    }

    extension OSAllocatedUnfairLock where State == Void {
        public nonisolated func withLock<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result {
            try withLockUnchecked { _ in try body() }
        }

        public nonisolated func withLockUnchecked<Result>(_ body: () throws -> Result) rethrows -> Result {
            try withLockUnchecked { _ in try body() }
        }

        public nonisolated func lock() { storage.lock.lock() }

        public nonisolated func unlock() { storage.lock.unlock() }

        public nonisolated func lockIfAvailable() -> Bool { storage.lock.try() }
    }
#endif
