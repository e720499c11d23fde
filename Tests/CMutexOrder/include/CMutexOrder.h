// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Has no declarations: linking is enough.
