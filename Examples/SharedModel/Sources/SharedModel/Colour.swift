// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A custom value type of the model, with its transformer.

import CoreData

public final class Colour: NSObject, Sendable {
    public let red: UInt8
    public let green: UInt8
    public let blue: UInt8

    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? Colour else { return false }
        return (red, green, blue) == (other.red, other.green, other.blue)
    }

    public override var hash: Int { Int(red) << 16 | Int(green) << 8 | Int(blue) }
}

public final class ColourTransformer: ValueTransformer {
    public override class func transformedValueClass() -> AnyClass { NSData.self }
    public override class func allowsReverseTransformation() -> Bool { true }

    public override func transformedValue(_ value: Any?) -> Any? {
        (value as? Colour).map { Data([$0.red, $0.green, $0.blue]) }
    }

    public override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let data = value as? Data, data.count == 3 else { return nil }
        return Colour(red: data[data.startIndex], green: data[data.startIndex + 1], blue: data[data.startIndex + 2])
    }

    public static func register() {
        ValueTransformer.setValueTransformer(
            ColourTransformer(), forName: NSValueTransformerName("ColourTransformer"))
    }
}
