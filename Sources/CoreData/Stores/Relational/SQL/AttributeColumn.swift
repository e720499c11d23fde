// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The column of an attribute.

package struct AttributeColumn {
    package var name: String
    package var coding: ColumnCoding
}
