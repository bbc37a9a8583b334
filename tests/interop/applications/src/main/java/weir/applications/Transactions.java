package weir.applications;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** Transactional producers that are led step by step, each under its transactional id. */
final class Transactions {
    private final Map<String, KafkaProducer<String, String>> producers = new ConcurrentHashMap<>();

    /** Begins a transaction and writes one record in it. */
    Object begin(JsonNode arguments) throws ExecutionException, InterruptedException {
        KafkaProducer<String, String> producer =
                producers.computeIfAbsent(arguments.get("transactionalId").asText(), id -> {
                    KafkaProducer<String, String> made = new KafkaProducer<>(
                            Map.of(
                                    "bootstrap.servers", arguments.get("servers").asText(),
                                    "transactional.id", id),
                            new StringSerializer(),
                            new StringSerializer());
                    made.initTransactions();
                    return made;
                });
        producer.beginTransaction();
        ProducerRecord<String, String> record = new ProducerRecord<>(
                arguments.get("topic").asText(),
                arguments.get("partition").asInt(),
                null,
                arguments.get("value").asText());
        return producer.send(record).get().offset();
    }

    Object commit(JsonNode arguments) {
        producers.get(arguments.get("transactionalId").asText()).commitTransaction();
        return Map.of();
    }

    Object abort(JsonNode arguments) {
        producers.get(arguments.get("transactionalId").asText()).abortTransaction();
        return Map.of();
    }
}
