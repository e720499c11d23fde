# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
# Takes the first table of a report of `bench run`, and writes it with the cells in bold in which this framework takes
# longer than GRDB's classes. Called by Scripts/bench --quick-table.

/^[|] Processor time, as ratio to raw [|]/ { inTable = 1; columns = NF - 1 }
!inTable { next }
/^$/ { exit }
$2 == "**goal**" { next }
$2 == "grdb-class" { for (column = 3; column <= columns; column++) others[column] = $column }
{
    line = "|"
    for (column = 2; column <= columns; column++) {
        cell = $column
        isOurs = $2 ~ /^(opencoredata|swiftdata)/ && column > 2
        if (isOurs && cell ~ /^[0-9]/ && others[column] ~ /^[0-9]/ && cell + 0 > others[column] + 0)
            cell = "**" cell "**"
        line = line " " cell " |"
    }
    print line
}
