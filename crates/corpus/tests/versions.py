"""Reads versions of tables by their logs, and compares files and rows.

    versions.py EXPECTED

EXPECTED is a JSON file: a list of {table, version, files, rows, is_all}, where `files` are names within the table, and `is_all` is
whether the folder has no others.
"""

import json
import pathlib
import sys

import deltalake
import duckdb
import polars

read = 0
for expected in json.loads(pathlib.Path(sys.argv[1]).read_text()):
    table, version = expected["table"], expected["version"]
    files = deltalake.DeltaTable(table, version=version).file_uris()
    names = sorted(file.removeprefix(table).lstrip("/") for file in files)
    assert names == sorted(expected["files"]), (table, version, names, expected["files"])
    rows = polars.scan_delta(table, version=version).collect().height
    assert rows == expected["rows"], (table, version, rows, expected["rows"])
    if expected["is_all"]:
        assert deltalake.DeltaTable(table).version() == version, table
        folder = pathlib.Path(table)
        there = [str(file) for glob in ["*.parquet", "crawl=*/*.parquet"] for file in folder.glob(glob)]
        counted = duckdb.execute("select count(*) from read_parquet(?)", [there]).fetchone()
        assert counted == (rows,), (table, counted, rows)
    read += 1
print("read", read)
