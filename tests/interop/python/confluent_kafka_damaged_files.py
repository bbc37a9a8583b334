"""What librdkafka makes of damaged files, of partitions as `damaged-agent.ts` makes them."""

import time

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec
from scenarios import DEADLINE_SECONDS, equal, run, scenario

TOPIC = "damaged"
DAMAGED = [0, 1, 2]
# Damaged at first, and restored while a reader waits for them.
RESTORED = [3, 4, 5]
INTACT = 6
PARTITIONS = [*DAMAGED, *RESTORED, INTACT]
END = 3


def timestamp_at(offset):
    return 1000 * (offset + 1)


@scenario("read over damaged files")
def read_over_damage(broker):
    consumer = Consumer({"bootstrap.servers": broker, "group.id": "readers", "enable.auto.commit": False})
    consumer.assign([TopicPartition(TOPIC, partition, 0) for partition in PARTITIONS])
    records = []
    failures = []
    ends = dict.fromkeys(PARTITIONS, 0)
    deadline = time.monotonic() + DEADLINE_SECONDS
    while any(end < END for end in ends.values()):
        message = consumer.poll(0.5)
        if message is None:
            if time.monotonic() > deadline:
                raise AssertionError(f"the partitions were read up to {ends}")
            continue
        if message.error():
            failures.append((message.partition(), message.offset(), message.error().code()))
            if message.error().code() != KafkaError.INVALID_MSG:
                raise KafkaException(message.error())
            ends[message.partition()] = message.offset() + 1
            consumer.seek(TopicPartition(TOPIC, message.partition(), message.offset() + 1))
            continue
        ends[message.partition()] = message.offset() + 1
        records.append((message.partition(), message.offset(), message.value().decode()))
    consumer.close()
    readable = [
        (partition, offset, f"value-{partition}-{offset}")
        for partition in PARTITIONS
        for offset in range(END)
        if partition not in DAMAGED or offset != 1
    ]
    equal(sorted(records), readable)
    equal(sorted(failures), [(partition, 1, KafkaError.INVALID_MSG) for partition in DAMAGED])


@scenario("list offsets beside damaged files")
def list_offsets(broker):
    admin = AdminClient({"bootstrap.servers": broker})

    def offset_at(partition, spec):
        place = TopicPartition(TOPIC, partition)
        return admin.list_offsets({place: spec}, request_timeout=2)[place].result(DEADLINE_SECONDS).offset

    for partition in DAMAGED:
        equal(offset_at(partition, OffsetSpec.earliest()), 0)
        equal(offset_at(partition, OffsetSpec.latest()), END)
        equal(offset_at(partition, OffsetSpec.max_timestamp()), 2)
        equal(offset_at(partition, OffsetSpec.for_timestamp(timestamp_at(0))), 0)
        equal(offset_at(partition, OffsetSpec.for_timestamp(timestamp_at(2))), 2)
    equal(offset_at(INTACT, OffsetSpec.for_timestamp(timestamp_at(1))), 1)
    try:
        offset = offset_at(DAMAGED[0], OffsetSpec.for_timestamp(timestamp_at(1)))
    except KafkaException as failure:
        equal(failure.args[0].code(), KafkaError.KAFKA_STORAGE_ERROR)
    else:
        raise AssertionError(f"{offset} is an offset of a file that cannot be read")


run()
