"""What applications do with kafka-python, a client in Python alone."""

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import NewTopic
from scenarios import DEADLINE_SECONDS, equal, run, scenario

VALUES = [f"value-{number}".encode() for number in range(100)]


def admin_of(broker):
    return KafkaAdminClient(bootstrap_servers=broker)


def created(broker, topic, partitions=1):
    admin = admin_of(broker)
    admin.create_topics([NewTopic(name=topic, num_partitions=partitions, replication_factor=1)])
    return admin


def write(broker, topic, **settings):
    producer = KafkaProducer(bootstrap_servers=broker, **settings)
    sent = [producer.send(topic, value) for value in VALUES]
    for future in sent:
        future.get(timeout=DEADLINE_SECONDS)
    producer.close()


def consumer_of(broker, *topics, **settings):
    return KafkaConsumer(
        *topics,
        bootstrap_servers=broker,
        auto_offset_reset="earliest",
        consumer_timeout_ms=DEADLINE_SECONDS * 1000,
        **settings,
    )


def read(consumer):
    """Reads until all values came; the consumer ends its iteration when nothing comes for too long."""
    values = []
    for message in consumer:
        values.append(message.value)
        if len(values) == len(VALUES):
            break
    return values


for codec in [None, "gzip"]:

    def codec_scenario(broker, codec=codec):
        topic = f"codec-{codec}"
        created(broker, topic).close()
        write(broker, topic, compression_type=codec)
        consumer = consumer_of(broker)
        consumer.assign([TopicPartition(topic, 0)])
        equal(read(consumer), VALUES)
        consumer.close()

    scenario(f"write and read {codec or 'none'}")(codec_scenario)


@scenario("group")
def group(broker):
    created(broker, "grouped", 3).close()
    write(broker, "grouped")
    consumer = consumer_of(broker, "grouped", group_id="group")
    equal(sorted(read(consumer)), sorted(VALUES))
    consumer.commit()
    committed = [consumer.committed(partition) for partition in consumer.assignment()]
    equal(sum(committed), len(VALUES))
    consumer.close()


@scenario("subscription by pattern")
def pattern(broker):
    created(broker, "pattern-a").close()
    write(broker, "pattern-a")
    consumer = consumer_of(broker, group_id="pattern")
    consumer.subscribe(pattern="^pattern-.*")
    equal(read(consumer), VALUES)
    consumer.close()


@scenario("create, list and delete topics")
def topics(broker):
    admin = created(broker, "short-lived", 2)
    equal("short-lived" in admin.list_topics(), True)
    admin.delete_topics(["short-lived"])
    equal("short-lived" in admin.list_topics(), False)
    admin.close()


@scenario("describe the cluster")
def cluster(broker):
    admin = admin_of(broker)
    described = admin.describe_cluster()
    equal([f"{node['host']}:{node['port']}" for node in described["brokers"]], [broker])
    admin.close()


run()
