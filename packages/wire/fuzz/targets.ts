import { isDeepStrictEqual } from 'node:util';
import { decodeMessage, encodeMessage } from '../src/codec/codec.ts';
import { decodeRequestBody, decodeRequestHeader, decodeResponse } from '../src/envelope.ts';
import {
  batchRecords,
  readControlRecord,
  recordBatches,
  rewriteMaxTimestamp,
  validateBatchRecords,
  validateProducedBatch,
} from '../src/records/index.ts';
import type { Message } from '../src/schema/message.ts';
import type { Sample } from './corpus.ts';

/** Limit on the inflation of a batch here, so that a decompression bomb shows as memory and not only as time. */
const outputBytesMax = 1024 * 1024;

/** Reads bytes in every way that a server or a client would. Any error other than `DecodeError` is a defect. */
export function read(sample: Sample, bytes: Buffer, isThorough: boolean): void {
  switch (sample.kind) {
    case 'request': {
      const { api, apiVersion, bodyStart } = decodeRequestHeader(bytes);
      if (api === undefined) return;
      const { body } = decodeRequestBody(api, apiVersion, bytes, bodyStart);
      if (isThorough) checkStable(api.request, apiVersion, body);
      return;
    }
    case 'response': {
      const { api, version } = sample;
      const { body } = decodeResponse(api, version, bytes);
      if (isThorough) checkStable(api.response, version, body);
      return;
    }
    case 'records':
      readRecords(bytes);
      return;
  }
}

/** A decoded message is unchanged after it is encoded and decoded again. */
function checkStable(message: Message, version: number, body: object): void {
  const again = decodeMessage(
    message,
    version,
    Buffer.concat(encodeMessage(message, version, body as never)),
  );
  if (!isDeepStrictEqual(again, body))
    throw new Error(`${message.name} v${version} changes when written again`);
}

function readRecords(bytes: Buffer): void {
  const validation = validateProducedBatch(bytes, { allowsZstd: true });
  if (validation.ok) validateBatchRecords(validation.batch, { outputBytesMax });
  for (const batch of recordBatches(bytes, { partialTail: 'ignore' })) {
    // Nearly every mutation breaks the CRC, so it is corrected to let the reader reach the bytes behind it.
    rewriteMaxTimestamp(batch.bytes, batch.maxTimestamp);
    const repaired = validateProducedBatch(batch.bytes, { allowsZstd: true });
    if (repaired.ok)
      validateBatchRecords(repaired.batch, { outputBytesMax, requiresKeys: true, recordBytesMax: 4096 });
    if (batch.isControl) readControlRecord(batch);
    for (const record of batchRecords(batch, outputBytesMax)) void record.headers.length;
  }
}
