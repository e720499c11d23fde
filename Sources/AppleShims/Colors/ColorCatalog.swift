// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the colours of asset catalogs by name.

import Foundation
import Synchronization

/// `coredata-tool adopt` writes the colours of a target's catalogs into its bundle: `AdoptedColors.json`, with two
/// numbers for white and alpha, or four for red, green, blue and alpha, of the light appearance.
enum ColorCatalog {
    /// The catalogs that were read, by path.
    private static let catalogs = Mutex<[String: [String: [Double]]]>([:])

    /// nil for a name that no catalog has.
    ///
    /// - Parameter bundle: nil means the program's.
    static func components(_ name: String, _ bundle: Bundle?) -> ColorComponents? {
        for bundle in ResourceBundles.searched(bundle) {
            guard let folder = bundle.resourceURL else { continue }
            let file = folder.appendingPathComponent("AdoptedColors.json")
            let numbers = catalogs.withLock { catalogs in
                if let known = catalogs[file.path] { return known[name] }
                let data = (try? Data(contentsOf: file)) ?? Data()
                let colors = (try? JSONDecoder().decode([String: [Double]].self, from: data)) ?? [:]
                catalogs[file.path] = colors
                return colors[name]
            }
            guard let numbers else { continue }
            switch numbers.count {
            case 2: return ColorComponents(white: numbers[0], alpha: numbers[1])
            case 4: return ColorComponents(red: numbers[0], green: numbers[1], blue: numbers[2], alpha: numbers[3])
            default: continue
            }
        }
        return nil
    }
}
