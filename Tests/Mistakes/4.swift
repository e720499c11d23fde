// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Does not compile: mistake 4 of Guides/GeneratedCode.md.

import CoreData
import Foundation

func constant(_ title: String) -> NSExpression { NSExpression(forConstantValue: title) }
