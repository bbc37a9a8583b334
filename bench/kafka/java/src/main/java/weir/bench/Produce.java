package weir.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * {@code produce topics=a,b partitions=… producers=… records=… bytes=… rate=… spread=… warmUpRecords=…}: so many producers
 * write so many records in all and wait for every acknowledgement.
 *
 * <p>{@code rate} is records per second of all producers together, 0 for as fast as they can. {@code spread=client} leaves
 * the partition to the client, which fills one batch after the other; {@code spread=turns} takes one partition after the
 * other for every record, as keys would. The latencies of the first {@code warmUpRecords} do not count.
 */
final class Produce {
    private Produce() {}

    static Map<String, Object> run(Command command) throws Exception {
        int producers = command.integer("producers");
        long records = command.whole("records");
        List<Writer> writers = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(producers);
        try {
            for (int index = 0; index < producers; index++) writers.add(new Writer(command, index, producers));
            CountDownLatch start = new CountDownLatch(1);
            List<Future<?>> ends = new ArrayList<>();
            for (Writer writer : writers) {
                ends.add(threads.submit(() -> {
                    start.await();
                    writer.write();
                    return null;
                }));
            }
            long startNs = System.nanoTime();
            start.countDown();
            for (Future<?> end : ends) end.get();
            double seconds = (System.nanoTime() - startNs) / 1e9;
            Latencies all = new Latencies();
            for (Writer writer : writers) all.addAll(writer.latencies);
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("records", records);
            result.put("bytes", records * command.integer("bytes"));
            result.put("seconds", seconds);
            result.put("latency", all.summary());
            return result;
        } finally {
            threads.shutdownNow();
            for (Writer writer : writers) writer.close();
        }
    }

    private static final class Writer implements AutoCloseable {
        final Latencies latencies = new Latencies();
        private final KafkaProducer<byte[], byte[]> producer;
        private final AtomicReference<Exception> failure = new AtomicReference<>();
        private final List<String> topics;
        private final int partitions;
        private final boolean takesTurns;
        private final Values values;
        private final int index;
        private final int step;
        private final long records;
        private final long warmUpRecords;
        private final double rate;

        Writer(Command command, int index, int step) {
            this.index = index;
            this.step = step;
            topics = List.of(command.text("topics").split(","));
            partitions = command.integer("partitions");
            takesTurns = command.text("spread").equals("turns");
            values = new Values(command.integer("bytes"), index);
            records = command.whole("records");
            warmUpRecords = command.whole("warmUpRecords");
            rate = Double.parseDouble(command.text("rate"));
            producer = new KafkaProducer<>(command.settings(), new ByteArraySerializer(), new ByteArraySerializer());
            // The first metadata and the producer id are no part of the throughput.
            for (String topic : topics) producer.partitionsFor(topic);
        }

        /** Writes every record whose number is ours. */
        void write() throws Exception {
            Pace pace = rate == 0 ? null : new Pace(System.nanoTime(), rate);
            long slots = (long) topics.size() * partitions;
            for (long n = index; n < records; n += step) {
                if (failure.get() != null) throw failure.get();
                if (pace != null) pace.await(n);
                long dueNs = pace == null ? System.nanoTime() : pace.dueNs(n);
                boolean counts = n >= warmUpRecords;
                String topic = topics.get((int) (n % slots / partitions));
                Integer partition = takesTurns ? Integer.valueOf((int) (n % partitions)) : null;
                producer.send(new ProducerRecord<>(topic, partition, null, values.get(n)), (written, failed) -> {
                    if (failed != null) failure.compareAndSet(null, failed);
                    else if (counts) latencies.add(System.nanoTime() - dueNs);
                });
            }
            producer.flush();
            if (failure.get() != null) throw failure.get();
        }

        @Override
        public void close() {
            producer.close(java.time.Duration.ofSeconds(10));
        }
    }
}
