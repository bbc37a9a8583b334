package weir.interop;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Copies all of one topic to another, partition by partition as they are, and commits after every so many records: in a
 * transaction, or records and offsets by themselves. Both ways do the same work and wait at the same places.
 */
final class TopicCopy {
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final KafkaProducer<byte[], byte[]> producer;
    private final boolean isTransactional;
    private final Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    private int pending;

    private TopicCopy(
            KafkaConsumer<byte[], byte[]> consumer, KafkaProducer<byte[], byte[]> producer, boolean isTransactional) {
        this.consumer = consumer;
        this.producer = producer;
        this.isTransactional = isTransactional;
    }

    static Map<String, Object> run(String servers, List<String> arguments) {
        String from = arguments.get(0);
        String to = arguments.get(1);
        int recordsPerCommit = Integer.parseInt(arguments.get(2));
        boolean isTransactional = !arguments.get(3).equals("-");
        Map<String, Object> reading = new HashMap<>();
        reading.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, servers);
        reading.put(ConsumerConfig.GROUP_ID_CONFIG, "copy-to-" + to);
        reading.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        reading.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 2000);
        reading.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, isTransactional ? "read_committed" : "read_uncommitted");
        Map<String, Object> writing = new HashMap<>();
        writing.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, servers);
        writing.put(ProducerConfig.LINGER_MS_CONFIG, 5);
        writing.put(ProducerConfig.BATCH_SIZE_CONFIG, 256 * 1024);
        if (isTransactional) writing.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, arguments.get(3));
        try (KafkaConsumer<byte[], byte[]> consumer =
                        new KafkaConsumer<>(reading, new ByteArrayDeserializer(), new ByteArrayDeserializer());
                KafkaProducer<byte[], byte[]> producer =
                        new KafkaProducer<>(writing, new ByteArraySerializer(), new ByteArraySerializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(from).stream()
                    .map(info -> new TopicPartition(from, info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            if (isTransactional) producer.initTransactions();
            return new TopicCopy(consumer, producer, isTransactional).copy(partitions, to, recordsPerCommit);
        }
    }

    private Map<String, Object> copy(List<TopicPartition> partitions, String to, int recordsPerCommit) {
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        int copied = 0;
        long begunNs = System.nanoTime();
        while (!partitions.stream().allMatch(one -> consumer.position(one) >= ends.get(one))) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(200));
            for (ConsumerRecord<byte[], byte[]> record : records) {
                if (pending++ == 0 && isTransactional) producer.beginTransaction();
                producer.send(new ProducerRecord<>(to, record.partition(), record.key(), record.value()));
                offsets.put(
                        new TopicPartition(record.topic(), record.partition()),
                        new OffsetAndMetadata(record.offset() + 1));
                copied++;
                if (pending == recordsPerCommit) commit();
            }
        }
        if (pending > 0) commit();
        int elapsedMs = (int) ((System.nanoTime() - begunNs) / 1_000_000);
        return Map.of("copied", copied, "elapsedMs", elapsedMs);
    }

    private void commit() {
        if (isTransactional) {
            producer.sendOffsetsToTransaction(offsets, consumer.groupMetadata());
            producer.commitTransaction();
        } else {
            producer.flush();
            consumer.commitSync(offsets);
        }
        offsets.clear();
        pending = 0;
    }
}
