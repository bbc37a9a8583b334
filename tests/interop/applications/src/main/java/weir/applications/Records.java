package weir.applications;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Plain clients that write and read what the applications work on. */
final class Records {
    private static final Duration POLL = Duration.ofMillis(200);

    private Records() {}

    /**
     * Writes the numbers from {@code first} on, each to the partition that is its remainder; with {@code words}, three
     * words for each, which come again with other numbers.
     */
    static Object produce(JsonNode arguments) throws ExecutionException, InterruptedException {
        String topic = arguments.get("topic").asText();
        int first = arguments.get("first").asInt();
        int partitions = arguments.get("partitions").asInt();
        Map<String, Object> settings = Map.of("bootstrap.servers", arguments.get("servers").asText());
        boolean asWords = arguments.path("words").asBoolean();
        List<Future<?>> sent = new ArrayList<>();
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            for (int n = first; n < first + arguments.get("count").asInt(); n++) {
                String number = String.valueOf(n);
                String value = asWords ? "a" + n % 7 + " b" + n % 11 + " c" + n % 13 : number;
                sent.add(producer.send(new ProducerRecord<>(topic, n % partitions, number, value)));
            }
        }
        for (Future<?> one : sent) one.get();
        return Map.of();
    }

    /**
     * Writes records to each partition in a transaction, waits until they lie in the log, and aborts it. Who aborts
     * without waiting leaves it to chance whether anything got there, because a producer drops what it has not sent.
     */
    static Object produceAborted(JsonNode arguments) {
        String topic = arguments.get("topic").asText();
        int partitions = arguments.get("partitions").asInt();
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", arguments.get("servers").asText(),
                "transactional.id", arguments.get("id").asText());
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            for (int n = 0; n < arguments.get("count").asInt(); n++) {
                producer.send(new ProducerRecord<>(topic, n % partitions, "aborted", String.valueOf(n)));
            }
            producer.flush();
            producer.abortTransaction();
        }
        return Map.of();
    }

    /**
     * Reads up to the ends that the partitions have now for this isolation. Gives partition, offset, key and value; with
     * {@code longs}, values are numbers of eight bytes.
     */
    static Object read(JsonNode arguments) {
        String topic = arguments.get("topic").asText();
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", arguments.get("servers").asText(),
                "isolation.level", arguments.get("isolation").asText());
        Deserializer<?> values = arguments.path("longs").asBoolean() ? new LongDeserializer() : new StringDeserializer();
        List<List<Object>> records = new ArrayList<>();
        try (KafkaConsumer<String, ?> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), values)) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (!partitions.stream().allMatch(one -> consumer.position(one) >= ends.get(one))) {
                consumer.poll(POLL).forEach(record -> records.add(List.of(
                        record.partition(),
                        record.offset(),
                        record.key() == null ? "" : record.key(),
                        String.valueOf(record.value()))));
            }
        }
        return records;
    }
}
