package weir.bench;

import java.util.Random;

/** Random values, which no codec and no store can make smaller. They repeat, but not within any batch. */
final class Values {
    private static final int COUNT = 4096;

    private final byte[][] values;

    Values(int bytes, long seed) {
        Random random = new Random(seed);
        values = new byte[COUNT][bytes];
        for (byte[] value : values) random.nextBytes(value);
    }

    byte[] get(long n) {
        return values[(int) (n & (COUNT - 1))];
    }
}
