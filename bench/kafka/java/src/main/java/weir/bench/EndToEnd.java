package weir.bench;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * {@code end-to-end topics=… partitions=… records=… bytes=… rate=… warmUpRecords=…}: one producer writes at a steady pace
 * what one consumer of the same process reads. A value begins with the moment at which it was due.
 */
final class EndToEnd {
    private static final long SILENCE_NS_MAX = 30_000_000_000L;

    private EndToEnd() {}

    static Map<String, Object> run(Command command) throws Exception {
        List<TopicPartition> partitions = Fetch.partitionsOf(command);
        long records = command.whole("records");
        long warmUpRecords = command.whole("warmUpRecords");
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (KafkaConsumer<byte[], byte[]> consumer =
                        Fetch.open(new Command(command.name(), withoutClient(command)), partitions);
                KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                        command.settings(), new ByteArraySerializer(), new ByteArraySerializer())) {
            consumer.seekToEnd(partitions);
            for (TopicPartition partition : partitions) consumer.position(partition);
            producer.partitionsFor(command.text("topics"));
            long startNs = System.nanoTime();
            Future<?> written = thread.submit(() -> write(command, producer, records));
            Latencies latencies = new Latencies();
            long seen = 0;
            long lastNs = startNs;
            while (seen < records) {
                boolean came = false;
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    long nowNs = System.nanoTime();
                    came = true;
                    lastNs = nowNs;
                    // With several partitions records pass each other, and some of the warm-up may count.
                    if (seen++ >= warmUpRecords) {
                        latencies.add(nowNs - ByteBuffer.wrap(record.value()).getLong());
                    }
                }
                if (!came && System.nanoTime() - lastNs > SILENCE_NS_MAX) {
                    if (written.isDone()) written.get();
                    throw new IllegalStateException("only " + seen + " of " + records + " records came");
                }
            }
            written.get();
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("records", records);
            result.put("bytes", records * command.integer("bytes"));
            result.put("seconds", (System.nanoTime() - startNs) / 1e9);
            result.put("latency", latencies.summary());
            return result;
        } finally {
            thread.shutdownNow();
        }
    }

    private static void write(Command command, KafkaProducer<byte[], byte[]> producer, long records) {
        Values values = new Values(command.integer("bytes"), 0);
        Pace pace = new Pace(System.nanoTime(), Double.parseDouble(command.text("rate")));
        String topic = command.text("topics");
        for (long n = 0; n < records; n++) {
            pace.await(n);
            // The client copies a value into its batch before it returns, so that the value can be used again.
            byte[] value = values.get(n);
            ByteBuffer.wrap(value).putLong(pace.dueNs(n));
            producer.send(new ProducerRecord<>(topic, value));
        }
        producer.flush();
    }

    /** The settings are the producer's; the consumer has Apache's defaults. */
    private static Map<String, String> withoutClient(Command command) {
        Map<String, String> kept = new LinkedHashMap<>(command.values());
        kept.keySet().removeIf(key -> key.startsWith("client."));
        return kept;
    }
}
