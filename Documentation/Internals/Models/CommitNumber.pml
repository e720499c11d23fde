/* Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
 * A commit that fails in a SQLite file with a rollback journal, and the number of its writer:
 * IndeterminateCommits-D1 to D4, D6 and D8.
 *
 * Code: Sources/CoreData/Stores/SQLite/Database/CommitNumbers.swift, OpenDatabase.settleDoubts,
 * OpenDatabase+Transactions.swift (write); Sources/CoreData/Stores/Relational/Save/IndeterminateCommits.swift and
 * IndeterminateCommit+Continuation; Stores/Relational/Transactions/RelationalSave.swift.
 *
 * A program has one record to insert, and saves until a save succeeds or it gives up; another context of its store
 * saves once. Other programs open the file and write: each has a row of its own in the table of numbers, and the
 * table keeps two rows (100 in the code). One of them may insert an equal record under the same key.
 *
 * Left out: crashes and a loss of power (Scripts/test-proving), batch requests (D5), more than one doubt at a time
 * (a store settles each before its next transaction), changes of the record by others (D7), files of large data.
 *
 * Mutations, each with the invariant that it breaks:
 *   NO_SETTLE breaks once: a transaction does not settle the one before
 *   LATE_SETTLE breaks once: a transaction writes its number before it settles the one before
 *   UNREADABLE_IS_UNDONE breaks once: a file that cannot be read counts as one without the number
 *   MISSING_IS_UNDONE breaks once: a row that others have displaced counts as rolled back
 *   ONE_NUMBER breaks once: all writers share one row
 *   EQUAL_ROW breaks kept: an equal row counts as that of the failed commit, without a number
 *   FAILURE_IS_DONE breaks kept: a commit that fails counts as done
 */
#ifdef LONG
#define OTHERS 4
#else
#define OTHERS 3
#endif
#define ATTEMPTS 4
#define MOST_ROWS 2

/* The file: the row of the program's store in the table of numbers, and the greatest id there. */
bool hasRow;
byte rowID;
byte rowNumber;
byte newestID;
/* Who inserted the record under the key. */
mtype = { no_one, mine, theirs };
mtype record = no_one;

/* Whether the disk fails; the lock of writers. */
bool fails;
bool isLocked;

/* The store: the last number, the doubt (0 for none), the id of its row as it was inserted. */
byte last;
byte doubt;
byte knownID;
bool isDurable;

/* The observers. */
byte insertions;
bool isAcknowledged;

ltl once { [] (insertions <= 1) }
ltl kept { [] (!isAcknowledged || insertions >= 1) }

mtype = { unread, done, undone };

/* `CommitNumbers.isDurable`. */
inline look(number) {
    atomic {
        if
#ifdef UNREADABLE_IS_UNDONE
        :: fails -> answer = undone
#else
        :: fails -> answer = unread
#endif
#ifdef EQUAL_ROW
        :: !fails -> answer = (record != no_one -> done : undone)
#else
        :: !fails && hasRow -> answer = (rowNumber == number -> done : undone)
#ifdef MISSING_IS_UNDONE
        :: !fails && !hasRow -> answer = undone
#else
        :: !fails && !hasRow -> answer = (newestID >= knownID + MOST_ROWS -> unread : undone)
#endif
#endif
        fi
    }
}

/* `settleDoubts`: afterwards there is no doubt, or `answer` is `unread`. */
inline settle() {
    answer = undone;
    if
    :: doubt != 0 && !isDurable ->
        look(doubt);
        if
        :: answer == done -> isDurable = true
        :: answer == undone -> doubt = 0
        :: answer == unread -> skip
        fi
    :: else -> skip
    fi
}

/* `CommitNumbers.write`, and the rows; the transaction is seen or not, and the commit may fail in both cases. */
inline commit(inserts) {
    atomic {
        last++;
        if
        :: isSeen = true; isFailed = false
        :: !fails -> isSeen = true; isFailed = true
        :: !fails -> isSeen = false; isFailed = true
        fi;
        if
        :: isFailed -> fails = true  /* for a while, perhaps until the number is read */
        :: else -> skip
        fi;
        if
        :: !hasRow -> knownID = newestID + 1
        :: else -> skip
        fi;
        if
        :: isSeen ->
            if
            :: !hasRow -> hasRow = true; newestID++; rowID = newestID
            :: else -> skip
            fi;
            rowNumber = last;
            insertions = insertions + (inserts -> 1 : 0);
            record = (inserts && record == no_one -> mine : record)  /* otherwise it gets another key */
        :: else -> skip
        fi
    };
    answer = done;
    if
    :: isFailed ->
#ifndef FAILURE_IS_DONE
        look(last)
#endif
    :: else -> skip
    fi
}

proctype Program() {
    byte attempts;
    bool isSeen, isFailed, hasOther;
    mtype answer = undone;
    do
    :: !isAcknowledged && attempts < ATTEMPTS ->
        attempts++;
        atomic { !isLocked -> isLocked = true };
#ifdef LATE_SETTLE
        if
        :: doubt != 0 && hasRow && !fails -> last++; rowNumber = last
        :: else -> skip
        fi;
#endif
#ifndef NO_SETTLE
        settle();
#else
        answer = undone;
#endif
        if
        :: answer == unread -> skip  /* the save throws */
        :: answer != unread && doubt != 0 && isDurable ->
            /* It goes on from the row of the first attempt, or finds that others have changed it. */
            commit(false);
            isAcknowledged = (answer == done);
        :: else ->
            commit(true);
            if
            :: answer == done -> isAcknowledged = true
            :: answer == unread -> doubt = last; isDurable = false
            :: answer == undone -> skip
            fi
        fi;
        isLocked = false
    :: !isAcknowledged && !hasOther ->
        /* another context of the store saves other records */
        hasOther = true;
        atomic { !isLocked -> isLocked = true };
#ifndef NO_SETTLE
        settle();
#else
        answer = undone;
#endif
        if
        :: answer != unread -> commit(false)
        :: else -> skip
        fi;
        isLocked = false
    :: else -> break
    od
}

/* Another store on the file, with a row of its own. */
proctype Other() {
    atomic { !isLocked && !fails -> isLocked = true };
    atomic {
        newestID++;
        if
        :: newestID >= MOST_ROWS && rowID <= newestID - MOST_ROWS -> hasRow = false
        :: else -> skip
        fi;
#ifdef ONE_NUMBER
        hasRow = true; rowNumber = rowNumber + 1;
#endif
        if
        :: record == no_one -> record = theirs  /* under the key that a rollback gave back */
        :: skip
        fi;
        isLocked = false
    }
}

/* The disk works again. */
proctype Disk() {
end:
    do
    :: atomic { fails -> fails = false }
    od
}

init {
    byte i;
    atomic {
        for (i : 1 .. OTHERS) { run Other() }
        run Program();
        run Disk();
        i = 0
    }
}
