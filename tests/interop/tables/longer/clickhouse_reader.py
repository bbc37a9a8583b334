"""Runs queries with chdb, which is ClickHouse in a process. One JSON request per line, one JSON answer per line."""
import json
import os
import sys

# Whatever the library prints must not end up between answers.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
import chdb

for line in sys.stdin:
    request = json.loads(line)
    try:
        rows = chdb.query(request["arguments"]["sql"], "JSONEachRow").bytes().decode()
        answer = {"result": [json.loads(row) for row in rows.splitlines()]}
    except Exception as error:  # The test shows it.
        answer = {"error": str(error)}
    answers.write(json.dumps(answer) + "\n")
    answers.flush()
