package weir.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * {@code fetch topics=… partitions=… records=… repeats=…}: one consumer reads all partitions of a topic from their
 * beginning, so many records, so many times over. Offsets must have no gap.
 */
final class Fetch {
    private static final Duration POLL = Duration.ofMillis(500);
    private static final long SILENCE_NS_MAX = 30_000_000_000L;

    private Fetch() {}

    static KafkaConsumer<byte[], byte[]> open(Command command, List<TopicPartition> partitions) {
        KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                command.settings(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.assign(partitions);
        return consumer;
    }

    static List<TopicPartition> partitionsOf(Command command) {
        List<TopicPartition> partitions = new ArrayList<>();
        for (int index = 0; index < command.integer("partitions"); index++) {
            partitions.add(new TopicPartition(command.text("topics"), index));
        }
        return partitions;
    }

    static Map<String, Object> run(Command command) {
        List<TopicPartition> partitions = partitionsOf(command);
        long records = command.whole("records");
        int repeats = command.integer("repeats");
        long bytes = 0;
        long startNs;
        try (KafkaConsumer<byte[], byte[]> consumer = open(command, partitions)) {
            startNs = System.nanoTime();
            for (int repeat = 0; repeat < repeats; repeat++) {
                consumer.seekToBeginning(partitions);
                bytes += readOnce(consumer, partitions.size(), records);
            }
            double seconds = (System.nanoTime() - startNs) / 1e9;
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("records", records * repeats);
            result.put("bytes", bytes);
            result.put("seconds", seconds);
            return result;
        }
    }

    private static long readOnce(KafkaConsumer<byte[], byte[]> consumer, int partitions, long records) {
        long[] next = new long[partitions];
        long bytes = 0;
        long seen = 0;
        long lastNs = System.nanoTime();
        while (seen < records) {
            ConsumerRecords<byte[], byte[]> polled = consumer.poll(POLL);
            for (ConsumerRecord<byte[], byte[]> record : polled) {
                if (record.offset() != next[record.partition()]) {
                    throw new IllegalStateException("partition " + record.partition() + " goes from "
                            + next[record.partition()] + " to " + record.offset());
                }
                next[record.partition()]++;
                bytes += record.value().length;
            }
            seen += polled.count();
            if (!polled.isEmpty()) lastNs = System.nanoTime();
            else if (System.nanoTime() - lastNs > SILENCE_NS_MAX) {
                throw new IllegalStateException("only " + seen + " of " + records + " records came");
            }
        }
        return bytes;
    }
}
