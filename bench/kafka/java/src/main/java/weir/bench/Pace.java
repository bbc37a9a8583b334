package weir.bench;

import java.util.concurrent.locks.LockSupport;

/**
 * When record n is due. Latency counts from there and not from when the thread got round to it: a server that stalls
 * its client would otherwise look better for it.
 */
record Pace(long startNs, double recordsPerSecond) {
    private static final long NAP_NS = 200_000;

    long dueNs(long n) {
        return startNs + (long) (n * 1e9 / recordsPerSecond);
    }

    void await(long n) {
        long dueNs = dueNs(n);
        while (System.nanoTime() < dueNs) LockSupport.parkNanos(Math.min(NAP_NS, dueNs - System.nanoTime()));
    }
}
