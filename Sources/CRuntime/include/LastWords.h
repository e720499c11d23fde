// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Text that a program prints last when it stops, below the list of calls that Swift's runtime prints.

#ifndef OPENCOREDATA_LASTWORDS_H
#define OPENCOREDATA_LASTWORDS_H

// Prints a text on standard error when the trap that follows has been reported. The first text of a process counts: a
// thread that comes later waits for the end.
void ocd_set_last_words(const char *_Nonnull text);

#endif
