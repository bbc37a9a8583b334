"""An idempotent producer, a transactional producer and a consumer group, all librdkafka's, until standard input ends."""

import json
import random
import sys
import threading
import time

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

bootstrap, stream, transactions, partition_count = sys.argv[1:5]
partition_count = int(partition_count)
is_over = threading.Event()
lock = threading.Lock()
FLUSH_SECONDS = 80


def tell(**event):
    with lock:
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()


def note(text):
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def config(**more):
    return {
        "bootstrap.servers": bootstrap,
        "reconnect.backoff.max.ms": 1000,
        "socket.timeout.ms": 5000,
        "topic.metadata.refresh.interval.ms": 3000,
        "error_cb": lambda error: None,
        "log_level": 0,
        **{name.replace("_", "."): value for name, value in more.items()},
    }


def acknowledged(topic, partition, value):
    def delivered(error, message):
        if error is None:
            tell(type="acknowledge", topic=topic, partition=partition, value=value, offset=message.offset())

    return delivered


def write_stream():
    """Acknowledged values must be there once and in order; librdkafka itself tries again."""
    producer = Producer(config(enable_idempotence=True, linger_ms=5, delivery_timeout_ms=120000))
    number = 0
    while not is_over.is_set():
        partition = number % partition_count
        value = f"rdkafka-{partition}-{number}"
        tell(type="write", topic=stream, partition=partition, value=value, producer="rdkafka")
        producer.produce(stream, value, partition=partition, on_delivery=acknowledged(stream, partition, value))
        producer.poll(0)
        number += 1
        time.sleep(0.02)
    left = producer.flush(FLUSH_SECONDS)
    if left > 0:
        raise RuntimeError(f"{left} records were not acknowledged")


def write_transactions(transactional_id):
    number = 0
    producer = None
    while not is_over.is_set():
        try:
            if producer is None:
                producer = Producer(
                    config(transactional_id=transactional_id, linger_ms=5, transaction_timeout_ms=20000)
                )
                producer.init_transactions(20)
            number += 1
            producer = transact(producer, transactional_id, f"{transactional_id}-{number}")
        except KafkaException as problem:
            note(f"{transactional_id}: {problem}")
            producer = None
        time.sleep(0.03)


def transact(producer, transactional_id, transaction):
    """Writes one transaction. Returns the producer, or None when it cannot be used any more."""
    producer.begin_transaction()
    for index in range(random.randint(1, 8)):
        partition = random.randrange(partition_count)
        value = f"{transaction}/{index}"
        tell(
            type="write",
            topic=transactions,
            partition=partition,
            value=value,
            producer=transactional_id,
            transaction=transaction,
        )
        on_delivery = acknowledged(transactions, partition, value)
        producer.produce(transactions, value, partition=partition, on_delivery=on_delivery)
        producer.poll(0)
    is_commit = random.random() > 0.2
    if is_commit:
        tell(type="askCommit", transaction=transaction)
    while True:
        try:
            if is_commit:
                producer.commit_transaction(20)
                tell(type="committed", transaction=transaction)
            else:
                producer.abort_transaction(20)
                tell(type="aborted", transaction=transaction)
            return producer
        except KafkaException as problem:
            error = problem.args[0]
            note(f"{transaction}: {error}")
            if error.retriable():
                continue
            if not error.txn_requires_abort():
                return None
            # The commit may have been asked for, which only the broker knows; what follows is all or nothing.
            is_commit = False


def consume(group, protocol):
    """Commits what was read, and holds the positions that it is told to what was acknowledged."""
    consumer = Consumer(
        config(
            group_id=group,
            group_protocol=protocol,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
        )
    )
    consumer.subscribe([stream])
    base = 1_000_000_000 if protocol == "classic" else 2_000_000_000
    call = base
    next_look = 0.0
    while not is_over.is_set():
        messages = [message for message in consumer.consume(50, 0.3) if message.error() is None]
        offsets = {message.partition(): message.offset() + 1 for message in messages}
        if offsets:
            call += 1
            for partition, offset in offsets.items():
                tell(
                    type="commitOffset",
                    call=call,
                    generationId=0,
                    group=group,
                    topic=stream,
                    partition=partition,
                    offset=offset,
                )
            try:
                positions = [TopicPartition(stream, partition, offset) for partition, offset in offsets.items()]
                consumer.commit(offsets=positions, asynchronous=False)
                tell(type="offsetsCommitted", call=call)
            except KafkaException as problem:
                note(f"{group}: {problem}")
        if time.monotonic() > next_look:
            next_look = time.monotonic() + 1
            look(consumer, group, base + 500_000_000 + call)
    consumer.close()


def look(consumer, group, call):
    """Asks where the group is."""
    tell(type="fetchOffsets", call=call)
    try:
        found = consumer.committed([TopicPartition(stream, p) for p in range(partition_count)], timeout=5)
    except KafkaException as problem:
        note(f"{group}: {problem}")
        return
    for position in found:
        if position.error is None and position.offset >= 0:
            tell(
                type="offsetFetched",
                call=call,
                isLast=False,
                group=group,
                topic=stream,
                partition=position.partition,
                offset=position.offset,
            )


failures = []


def start(work, *args):
    def guarded():
        try:
            work(*args)
        except BaseException as problem:  # The program must end with it, whatever it is.
            failures.append(problem)
            note(f"{work.__name__}: {problem!r}")

    thread = threading.Thread(target=guarded)
    thread.start()
    return thread


threads = [
    start(write_stream),
    start(write_transactions, "rdkafka-tx-a"),
    start(write_transactions, "rdkafka-tx-b"),
    start(consume, "rdkafka-classic", "classic"),
    start(consume, "rdkafka-consumer", "consumer"),
]
sys.stdin.read()
is_over.set()
for thread in threads:
    thread.join()
if failures:
    sys.exit(1)
tell(type="done")
