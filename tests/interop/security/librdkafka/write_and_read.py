"""Writes values to a topic and reads them back, as an application on librdkafka does.

Takes {"config": {...}, "topic": ..., "values": [...]} as JSON and prints the values that it read.
"""

import json
import sys

from concurrent.futures import TimeoutError

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from confluent_kafka.admin import AdminClient, NewTopic

DEADLINE_SECONDS = 20
# It would try again until the deadline, and nothing would change.
HOPELESS = (KafkaError._AUTHENTICATION, KafkaError._SSL, KafkaError._ALL_BROKERS_DOWN)


def created(config, topic):
    """Waits until the topic is there, or until it is clear that it will not be."""
    hopeless = []
    note = lambda error: hopeless.append(error) if error.code() in HOPELESS else None
    admin = AdminClient({**config, "error_cb": note})
    wanted = admin.create_topics([NewTopic(topic, 1)], request_timeout=DEADLINE_SECONDS)[topic]
    while True:
        try:
            return wanted.result(timeout=0.1)
        except TimeoutError:
            admin.poll(0)
            if hopeless:
                raise KafkaException(hopeless[0])


def main():
    asked = json.load(sys.stdin)
    config, topic, values = asked["config"], asked["topic"], asked["values"]
    created(config, topic)

    failures = []
    producer = Producer({**config, "message.timeout.ms": DEADLINE_SECONDS * 1000})
    for value in values:
        producer.produce(topic, value=value, on_delivery=lambda error, _: failures.append(error) if error else None)
    unsent = producer.flush(DEADLINE_SECONDS)
    if failures or unsent:
        raise KafkaException(failures[0] if failures else f"{unsent} records were not sent")

    consumer = Consumer({**config, "group.id": f"readers-of-{topic}", "auto.offset.reset": "earliest"})
    consumer.subscribe([topic])
    read = []
    try:
        while len(read) < len(values):
            message = consumer.poll(DEADLINE_SECONDS)
            if message is None:
                raise KafkaException(f"only {len(read)} records came")
            if message.error():
                raise KafkaException(message.error())
            read.append(message.value().decode())
    finally:
        consumer.close()
    print(json.dumps(read))


main()
