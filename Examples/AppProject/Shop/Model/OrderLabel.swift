// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Localized texts of an order, and a colour of the asset catalog.

import Foundation
import UIKit

enum OrderLabel {
    static var title: String { NSLocalizedString("order.title", comment: "The title of an order") }

    static var accent: UIColor? { UIColor(named: "Accent") }

    static func lines(_ count: Int) -> String { String(localized: "\(count) lines") }

    static func oldLines(_ count: Int) -> String {
        String(format: NSLocalizedString("%lld lines", comment: "The number of lines"), count)
    }
}
