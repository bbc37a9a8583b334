import { crc32c } from '@node-rs/crc32';
import {
  apis,
  buildRecordBatch,
  decodeRequestBody,
  decodeRequestHeader,
  encodeRequest,
  validateProducedBatch,
} from '@weir/wire';
import { atMost, type Benchmark, ms } from './benchmark.ts';
import { sideBySide } from './side-by-side.ts';

const batchBytes = 1024 * 1024;
/** The CRC covers the batch from this byte on: everything after the CRC field. */
const crcCoversFrom = 21;

/** From the frame of a Produce request to a validated batch, against the CRC computation alone. */
export const produceDecode: Benchmark = {
  name: 'produce-decode',
  async run(effort) {
    const value = Buffer.alloc(1024, 'weir');
    const records = Array.from({ length: batchBytes / 1024 }, () => ({ timestamp: 1n, key: null, value }));
    const batch = buildRecordBatch(records);
    const version = 9;
    const header = { correlationId: 1, clientId: 'bench' };
    const topicData = [{ name: 'topic', partitionData: [{ index: 0, records: batch }] }];
    const frame = Buffer.concat(
      encodeRequest(apis.Produce, version, header, { acks: -1, timeoutMs: 30_000, topicData }),
    ).subarray(4);

    const outcome = await sideBySide(
      {
        name: 'decode and validate',
        run() {
          const { bodyStart, apiVersion } = decodeRequestHeader(frame);
          const { body: request } = decodeRequestBody(apis.Produce, apiVersion, frame, bodyStart);
          const { records: found } = request.topicData[0]!.partitionData[0]!;
          const validation = validateProducedBatch(found, { allowsZstd: true });
          if (!validation.ok) throw new Error(validation.message);
        },
      },
      { name: 'CRC alone', run: () => crc32c(batch.subarray(crcCoversFrom)) },
      effort,
    );
    return [
      {
        what: `decode and validate Produce v${version} with a 1 MiB batch / its CRC alone`,
        result: 1 / outcome.referenceOverSubject,
        unit: 'x',
        bar: atMost(1.3),
        detail: `${ms(outcome.subjectMs)} / ${ms(outcome.referenceMs)}`,
      },
    ];
  },
};
