// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A time at which a replica changed something: a hybrid logical clock with the replica as tie-breaker.
public import Foundation

/// The time of a change, comparable between replicas.
///
/// The clock has 48 bits of milliseconds since 1970 and 16 bits of a counter. Two replicas may have equal clocks; the
/// greater replica id is then the later one, so any two stamps of different changes have an order.
///
/// As JSON a stamp is text, 16 hexadecimal digits, a hyphen and the replica:
/// `"018f3c2a9b400000-6F9619FF-8B86-D011-B42D-00C04FC964FF"`. Texts compare as the stamps do.
public struct SyncStamp: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// 48 bits of milliseconds since 1970, then 16 bits of a counter.
    public var clock: UInt64
    /// The replica that made the change.
    public var replica: UUID

    /// Creates a stamp.
    public init(clock: UInt64, replica: UUID) {
        self.clock = clock
        self.replica = replica
    }

    /// - Returns: nil unless the text is 16 hexadecimal digits, a hyphen and a UUID.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let clock = SyncClockText.clock(parts[0]),
            let replica = UUID(text: String(parts[1]))
        else { return nil }
        self.init(clock: clock, replica: replica)
    }

    /// The text form.
    public var description: String { SyncClockText.text(clock) + "-" + replica.text }

    /// Compares clocks, then the text forms of the replicas.
    public static func < (left: SyncStamp, right: SyncStamp) -> Bool {
        left.clock == right.clock ? left.replica.precedes(right.replica) : left.clock < right.clock
    }

    /// - Throws: `DecodingError.dataCorrupted` for text of another form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let stamp = SyncStamp(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "A stamp is 16 hexadecimal digits, a hyphen and a UUID.")
        }
        self = stamp
    }

    /// Encodes the text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The text form of clocks: 16 lower-case hexadecimal digits.
public enum SyncClockText {
    /// The 16 digits of a clock.
    public static func text(_ clock: UInt64) -> String {
        let digits = String(clock, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// - Returns: nil unless the text is 16 hexadecimal digits.
    public static func clock(_ text: some StringProtocol) -> UInt64? {
        guard text.utf8.count == 16, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") })
        else { return nil }
        return UInt64(text, radix: 16)
    }
}

/// The hybrid logical clock of one replica.
///
/// `next(_:)` gives a clock that is greater than all before and at least the wall clock; `observe(_:)` raises it to
/// what another replica has given. A replica stores `last` with the changes that it stamped.
public struct SyncHybridClock: Hashable, Sendable {
    /// The greatest clock that was given or observed.
    public private(set) var last: UInt64

    /// Creates a clock that goes on after one; 0 for a new one.
    public init(last: UInt64 = 0) { self.last = last }

    /// The next clock at a wall-clock time.
    public mutating func next(_ time: Date) -> UInt64 {
        last = max(last + 1, Self.clock(of: time))
        return last
    }

    /// Makes later clocks greater than this one.
    public mutating func observe(_ clock: UInt64) { last = max(last, clock) }

    /// The clock of a wall-clock time, with the counter 0. Times before 1970 give 0.
    public static func clock(of time: Date) -> UInt64 {
        let milliseconds = (time.timeIntervalSince1970 * 1000).rounded(.down)
        guard milliseconds > 0 else { return 0 }
        return UInt64(min(milliseconds, Double(1 << 47))) << 16
    }
}

extension UUID {
    /// Reads the text form with letters of either case. Several times as fast as `init(uuidString:)` on Linux.
    ///
    /// - Returns: nil for other text.
    package init?(text: String) {
        var bytes: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for (index, byte) in text.utf8.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x41...0x46: digit = byte - 0x41 + 10
            case 0x61...0x66: digit = byte - 0x61 + 10
            default: return nil
            }
            if digits < 16 {
                bytes.0 = bytes.0 << 4 | UInt64(digit)
            } else {
                bytes.1 = bytes.1 << 4 | UInt64(digit)
            }
            digits += 1
        }
        guard digits == 32 else { return nil }
        bytes = (bytes.0.bigEndian, bytes.1.bigEndian)
        self = withUnsafeBytes(of: bytes) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// The text form with upper-case letters. Several times as fast as `uuidString` on Linux.
    package var text: String {
        withUnsafeBytes(of: uuid) { bytes in
            String(unsafeUninitializedCapacity: 36) { text in
                var position = 0
                func write(_ digit: UInt8) {
                    text[position] = digit < 10 ? 0x30 + digit : 0x41 + digit - 10
                    position += 1
                }
                for (index, byte) in bytes.enumerated() {
                    if index == 4 || index == 6 || index == 8 || index == 10 {
                        text[position] = UInt8(ascii: "-")
                        position += 1
                    }
                    write(byte >> 4)
                    write(byte & 0xF)
                }
                return position
            }
        }
    }

    /// The order of the text forms, without making them.
    package func precedes(_ other: UUID) -> Bool {
        let (left, right) = (halves, other.halves)
        return left.0 == right.0 ? left.1 < right.1 : left.0 < right.0
    }

    /// The bytes as two numbers, the first byte in the highest bits.
    private var halves: (UInt64, UInt64) {
        withUnsafeBytes(of: uuid) { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }
}
