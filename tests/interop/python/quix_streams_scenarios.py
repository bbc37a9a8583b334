"""A small application on Quix Streams: it transforms one topic into another and counts in its state."""

import json
import tempfile

from confluent_kafka import Consumer, Producer, TopicPartition
from quixstreams import Application
from scenarios import DEADLINE_SECONDS, equal, run, scenario

COUNT = 20


@scenario("transform and count with state")
def count(broker):
    producer = Producer({"bootstrap.servers": broker})
    for number in range(COUNT):
        producer.produce("numbers", json.dumps({"number": number}), key="all")
    equal(producer.flush(DEADLINE_SECONDS), 0)

    with tempfile.TemporaryDirectory() as folder:
        application = Application(
            broker_address=broker,
            consumer_group="counting",
            auto_offset_reset="earliest",
            state_dir=folder,
            loglevel="ERROR",
        )
        numbers = application.topic("numbers", value_deserializer="json")
        counts = application.topic("counts", value_serializer="json")
        frame = application.dataframe(numbers)
        frame = frame.apply(with_sum, stateful=True).to_topic(counts)
        application.run(count=COUNT, timeout=DEADLINE_SECONDS)

    consumer = Consumer({"bootstrap.servers": broker, "group.id": "reader"})
    consumer.assign([TopicPartition("counts", 0, 0)])
    sums = []
    while len(sums) < COUNT:
        message = consumer.poll(DEADLINE_SECONDS)
        equal((message is None, message and message.error()), (False, None))
        sums.append(json.loads(message.value())["sum"])
    consumer.close()
    equal(sums, [number * (number + 1) // 2 for number in range(COUNT)])


def with_sum(value, state):
    total = state.get("sum", 0) + value["number"]
    state.set("sum", total)
    return {"sum": total}


run()
