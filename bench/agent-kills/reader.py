"""Reads a topic as a group of one or more members, or writes to all of its partitions, with librdkafka. Says how it went as one line of JSON."""

import json
import sys
import threading
import time

from confluent_kafka import Consumer, Producer

options = json.loads(sys.argv[1])
start = time.monotonic()
last = None
last_of = {}
longest = longest_of_one = 0.0


def note(partition):
    global last, longest, longest_of_one
    now = time.monotonic()
    if last is not None:
        longest = max(longest, now - last)
    if partition in last_of:
        longest_of_one = max(longest_of_one, now - last_of[partition])
    last = last_of[partition] = now


def pace(count):
    ahead = count / options["rate"] - (time.monotonic() - start)
    if ahead > 0:
        time.sleep(ahead)


def is_time_left():
    return time.monotonic() - start < options["limitS"]


def report(count, again):
    milliseconds = lambda seconds: round(1000 * seconds)
    print(
        json.dumps(
            {
                "count": count,
                "again": again,
                "tookMs": milliseconds(time.monotonic() - start),
                "gapMs": milliseconds(longest),
                "gapOfPartitionMs": milliseconds(longest_of_one),
            }
        )
    )


def member(group, seen):
    """One member of the group, until all have read everything or the time is up."""
    consumer = Consumer(
        {
            "bootstrap.servers": options["brokers"],
            "group.id": options["group"],
            "group.protocol": options["protocol"],
            "auto.offset.reset": "earliest",
            "auto.commit.interval.ms": 1000,
            # What the client has in store would hide that it gets nothing.
            "queued.max.messages.kbytes": 512,
            "fetch.message.max.bytes": 65536,
            # It would wait for a second whenever that little store is full.
            "fetch.queue.backoff.ms": 10,
        }
    )
    consumer.subscribe([options["topic"]])
    while len(seen) < options["count"] and is_time_left():
        message = consumer.poll(0.5)
        if message is None or message.error():
            continue
        key = (message.partition(), message.offset())
        with group:
            group.again += key in seen
            if key not in seen:
                seen.add(key)
                note(message.partition())
            count = len(seen) + group.again
        pace(count)
    consumer.close()


class Group:
    """What the members share."""

    def __init__(self):
        self.again = 0
        self.lock = threading.Lock()

    def __enter__(self):
        self.lock.acquire()

    def __exit__(self, *_):
        self.lock.release()


def read():
    group, seen = Group(), set()
    members = [threading.Thread(target=member, args=(group, seen)) for _ in range(options.get("members", 1))]
    for thread in members:
        thread.start()
    for thread in members:
        thread.join()
    report(len(seen), group.again)


def write():
    producer = Producer({"bootstrap.servers": options["brokers"], "enable.idempotence": True, "linger.ms": 5})
    written = 0

    def delivered(error, message):
        nonlocal written
        if error is None:
            written += 1
            note(message.partition())

    for number in range(options["count"]):
        producer.produce(
            options["topic"], b"x" * options["bytes"], partition=number % options["partitions"], on_delivery=delivered
        )
        producer.poll(0)
        pace(number)
    producer.flush(max(0, options["limitS"] - (time.monotonic() - start)))
    report(written, 0)


read() if "group" in options else write()
