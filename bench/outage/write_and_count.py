"""Writes numbered values at a steady rate, then reads the topic back and counts how often each value is there.

Takes {"config": {...}, "topic": ..., "partitions": ..., "rate": ..., "seconds": ...} as JSON, prints `writing` when the first value
was delivered, and a JSON object with what it counted at the end.
"""

import json
import sys
import time
from collections import Counter

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

START_SECONDS = 30
FLUSH_SECONDS = 60
# A topic that gives nothing for so long while records are missing will not give them.
SILENCE_SECONDS = 30


def write(asked):
    """Gives the values that were delivered and those of which the client said that they were not."""
    delivered, failed, errors = set(), set(), Counter()

    def told(error, message):
        value = int(message.value().split(b" ", 1)[0])
        if error is None:
            delivered.add(value)
        else:
            failed.add(value)
            errors[error.name()] += 1

    producer = Producer(asked["config"])
    padding = b" " + b"x" * asked["padding"]
    count = 0

    def send():
        nonlocal count
        producer.produce(asked["topic"], value=str(count).encode() + padding, on_delivery=told)
        count += 1

    send()
    if producer.flush(START_SECONDS) or failed:
        raise KafkaException(f"the first value was not delivered: {dict(errors)}")
    print("writing", flush=True)
    started = time.monotonic()
    while (now := time.monotonic() - started) < asked["seconds"]:
        while count < now * asked["rate"]:
            send()
        producer.poll(0.005)
    unknown = producer.flush(FLUSH_SECONDS)
    return count, delivered, failed, errors, unknown


def read(asked):
    """How often each value is in the topic."""
    consumer = Consumer({"bootstrap.servers": asked["config"]["bootstrap.servers"], "group.id": "reader"})
    places = [TopicPartition(asked["topic"], partition, 0) for partition in range(asked["partitions"])]
    ends = {place.partition: consumer.get_watermark_offsets(place, timeout=SILENCE_SECONDS)[1] for place in places}
    copies = Counter()
    left = sum(ends.values())
    consumer.assign(places)
    try:
        while left > 0:
            messages = consumer.consume(1000, timeout=SILENCE_SECONDS)
            if not messages:
                raise KafkaException(f"{left} records did not come")
            for message in messages:
                if message.error():
                    raise KafkaException(message.error())
                if message.offset() < ends[message.partition()]:
                    copies[int(message.value().split(b" ", 1)[0])] += 1
                    left -= 1
    finally:
        consumer.close()
    return copies


def main():
    asked = json.loads(sys.stdin.readline())
    admin = AdminClient({"bootstrap.servers": asked["config"]["bootstrap.servers"]})
    admin.create_topics([NewTopic(asked["topic"], asked["partitions"])])[asked["topic"]].result(START_SECONDS)
    count, delivered, failed, errors, unknown = write(asked)
    copies = read(asked)
    print(
        json.dumps(
            {
                "values": count,
                "delivered": len(delivered),
                "failed": len(failed),
                "unknown": unknown,
                "errors": errors,
                "records": copies.total(),
                "duplicates": copies.total() - len(copies),
                "copiesMax": max(copies.values()),
                "lost": sum(1 for value in delivered if value not in copies),
                "failedButWritten": sum(1 for value in failed if value in copies),
            }
        )
    )


main()
