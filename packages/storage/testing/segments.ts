import { crc32c } from '@node-rs/crc32';
import { buildLogFile } from '../src/log-file/build-log-file.ts';
import { logFileKey } from '../src/log-file/file-id.ts';
import { batchAt } from '../src/log-file/layout.ts';
import type { FileContent } from '../src/segments/segment-log.ts';
import { batchOf, topicIdOf } from './batches.ts';

/** A log file for a segment, by a number, with one batch of so many bytes of payload. */
export function contentOf(number: number, payloadBytes: number): FileContent {
  const clusterId = 'vci_1';
  const fileId = number.toString(16).padStart(12, '0').padEnd(32, '0');
  const bytes = batchOf(1, Buffer.alloc(payloadBytes, number % 251));
  bytes.writeUInt32BE(crc32c(bytes.subarray(batchAt.attributes)), batchAt.crc);
  const { slices } = buildLogFile({
    clusterId,
    fileId,
    batches: [{ topicId: topicIdOf(1), partition: 0, bytes }],
  });
  return { key: logFileKey(clusterId, fileId), slices };
}
