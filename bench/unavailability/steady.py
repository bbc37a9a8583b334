"""Writes to the partitions of a topic in turn and reads them as a group of one, with librdkafka's default settings, until standard input ends.

Takes servers, topic, partitions and records per second. Prints a line for each acknowledgement and each record: `w 3 1763500000000` is
an acknowledgement of partition 3, `r` a record.
"""

import os
import sys
import threading
import time

from confluent_kafka import Consumer, Producer

servers, topic, partitions, rate = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
lock = threading.Lock()


def tell(what, partition):
    with lock:
        sys.stdout.write(f"{what} {partition} {time.time_ns() // 1_000_000}\n")
        sys.stdout.flush()


def write():
    producer = Producer({"bootstrap.servers": servers, "log_level": 0})

    def delivered(error, message):
        if error is None:
            tell("w", message.partition())
        else:
            sys.stderr.write(f"not written: {error}\n")

    start = time.monotonic()
    number = 0
    while True:
        producer.produce(topic, b"x" * 100, partition=number % partitions, on_delivery=delivered)
        number += 1
        while (ahead := start + number / rate - time.monotonic()) > 0:
            producer.poll(ahead)


def read():
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "librdkafka", "auto.offset.reset": "earliest", "log_level": 0})
    consumer.subscribe([topic])
    while True:
        message = consumer.poll(1)
        if message is not None and message.error() is None:
            tell("r", message.partition())


for work in (write, read):
    threading.Thread(target=work, daemon=True).start()
sys.stdin.read()
# The clients may be in the middle of anything, which does not matter any more.
os._exit(0)
