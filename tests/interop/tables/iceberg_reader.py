"""Reads tables that Weir wrote with pyiceberg, which is strict about field ids, and writes Parquet files for them.

One JSON request per line on stdin, one JSON answer per line on stdout.
"""
import datetime
import decimal
import json
import math
import struct
import sys
import uuid

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.conversions import to_bytes
from pyiceberg.expressions import parser
from pyiceberg.expressions.visitors import bind
from pyiceberg.io.pyarrow import expression_to_pyarrow
from pyiceberg.table import CommitTableRequest, StaticTable
from pyiceberg.transforms import parse_transform
from pyiceberg.types import (
    DecimalType,
    DoubleType,
    FloatType,
    IcebergType,
    ListType,
    LongType,
    MapType,
    StructType,
    UUIDType,
)
from pydantic import TypeAdapter

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
ARROW = {
    "int": pa.int32(),
    "long": pa.int64(),
    "string": pa.string(),
    "double": pa.float64(),
    "timestamptz": pa.timestamp("us", tz="UTC"),
    "decimal(20, 4)": pa.decimal128(20, 4),
    "list<string>": None,
}


def arrow_field(column):
    """A column with its field id, if it has one; those of lists have the id of the element too."""
    meta = {b"PARQUET:field_id": str(column["id"]).encode()} if "id" in column else None
    if column["type"] == "list<string>":
        inside = {b"PARQUET:field_id": str(column["elementId"]).encode()} if "elementId" in column else None
        element = pa.field("element", pa.string(), metadata=inside)
        kind = pa.list_(element)
    else:
        kind = ARROW[column["type"]]
    return pa.field(column["name"], kind, nullable=not column["required"], metadata=meta)


def from_json(kind, value):
    if value is None:
        return None
    if kind == "timestamptz":
        return EPOCH + datetime.timedelta(microseconds=int(value))
    if kind.startswith("decimal"):
        return decimal.Decimal(value)
    if kind == "long":
        return int(value)
    return value


def to_json(value):
    if isinstance(value, datetime.datetime):
        return str((value - EPOCH) // datetime.timedelta(microseconds=1))
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value


def write_file(path, columns, rows):
    schema = pa.schema([arrow_field(column) for column in columns])
    arrays = [
        pa.array([from_json(column["type"], row[column["name"]]) for row in rows], type=field.type)
        for column, field in zip(columns, schema)
    ]
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), path)
    with open(path, "rb") as file:
        return {"bytes": len(file.read())}


def read_table(location, filter=None, snapshot=None, fields=("*",)):
    table = StaticTable.from_metadata(location)
    options = {"selected_fields": tuple(fields)}
    if filter is not None:
        options["row_filter"] = filter
    if snapshot is not None:
        options["snapshot_id"] = int(snapshot)
    scan = table.scan(**options)
    rows = scan.to_arrow().to_pylist()
    return {
        "rows": [{name: to_json(value) for name, value in row.items()} for row in rows],
        "files": len(list(scan.plan_files())),
        "types": {field.name: str(field.field_type) for field in table.schema().fields},
        "snapshots": [str(one.snapshot_id) for one in table.metadata.snapshots],
        "refs": {name: str(ref.snapshot_id) for name, ref in table.metadata.refs.items()},
        "history": [str(one.snapshot_id) for one in table.history()],
        "operation": None if table.current_snapshot() is None else table.current_snapshot().summary.operation.value,
    }


def python_value(kind, text):
    if kind in ("int", "long", "date", "time", "timestamp", "timestamptz"):
        return int(text)
    if kind in ("float", "double"):
        return float(text)
    if kind.startswith("decimal"):
        return decimal.Decimal(text)
    if kind == "boolean":
        return text == "true"
    if kind == "uuid":
        return uuid.UUID(text)
    if kind == "binary" or kind.startswith("fixed"):
        return bytes.fromhex(text)
    return text


def single_values(cases):
    """The bytes of values, and results of transforms, as texts."""
    answers = []
    for case in cases:
        kind = TypeAdapter(IcebergType).validate_python(case["type"])
        value = python_value(case["type"], case["value"])
        if case.get("transform") is None:
            answers.append(to_bytes(kind, value.bytes if isinstance(value, uuid.UUID) else value).hex())
            continue
        result = parse_transform(case["transform"]).transform(kind)(value)
        answers.append(result.hex() if isinstance(result, bytes) else str(result))
    return answers


def read_commit(text):
    """A commit of the REST protocol, as the client reads it and prints it again."""
    commit = CommitTableRequest.model_validate_json(text)
    return {
        "requirements": [type(one).__name__ for one in commit.requirements],
        "updates": [type(one).__name__ for one in commit.updates],
        "snapshot": str(commit.updates[0].snapshot.snapshot_id),
    }


def selected_names(location, fields):
    return [str(field.name) for field in StaticTable.from_metadata(location).schema().select(*fields).fields]


def write_over_rest(uri):
    """A table that pyiceberg creates, appends to, evolves and deletes from through a catalog server."""
    catalog = RestCatalog("weir", uri=uri, warehouse="lake")
    catalog.create_namespace("foreign")
    schema = pa.schema([pa.field("id", pa.int32(), nullable=False), pa.field("note", pa.string())])
    table = catalog.create_table("foreign.written", schema=schema, properties={"owner": "python"})
    rows = [{"id": at, "note": None if at % 3 == 0 else f"\U0001f600 {at}"} for at in range(10)]
    table.append(pa.Table.from_pylist(rows, schema=schema))
    with table.update_schema() as update:
        update.add_column("n", LongType())
    wider = schema.append(pa.field("n", pa.int64()))
    table.append(pa.Table.from_pylist([{"id": 100, "note": "late", "n": 2**60}], schema=wider))
    table.delete("id < 5")
    return {"snapshots": len(catalog.load_table("foreign.written").metadata.snapshots)}


def catalog_over_rest(uri, login):
    """`login` is a token, or a credential that pyiceberg fetches one with."""
    catalog = RestCatalog("rest", uri=uri, **login)
    names = catalog.list_tables("default")
    return {
        "namespaces": [list(one) for one in catalog.list_namespaces()],
        "tables": {name[-1]: catalog.load_table(name).metadata_location for name in names},
        "has_missing": catalog.table_exists(("default", "missing")),
    }


def read_over_rest(uri):
    table = RestCatalog("weir", uri=uri, warehouse="lake").load_table("foreign.written")
    return [{name: to_json(value) for name, value in row.items()} for row in table.scan().to_arrow().to_pylist()]


def shown(kind, value):
    """A value as all readers show it: numbers are texts, floating-point numbers their bits, maps sorted pairs."""
    if value is None:
        return None
    if isinstance(kind, StructType):
        return {field.name: shown(field.field_type, value[field.name]) for field in kind.fields}
    if isinstance(kind, ListType):
        return [shown(kind.element_type, one) for one in value]
    if isinstance(kind, MapType):
        pairs = value.items() if isinstance(value, dict) else value
        return sorted([[shown(kind.key_type, key), shown(kind.value_type, one)] for key, one in pairs], key=lambda pair: pair[0])
    if isinstance(kind, (FloatType, DoubleType)):
        return "NaN" if math.isnan(value) else struct.pack(">f" if isinstance(kind, FloatType) else ">d", value).hex()
    if isinstance(kind, DecimalType):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        return str((value.replace(tzinfo=datetime.timezone.utc) - EPOCH) // datetime.timedelta(microseconds=1))
    if isinstance(value, datetime.date):
        return str((value - EPOCH.date()).days)
    if isinstance(value, datetime.time):
        return str(((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond)
    if isinstance(kind, UUIDType):
        return str(value if isinstance(value, uuid.UUID) else uuid.UUID(bytes=value))
    if isinstance(value, bytes):
        return value.hex()
    return value if isinstance(value, (bool, str)) else str(value)


def read_rows(location, snapshot=None):
    """All rows, in the order of their ids."""
    table = StaticTable.from_metadata(location)
    rows = table.scan().to_arrow().to_pylist()
    kind = StructType(*table.schema().fields)
    return [shown(kind, row) for row in sorted(rows, key=lambda row: row["id"])]


def ids_of(location, filters):
    """For each filter the ids that a scan finds, those of a filter over all rows, and the files of the scan."""
    table = StaticTable.from_metadata(location)
    everything = table.scan().to_arrow()
    answers = []
    for text in filters:
        scan = table.scan(row_filter=text, selected_fields=("id",))
        bound = bind(table.schema(), parser.parse(text), case_sensitive=True)
        expected = everything.filter(expression_to_pyarrow(bound, table.schema()))
        answers.append(
            {
                "scanned": sorted(map(str, scan.to_arrow()["id"].to_pylist())),
                "expected": sorted(map(str, expected["id"].to_pylist())),
                "files": len(list(scan.plan_files())),
            }
        )
    return answers


REQUESTS = {
    "read_rows": read_rows,
    "ids_of": ids_of,
    "write_over_rest": write_over_rest,
    "read_over_rest": read_over_rest,
    "catalog_over_rest": catalog_over_rest,
    "read_commit": read_commit,
    "selected_names": selected_names,
    "write_file": write_file, "read_table": read_table, "single_values": single_values}

for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = {"result": REQUESTS[request["call"]](**request["arguments"])}
    except Exception as error:  # The test shows it.
        import traceback

        answer = {"error": traceback.format_exc()}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
