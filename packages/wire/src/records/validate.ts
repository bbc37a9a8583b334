import { wireLimits } from '../limits.ts';
import { RecordBatchView } from './batch.ts';
import {
  attributeBits,
  currentMagic,
  headerAt,
  headerBytes,
  lengthOverheadBytes,
  prefixBytes,
  recordBytesMin,
} from './layout.ts';
import { type BatchRejection, reject } from './rejection.ts';

export interface ProduceRules {
  /** Produce requests before version 7 may not contain zstd, because consumers of that time cannot read it. */
  readonly allowsZstd: boolean;
  /** A limit on the batch as sent. None if absent, because our limit is per record. */
  readonly batchBytesMax?: number;
  /** Whether the CRC was found to match when the batch was received (`isIntactBatch`). */
  readonly hasCheckedCrc?: boolean | undefined;
}

export type BatchValidation = { readonly ok: true; readonly batch: RecordBatchView } | BatchRejection;

/**
 * Checks the records field of one partition in a Produce request without decompressing: that it is exactly one batch
 * whose header a client may write and whose bytes arrived intact. This is the hot path; its cost beyond the CRC is
 * constant. `validateBatchRecords` continues from here where a topic needs it.
 *
 * The order of the checks is part of the contract: framing, base offset, size, CRC, and only then the fields that the
 * CRC covers, because the content of a damaged header is not the client's fault. Never throws.
 */
export function validateProducedBatch(records: Buffer | null, rules: ProduceRules): BatchValidation {
  const framing = checkFraming(records);
  if (!framing.ok) return framing;
  const { batch } = framing;

  if (batch.baseOffset !== 0n) {
    return reject('INVALID_RECORD', `baseOffset is ${batch.baseOffset} and must be 0`);
  }
  if (rules.batchBytesMax !== undefined && batch.sizeBytes > rules.batchBytesMax) {
    return reject(
      'MESSAGE_TOO_LARGE',
      `batch has ${batch.sizeBytes} bytes and ${rules.batchBytesMax} are allowed`,
    );
  }
  if (rules.hasCheckedCrc !== true && !batch.hasValidCrc()) {
    return reject('CORRUPT_MESSAGE', `crc is ${batch.crc} and does not match the bytes it covers`);
  }
  return checkFields(batch, rules) ?? framing;
}

/** Whether the records field of one partition is one batch whose CRC matches. */
export function isIntactBatch(records: Buffer | null): boolean {
  const framing = checkFraming(records);
  return framing.ok && framing.batch.hasValidCrc();
}

/** A truncated batch counts as none, and bytes after a batch as a second one. */
function checkFraming(records: Buffer | null): BatchValidation {
  if (records === null || records.length === 0) return reject('INVALID_RECORD', 'records holds no batch');
  if (records.length < prefixBytes)
    return reject('INVALID_RECORD', 'records ends inside the header of its batch');

  const magic = records.readInt8(headerAt.magic);
  if (magic === 0 || magic === 1) {
    return reject('INVALID_RECORD', `magic is ${magic} and must be ${currentMagic}`);
  }
  if (magic !== currentMagic) return reject('CORRUPT_MESSAGE', `magic is ${magic}, which no format has`);

  const batchLength = records.readInt32BE(headerAt.batchLength);
  if (batchLength < headerBytes - lengthOverheadBytes) {
    return reject('CORRUPT_MESSAGE', `batchLength is ${batchLength}, less than a header`);
  }
  const sizeBytes = lengthOverheadBytes + batchLength;
  if (sizeBytes > records.length) {
    return reject(
      'INVALID_RECORD',
      `batchLength is ${batchLength} but records ends ${sizeBytes - records.length} bytes earlier`,
    );
  }
  if (sizeBytes < records.length) {
    return reject(
      'INVALID_RECORD',
      `records must hold one batch, and ${records.length - sizeBytes} bytes follow it`,
    );
  }
  return { ok: true, batch: new RecordBatchView(records) };
}

/** Checks that only a client's mistake can violate, because the CRC is valid. */
function checkFields(batch: RecordBatchView, rules: ProduceRules): BatchRejection | undefined {
  const { recordCount, lastOffsetDelta, attributes, codec } = batch;
  if (recordCount <= 0) return reject('INVALID_RECORD', `recordCount is ${recordCount} and must be positive`);
  if (lastOffsetDelta + 1 !== recordCount) {
    return reject(
      'INVALID_RECORD',
      `lastOffsetDelta is ${lastOffsetDelta} but recordCount is ${recordCount}`,
    );
  }
  // Offsets are assigned by this count, so it must at least be possible even if the records are not read.
  const recordsBytesMax =
    codec === 'none' ? batch.sizeBytes - headerBytes : wireLimits.decompressedBatchBytesMax;
  if (recordCount * recordBytesMin > recordsBytesMax) {
    return reject(
      'INVALID_RECORD',
      `recordCount is ${recordCount}, more than fit in ${recordsBytesMax} bytes`,
    );
  }
  if (attributes & attributeBits.control) {
    return reject('INVALID_RECORD', 'attributes has the control bit, which clients may not write');
  }
  if (batch.producerId >= 0n && batch.baseSequence < 0) {
    return reject(
      'INVALID_RECORD',
      `baseSequence is ${batch.baseSequence} although producerId is ${batch.producerId}`,
    );
  }
  if (codec === undefined) {
    return reject(
      'UNSUPPORTED_COMPRESSION_TYPE',
      `attributes names codec ${batch.codecId}, which does not exist`,
    );
  }
  if (codec === 'zstd' && !rules.allowsZstd) {
    return reject('UNSUPPORTED_COMPRESSION_TYPE', 'attributes names zstd, which needs Produce version 7');
  }
  if (attributes & attributeBits.logAppendTime) {
    return reject('INVALID_TIMESTAMP', 'attributes has the LogAppendTime bit, which only a broker may set');
  }
  return undefined;
}
