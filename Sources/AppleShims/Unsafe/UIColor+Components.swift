// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads components through pointers, which is the only form that UIKit has.

public import Foundation

extension UIColor {
    /// Writes the components, and returns true: each colour here has them.
    @discardableResult
    public func getRed(
        _ red: UnsafeMutablePointer<CGFloat>?, green: UnsafeMutablePointer<CGFloat>?,
        blue: UnsafeMutablePointer<CGFloat>?, alpha: UnsafeMutablePointer<CGFloat>?
    ) -> Bool {
        red?.pointee = CGFloat(components.red)
        green?.pointee = CGFloat(components.green)
        blue?.pointee = CGFloat(components.blue)
        alpha?.pointee = CGFloat(components.alpha)
        return true
    }

    /// Writes white and alpha of a gray. False, without a write, for other colours.
    @discardableResult
    public func getWhite(_ white: UnsafeMutablePointer<CGFloat>?, alpha: UnsafeMutablePointer<CGFloat>?) -> Bool {
        guard components.hsb.saturation == 0 else { return false }
        white?.pointee = CGFloat(components.red)
        alpha?.pointee = CGFloat(components.alpha)
        return true
    }

    /// Writes hue, saturation and brightness, each in 0...1, and returns true.
    @discardableResult
    public func getHue(
        _ hue: UnsafeMutablePointer<CGFloat>?, saturation: UnsafeMutablePointer<CGFloat>?,
        brightness: UnsafeMutablePointer<CGFloat>?, alpha: UnsafeMutablePointer<CGFloat>?
    ) -> Bool {
        let hsb = components.hsb
        hue?.pointee = CGFloat(hsb.hue)
        saturation?.pointee = CGFloat(hsb.saturation)
        brightness?.pointee = CGFloat(hsb.brightness)
        alpha?.pointee = CGFloat(components.alpha)
        return true
    }
}
