package weir.bench;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * {@code Steady <servers> <topic> <partitions> <records per second>}: writes to the partitions in turn and reads them as a
 * group of one, with default settings, until standard input ends. Prints a line for each acknowledgement and each record:
 * {@code w 3 1763500000000} is an acknowledgement of partition 3, {@code r} a record.
 */
final class Steady {
    private Steady() {}

    public static void main(String[] args) throws Exception {
        String servers = args[0];
        String topic = args[1];
        int partitions = Integer.parseInt(args[2]);
        double rate = Double.parseDouble(args[3]);
        Thread reader = new Thread(() -> read(servers, topic));
        reader.setDaemon(true);
        reader.start();
        Thread writer = new Thread(() -> write(servers, topic, partitions, rate));
        writer.setDaemon(true);
        writer.start();
        while (System.in.read() >= 0) {}
        System.out.flush();
        // The clients may be in the middle of anything, which does not matter any more.
        Runtime.getRuntime().halt(0);
    }

    private static void write(String servers, String topic, int partitions, double rate) {
        KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", servers), new ByteArraySerializer(), new ByteArraySerializer());
        byte[] value = new byte[100];
        Pace pace = new Pace(System.nanoTime(), rate);
        for (long n = 0; ; n++) {
            pace.await(n);
            int partition = (int) (n % partitions);
            producer.send(new ProducerRecord<>(topic, partition, null, value), (written, failed) -> {
                if (failed == null) tell('w', partition);
                else System.err.println("not written: " + failed);
            });
        }
    }

    private static void read(String servers, String topic) {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", servers, "group.id", "java", "auto.offset.reset", "earliest");
        KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.subscribe(List.of(topic));
        while (true) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) tell('r', record.partition());
        }
    }

    private static synchronized void tell(char what, int partition) {
        System.out.println(what + " " + partition + " " + System.currentTimeMillis());
    }
}
