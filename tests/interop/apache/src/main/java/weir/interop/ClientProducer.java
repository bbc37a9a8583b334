package weir.interop;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;

/** A producer with Apache's defaults, which is idempotent and waits for all replicas. */
final class ClientProducer {
    private ClientProducer() {}

    static KafkaProducer<String, String> open(Map<String, Object> settings) {
        return new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
    }

    /**
     * Writes {@code <topic> <partitions> <count> <first timestamp> <setting=value…>}: record n goes to partition n modulo
     * their number, one millisecond after the one before. Gives partition and offset of each, as the broker answered.
     */
    static List<List<Object>> produce(String servers, List<String> arguments)
            throws ExecutionException, InterruptedException {
        String topic = arguments.get(0);
        int partitions = Integer.parseInt(arguments.get(1));
        int count = Integer.parseInt(arguments.get(2));
        long firstTimestamp = Long.parseLong(arguments.get(3));
        Map<String, Object> settings = Settings.of(servers, arguments.subList(4, arguments.size()));
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        try (KafkaProducer<String, String> producer = open(settings)) {
            for (int n = 0; n < count; n++) {
                sent.add(producer.send(record(topic, n % partitions, firstTimestamp + n, n)));
            }
        }
        List<List<Object>> answers = new ArrayList<>();
        for (Future<RecordMetadata> one : sent) {
            RecordMetadata written = one.get();
            answers.add(List.of(written.partition(), String.valueOf(written.offset())));
        }
        return answers;
    }

    private static ProducerRecord<String, String> record(String topic, int partition, long timestamp, int n) {
        String value = "value " + n + " " + "weir ".repeat(20);
        ProducerRecord<String, String> record =
                new ProducerRecord<>(topic, partition, timestamp, "key " + n, value);
        record.headers().add("header", ("of " + n).getBytes(StandardCharsets.UTF_8));
        return record;
    }
}
