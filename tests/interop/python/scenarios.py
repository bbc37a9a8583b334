"""Runs the scenarios of a client and prints one line of JSON for each: {"scenario": ..., "error": ...}.

A program decorates its scenarios and calls `run`. Scenarios run side by side, so each uses names of its own.
"""

import json
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

DEADLINE_SECONDS = 60
_scenarios = []


def scenario(name):
    def register(function):
        _scenarios.append((name, function))
        return function

    return register


def equal(actual, expected):
    if actual != expected:
        raise AssertionError(f"{actual!r} is not {expected!r}")


def _outcome(function, broker):
    try:
        function(broker)
        return None
    except BaseException:  # A scenario that calls exit() failed as well.
        return traceback.format_exc()


def run():
    """Takes {"broker": ...} as JSON from standard input."""
    broker = json.load(sys.stdin)["broker"]
    if len(_scenarios) == 1:  # Some clients set signal handlers, which only the main thread may.
        name, function = _scenarios[0]
        print(json.dumps({"scenario": name, "error": _outcome(function, broker)}), flush=True)
        return
    with ThreadPoolExecutor(max_workers=4) as pool:
        waiting = [(name, pool.submit(_outcome, function, broker)) for name, function in _scenarios]
        for name, outcome in waiting:
            print(json.dumps({"scenario": name, "error": outcome.result()}), flush=True)
