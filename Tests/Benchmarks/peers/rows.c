/* Reads every column of every row of every table of a SQLite file and keeps nothing: rows FILE */
#include <sqlite3.h>
#include <stdio.h>

int main(int count, char **arguments) {
    sqlite3 *database;
    sqlite3_stmt *tables;
    if (count != 2 || sqlite3_open_v2(arguments[1], &database, SQLITE_OPEN_READONLY, NULL)) return 1;
    if (sqlite3_prepare_v2(database, "SELECT name FROM sqlite_master WHERE type = 'table'", -1, &tables, NULL)) return 1;
    long rows = 0, bytes = 0;
    while (sqlite3_step(tables) == SQLITE_ROW) {
        char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", sqlite3_column_text(tables, 0));
        sqlite3_stmt *all;
        if (sqlite3_prepare_v2(database, sql, -1, &all, NULL)) return 1;
        int columns = sqlite3_column_count(all);
        for (; sqlite3_step(all) == SQLITE_ROW; rows++)
            for (int column = 0; column < columns; column++)
                if (sqlite3_column_blob(all, column)) bytes += sqlite3_column_bytes(all, column);
        sqlite3_finalize(all);
        sqlite3_free(sql);
    }
    sqlite3_finalize(tables);
    sqlite3_close(database);
    printf("%ld rows, %ld bytes\n", rows, bytes);
    return 0;
}
