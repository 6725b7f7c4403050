"""Reads a corpus with DuckDB, pyarrow and Polars and compares every value with what was written.

readers.py CORPUS EXPECTED: EXPECTED holds TABLE.json, the rows of each table.
"""

import datetime
import json
import pathlib
import struct
import sys

import duckdb
import polars
import pyarrow.parquet

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
TABLES = ["documents", "blocks", "sites", "rejects"]
KEYS = {"documents": ["row_id", "url", "surt", "record_id"], "blocks": ["row_id", "record_id", "url"], "sites": ["site"], "rejects": []}


def plain(value):
    """A value as the JSON has it: times as milliseconds, days as days, floats as 32 bits."""
    if isinstance(value, datetime.datetime):
        return (value - EPOCH) // datetime.timedelta(milliseconds=1)
    if isinstance(value, datetime.date):
        return (value - EPOCH.date()).days
    if isinstance(value, float):
        return struct.pack("<f", value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return value


def compare(reader, table, rows, expected):
    assert len(rows) == len(expected), f"{reader}: {table} has {len(rows)} rows, not {len(expected)}"
    for number, (row, wanted) in enumerate(zip(rows, expected)):
        row, wanted = plain(row), plain(wanted)
        assert row == wanted, f"{reader}: row {number} of {table}\n{row}\n{wanted}"


def by_duckdb(files):
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    cursor = connection.execute(f"SELECT * FROM read_parquet({files!r})")
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row)) for row in cursor.fetchall()]


def by_pyarrow(files):
    return [row for file in files for row in pyarrow.parquet.read_table(file).to_pylist()]


def by_polars(files):
    return polars.read_parquet(files).to_dicts()


def check_indexes(table, files):
    """Every column with statistics has a page index, and every key a bloom filter that finds it."""
    for file in files:
        group = pyarrow.parquet.ParquetFile(file).metadata.row_group(0)
        for number in range(group.num_columns):
            column = group.column(number)
            assert column.has_offset_index, f"{file}: {column.path_in_schema} has no offset index"
            wants = column.path_in_schema not in ("text", "markdown")
            assert column.has_column_index == wants, f"{file}: column index of {column.path_in_schema}"
    query = "SELECT DISTINCT path_in_schema FROM parquet_metadata(?) WHERE bloom_filter_offset IS NOT NULL"
    found = sorted(name for (name,) in duckdb.execute(query, [files[0]]).fetchall())
    assert found == sorted(KEYS[table]), f"bloom filters of {table}: {found}"
    for key in KEYS[table]:
        first = by_pyarrow(files[:1])[0][key]
        probe = "SELECT bool_and(bloom_filter_excludes) FROM parquet_bloom_probe(?, ?, ?)"
        excluded = [duckdb.execute(probe, [files[0], key, value]).fetchone()[0] for value in (first, "none such")]
        assert excluded == [False, True], f"{table}: the filter of {key} said {excluded}"


def check_query(corpus, documents):
    """The first query anybody types."""
    query = (
        "select site, count(*) pages, sum(word_count) words "
        f"from '{corpus}/documents/*.parquet' group by 1 order by 3 desc limit 10"
    )
    sites = {}
    for row in documents:
        pages, words = sites.get(row["site"], (0, 0))
        sites[row["site"]] = (pages + 1, words + row["word_count"])
    wanted = sorted(((site, *sums) for site, sums in sites.items()), key=lambda row: -row[2])[:10]
    assert duckdb.execute(query).fetchall() == wanted


def main(corpus, expected):
    counts = []
    for table in TABLES:
        wanted = json.loads((expected / f"{table}.json").read_text())
        files = sorted(str(file) for file in (corpus / table).glob("*.parquet"))
        for reader in (by_duckdb, by_pyarrow, by_polars):
            compare(reader.__name__, table, reader(files), wanted)
        check_indexes(table, files)
        counts.append(f"{table} {len(wanted)}")
        if table == "documents":
            check_query(corpus, wanted)
    print("read by duckdb, pyarrow, polars:", ", ".join(counts))


main(*map(pathlib.Path, sys.argv[1:]))
