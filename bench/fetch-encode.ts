import { apis, encodeResponse } from '@weir/wire';
import { atMost, type Benchmark, ms } from './benchmark.ts';
import { sideBySide } from './side-by-side.ts';

const partitionCount = 100;
const partitionBytes = 1024 * 1024;

/** Encodes a Fetch response over cached pages, against a copy of the same response into one buffer. */
export const fetchEncode: Benchmark = {
  name: 'fetch-encode',
  async run(effort) {
    const page = Buffer.alloc(partitionBytes, 7);
    const version = 12;
    const partitions = Array.from({ length: partitionCount }, (_, partitionIndex) => ({
      partitionIndex,
      errorCode: 0,
      highWatermark: 1000n,
      lastStableOffset: 1000n,
      logStartOffset: 0n,
      abortedTransactions: null,
      records: page,
    }));
    const body = {
      throttleTimeMs: 0,
      errorCode: 0,
      sessionId: 0,
      responses: [{ topic: 'topic', partitions }],
    };
    const encode = () => encodeResponse(apis.Fetch, version, 1, body);

    // Response bytes outside the page are encoded fields or copies.
    const slices = encode();
    const recordBytes = partitionCount * partitionBytes;
    const referencedBytes = slices
      .filter((slice) => slice.buffer === page.buffer)
      .reduce((sum, { length }) => sum + length, 0);

    const outcome = await sideBySide(
      { name: 'slices', run: encode },
      { name: 'one buffer', run: () => Buffer.concat(encode()) },
      // Copying 100 MiB takes far longer than one turn should, so fewer turns are enough.
      { ...effort, turns: Math.ceil(effort.turns / 8) },
    );
    return [
      {
        what: `encode Fetch v${version} with ${partitionCount} partitions of 1 MiB: record bytes copied`,
        result: recordBytes - referencedBytes,
        unit: 'bytes',
        bar: atMost(0),
        detail: `${slices.length} slices`,
      },
      {
        what: 'the same, put into one buffer / as slices',
        result: outcome.referenceOverSubject,
        unit: 'x',
        detail: `${ms(outcome.referenceMs)} / ${ms(outcome.subjectMs)}`,
      },
    ];
  },
};
