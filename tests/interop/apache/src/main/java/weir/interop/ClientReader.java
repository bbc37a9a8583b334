package weir.interop;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A consumer that is assigned its partitions and needs no group. */
final class ClientReader {
    private static final Duration POLL = Duration.ofMillis(200);

    private ClientReader() {}

    static List<List<Object>> readFromStart(String servers, String topic) {
        return read(servers, topic, KafkaConsumer::seekToBeginning);
    }

    /** Leaves out what is not committed, and ends where a transaction is open. */
    static List<List<Object>> readCommitted(String servers, String topic) {
        Map<String, Object> committed = Map.of(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        return read(servers, topic, committed, KafkaConsumer::seekToBeginning);
    }

    static List<List<Object>> readFromOffset(String servers, String topic, long offset) {
        return read(servers, topic, (consumer, partitions) -> partitions.forEach(one -> consumer.seek(one, offset)));
    }

    static List<List<Object>> readFromTime(String servers, String topic, long timestamp) {
        return read(servers, topic, (consumer, partitions) -> {
            Map<TopicPartition, Long> times =
                    partitions.stream().collect(Collectors.toMap(one -> one, one -> timestamp));
            consumer.seekToEnd(partitions);
            for (Map.Entry<TopicPartition, OffsetAndTimestamp> found : consumer.offsetsForTimes(times).entrySet()) {
                if (found.getValue() != null) consumer.seek(found.getKey(), found.getValue().offset());
            }
        });
    }

    /** Reads from the start and goes on behind each offset that the client reports as unreadable. Gives records and reports. */
    static Map<String, Object> readOverDamage(String servers, String topic) {
        Map<String, Object> settings = Settings.of(servers);
        settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        List<List<Object>> records = new ArrayList<>();
        List<String> failures = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> partitions = assignAll(consumer, topic);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            consumer.seekToBeginning(partitions);
            while (!partitions.stream().allMatch(one -> consumer.position(one) >= ends.get(one))) {
                try {
                    consumer.poll(POLL).forEach(record -> records.add(row(record)));
                } catch (KafkaException failure) {
                    failures.add(failure.getMessage());
                    TopicPartition unreadable = partitions.stream()
                            .filter(one -> failure.getMessage().endsWith(" " + one))
                            .findFirst()
                            .orElseThrow(() -> failure);
                    consumer.seek(unreadable, consumer.position(unreadable) + 1);
                }
            }
        }
        return Map.of("records", records, "failures", failures);
    }

    private static List<TopicPartition> assignAll(KafkaConsumer<String, String> consumer, String topic) {
        List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                .map(info -> new TopicPartition(topic, info.partition()))
                .toList();
        consumer.assign(partitions);
        return partitions;
    }

    private static List<List<Object>> read(
            String servers,
            String topic,
            BiConsumer<KafkaConsumer<String, String>, List<TopicPartition>> position) {
        return read(servers, topic, Map.of(), position);
    }

    /** Reads up to the ends that the partitions have now. Gives partition, offset, timestamp, key, value and headers. */
    private static List<List<Object>> read(
            String servers,
            String topic,
            Map<String, Object> differences,
            BiConsumer<KafkaConsumer<String, String>, List<TopicPartition>> position) {
        Map<String, Object> settings = Settings.of(servers);
        settings.putAll(differences);
        settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        List<List<Object>> records = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> partitions = assignAll(consumer, topic);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            position.accept(consumer, partitions);
            while (!partitions.stream().allMatch(one -> consumer.position(one) >= ends.get(one))) {
                consumer.poll(POLL).forEach(record -> records.add(row(record)));
            }
        }
        return records;
    }

    private static List<Object> row(ConsumerRecord<String, String> record) {
        List<Object> headers = StreamSupport.stream(record.headers().spliterator(), false)
                .<Object>map(header -> header.key() + "=" + new String(header.value(), StandardCharsets.UTF_8))
                .toList();
        return Arrays.asList(
                record.partition(),
                String.valueOf(record.offset()),
                String.valueOf(record.timestamp()),
                record.key(),
                record.value(),
                headers);
    }
}
