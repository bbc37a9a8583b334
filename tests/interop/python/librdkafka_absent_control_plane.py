"""Reads without a control plane, and goes on with a group when it is back.

Takes a broker and a topic. Writes three records, and prints "ready" when a member of a group has read them; after a
line on standard input, the values that a new reader finds; after another line, what the member reads of a record that
is written then.
"""

import json
import sys
import time

from confluent_kafka import Consumer, Producer

broker, topic = sys.argv[1:]
values = ["one", "two", "three"]
DEADLINE_SECONDS = 100


def config(**more):
    return {
        "bootstrap.servers": broker,
        "error_cb": lambda error: None,
        "log_level": 0,
        **{name.replace("_", "."): value for name, value in more.items()},
    }


def read(consumer, wanted):
    values = []
    deadline = time.monotonic() + DEADLINE_SECONDS
    while len(values) < wanted and time.monotonic() < deadline:
        values += [m.value().decode() for m in consumer.consume(10, 0.5) if m.error() is None]
    return values


producer = Producer(config())
for value in values:
    producer.produce(topic, value, partition=0)
producer.flush(DEADLINE_SECONDS)
member = Consumer(config(group_id="readers", auto_offset_reset="earliest"))
member.subscribe([topic])
if read(member, len(values)) != values:
    sys.exit("the member did not read the records")
print("ready", flush=True)

sys.stdin.readline()
producer.produce(topic, "after")
producer.flush(DEADLINE_SECONDS)
print(json.dumps(read(member, 1)), flush=True)
