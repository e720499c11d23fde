// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Refuses keyed archives of a form on which Foundation traps, or reads beyond the end of a list.

import Foundation

/// Foundation off Apple's systems returns an error for some damaged archives, and ends the process for others: a
/// reference to a class that is no class, a dictionary with fewer values than keys, an empty UUID. An object that
/// cannot be decoded is left out of its list, so the fields of each of Foundation's own classes have to be right too.
extension ArchiveBounds {
    /// Whether each reference is to an object, each object has a class that can be decoded, and the objects of
    /// Foundation's classes have their fields. Data that is no archive is left to Foundation, which throws.
    var isWellFormed: Bool {
        guard let objects = value("$objects"), let table = members(objects), let top = value("$top") else {
            return true
        }
        guard table.kind == 0xA, members(top)?.kind == 0xD, let first = table.references.first, text(first) == "$null",
            hasDistinctKeys, hasDistinctKeys(top)
        else { return false }
        return ArchiveForm(bounds: self, list: table.references, top: top).isGood
    }
}

private struct ArchiveForm {
    private enum Kind {
        case null, leaf
        /// The description of a class; nil for one that this process lacks or that cannot be decoded.
        case classDescription(AnyClass?)
        case instance
        case damaged
    }

    private let bounds: ArchiveBounds
    private let list: [Int]
    private let top: Int
    private let kinds: [Kind]
    /// The root object, which is not converted.
    private let root: Int?

    init(bounds: ArchiveBounds, list: [Int], top: Int) {
        self.bounds = bounds
        self.list = list
        self.top = top
        let number = bounds.value("root", of: top).flatMap { bounds.numbers(in: $0).first }
        root = number.flatMap { list.indices.contains($0) ? list[$0] : nil }
        kinds = list.enumerated().map { number, object in
            if number == 0 { return .null }
            switch bounds.bytes[bounds.offsets[object]] >> 4 {
            case 8, 0xA: return .damaged
            case 0xD: break
            default: return bounds.isText(object, "$null") ? .null : .leaf
            }
            if bounds.value("$class", of: object) != nil { return .instance }
            return bounds.value("$classname", of: object).map { .classDescription(Self.type(bounds, object, $0)) }
                ?? .damaged
        }
    }

    private static func type(_ bounds: ArchiveBounds, _ object: Int, _ name: Int) -> AnyClass? {
        guard bounds.hasDistinctKeys(object) else { return nil }
        let hints = bounds.value("$classhints", of: object).flatMap { bounds.members($0)?.references } ?? []
        for case let name? in ([name] + hints).map(bounds.text) {
            if let type: AnyClass = NSKeyedUnarchiver.class(forClassName: name) ?? NSClassFromString(name) {
                return type is any NSCoding.Type ? type : nil
            }
        }
        return nil
    }

    var isGood: Bool {
        areObjects(bounds.numbers(in: top))
            && list.indices.allSatisfy { number in
                switch kinds[number] {
                case .null, .leaf, .classDescription: true
                case .damaged: false
                case .instance: isGood(list[number])
                }
            }
    }

    /// Whether all numbers are those of objects, null included.
    private func areObjects(_ numbers: [Int]) -> Bool {
        numbers.allSatisfy { number in
            guard kinds.indices.contains(number) else { return false }
            if case .classDescription = kinds[number] { return false }
            return true
        }
    }

    private func isGood(_ object: Int) -> Bool {
        guard let entries = bounds.members(object), let named = bounds.value("$class", of: object),
            let number = reference(named), kinds.indices.contains(number),
            case .classDescription(let type?) = kinds[number], bounds.hasDistinctKeys(object)
        else { return false }
        let half = entries.references.count / 2
        for (key, value) in zip(entries.references[..<half], entries.references[half...]) {
            guard value == named && bounds.isText(key, "$class") || areObjects(bounds.numbers(in: value)) else {
                return false
            }
        }
        return hasFields(object, type)
    }

    // MARK: Foundation's classes

    private func hasFields(_ object: Int, _ type: AnyClass) -> Bool {
        func inherits(_ classes: AnyClass...) -> Bool { Self.inherits(type, classes) }
        func field(_ key: String) -> Int? { bounds.value(key, of: object) }
        if inherits(NSDictionary.self) {
            let (keys, values) = (field("NS.keys").map(members), field("NS.objects").map(members))
            return keys.map { $0?.count } == values.map { $0?.count } && keys != .some(nil)
                && (keys?.map(areHashable) ?? true)
        }
        if inherits(NSArray.self, NSSet.self, NSOrderedSet.self) {
            if let list = field("NS.objects") {
                guard let members = members(list) else { return false }
                return !inherits(NSSet.self) || object == root || areHashable(members)
            }
            var count = 0
            while let member = field("NS.object.\(count)") {
                guard isMember(member) else { return false }
                count += 1
            }
            return true
        }
        if inherits(NSString.self) { return field("NS.string").flatMap(bounds.text) != nil }
        if inherits(NSData.self) { return field("NS.data").map { kind($0) == 4 } ?? false }
        if inherits(NSUUID.self) { return field("NS.uuidbytes").map { isData($0, count: 16) } ?? false }
        if inherits(NSDate.self) { return field("NS.time").map(isNumber) ?? false }
        if inherits(NSURL.self) { return isAddress(field("NS.base"), field("NS.relative")) }
        if inherits(NSDecimalNumber.self) {
            return field("NS.mantissa").map { isData($0, count: 16) } ?? false
                && [("NS.length", 0...8), ("NS.exponent", -128...127)].allSatisfy { key, range in
                    field(key).flatMap(wholeNumber).map(range.contains) ?? false
                }
        }
        return true
    }

    private static func inherits(_ type: AnyClass, _ classes: [AnyClass]) -> Bool {
        classes.contains { ancestor in
            var current: AnyClass? = type
            while let next = current, next != ancestor { current = Swift._getSuperclass(next) }
            return current != nil
        }
    }

    /// Whether Swift can hash the members. Foundation converts the members of collections to Swift's types, and traps
    /// on a dictionary with an array as key, and on a set with one as member.
    private func areHashable(_ members: [Int]) -> Bool {
        members.compactMap(reference).allSatisfy { number in
            guard case .instance = kinds[number],
                let place = bounds.value("$class", of: list[number]).flatMap(reference), kinds.indices.contains(place),
                case .classDescription(let type?) = kinds[place]
            else { return true }
            return !Self.inherits(type, [NSArray.self, NSDictionary.self])
        }
    }

    private func kind(_ index: Int) -> UInt8 { bounds.bytes[bounds.offsets[index]] >> 4 }

    private func isNumber(_ index: Int) -> Bool { (1...3).contains(kind(index)) }

    private func isData(_ index: Int, count: Int) -> Bool { kind(index) == 4 && bounds.contents(index)?.count == count }

    private func wholeNumber(_ index: Int) -> Int? {
        guard kind(index) == 1 else { return nil }
        let offset = bounds.offsets[index]
        let size = 1 << Int(bounds.bytes[offset] & 15)
        guard size <= 8 else { return nil }
        let value = ArchiveBounds.integer(bounds.bytes, offset + 1, size)
        // Eight bytes hold negative numbers too, which do not fit here.
        guard size == 8, value == nil else { return value }
        let bytes = bounds.bytes[(offset + 1)...].prefix(8)
        return bytes.count == 8 ? Int(truncatingIfNeeded: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) : nil
    }

    /// The number that a reference holds; nil for anything else.
    private func reference(_ index: Int) -> Int? { kind(index) == 8 ? bounds.numbers(in: index).first : nil }

    /// Whether it is a reference to an object that is not null.
    private func isMember(_ index: Int) -> Bool {
        guard let number = reference(index), kinds.indices.contains(number) else { return false }
        switch kinds[number] {
        case .leaf, .instance: return true
        case .null, .classDescription, .damaged: return false
        }
    }

    /// The members of an archived list; nil if one of them is not an object.
    private func members(_ index: Int) -> [Int]? {
        guard let found = bounds.members(index), found.kind == 0xA, found.references.allSatisfy(isMember) else {
            return nil
        }
        return found.references
    }

    private func isAddress(_ base: Int?, _ relative: Int?) -> Bool {
        guard let relative, isMember(relative), let number = reference(relative) else { return false }
        let object = list[number]
        let name = bounds.text(object) ?? bounds.value("NS.string", of: object).flatMap(bounds.text)
        guard let name, URL(string: name) != nil else { return false }
        return base.map { reference($0) != nil } ?? true
    }
}
