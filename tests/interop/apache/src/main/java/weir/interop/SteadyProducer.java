package weir.interop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Writes numbered records, as fast as they are acknowledged, until it is told to finish, and remembers what became of
 * each. The settings are Apache's defaults but for the time after which a record is given up, which outlives any repair.
 */
final class SteadyProducer implements AutoCloseable {
    private static final int UNANSWERED_MAX = 200;

    private final KafkaProducer<String, String> producer;
    private final List<List<Object>> acknowledged = new ArrayList<>();
    private final List<String> failed = new ArrayList<>();
    private final Semaphore unanswered = new Semaphore(UNANSWERED_MAX);
    private final Thread thread;
    private volatile boolean finishing;

    SteadyProducer(String servers, String topic, int partitions) {
        Map<String, Object> settings = Settings.of(servers);
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 180_000);
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 180_000L);
        settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 10_000);
        producer = ClientProducer.open(settings);
        thread = new Thread(() -> write(topic, partitions));
        thread.start();
    }

    private void write(String topic, int partitions) {
        for (int n = 0; !finishing; n++) {
            unanswered.acquireUninterruptibly();
            String value = String.valueOf(n);
            producer.send(new ProducerRecord<>(topic, n % partitions, null, value), (written, failure) -> {
                synchronized (this) {
                    if (failure != null) failed.add(value + ": " + failure.getClass().getSimpleName());
                    else acknowledged.add(List.of(value, written.partition(), String.valueOf(written.offset())));
                }
                unanswered.release();
            });
        }
    }

    synchronized Map<String, Object> progress() {
        return Map.of("acknowledged", acknowledged.size(), "failed", failed.size());
    }

    /** Waits until everything that was sent is answered, and gives value, partition and offset of each record. */
    Map<String, Object> finish() throws InterruptedException {
        finishing = true;
        thread.join();
        producer.flush();
        synchronized (this) {
            return Map.of("acknowledged", List.copyOf(acknowledged), "failed", List.copyOf(failed));
        }
    }

    @Override
    public void close() {
        finishing = true;
        producer.close(Duration.ZERO);
    }
}
