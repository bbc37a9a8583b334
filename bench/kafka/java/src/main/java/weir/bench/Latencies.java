package weir.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Latencies of one thread, in microseconds up to ten minutes, three digits exact. */
final class Latencies {
    private static final long MAX_US = 600_000_000L;

    private final Histogram histogram = new Histogram(MAX_US, 3);

    void add(long ns) {
        histogram.recordValue(Math.min(Math.max(ns / 1000, 0), MAX_US));
    }

    void addAll(Latencies other) {
        histogram.add(other.histogram);
    }

    Map<String, Object> summary() {
        Map<String, Object> summary = new LinkedHashMap<>();
        summary.put("count", histogram.getTotalCount());
        summary.put("p50Ms", histogram.getValueAtPercentile(50) / 1000.0);
        summary.put("p99Ms", histogram.getValueAtPercentile(99) / 1000.0);
        summary.put("p999Ms", histogram.getValueAtPercentile(99.9) / 1000.0);
        summary.put("maxMs", histogram.getMaxValue() / 1000.0);
        return summary;
    }
}
