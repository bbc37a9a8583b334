import { isUtf8 } from 'node:buffer';
import type { ReadRecord } from '@weir/client';
import type { DecodedPayload, DecodedRecord } from '@weir/registry/decoding';
import type { PrintProperties } from '../../values/console-properties.ts';

const timestampNames = { createTime: 'CreateTime', logAppendTime: 'LogAppendTime' } as const;

/**
 * A record as Kafka's console consumer prints it, with the end of its line. Bytes that are no text are written in hex.
 * `safe` is applied to texts of the record.
 */
export function formatRecord(
  record: ReadRecord,
  decoded: DecodedRecord | undefined,
  properties: PrintProperties,
  safe: (text: string) => string,
): string {
  const { timestamp, timestampType, partition, offset, key, value } = record;
  const literal = properties['null.literal'];
  const shown = (bytes: Buffer | null, payload?: DecodedPayload) => {
    if (payload?.kind === 'decoded') return safe(payload.json);
    if (bytes === null) return literal;
    return isUtf8(bytes) ? safe(bytes.toString()) : `0x${bytes.toString('hex')}`;
  };
  const headers = record.headers.map((header) => `${safe(header.key)}:${shown(header.value)}`);
  const time = timestamp < 0n ? 'NO_TIMESTAMP' : `${timestampNames[timestampType]}:${timestamp}`;
  const parts = [
    ...(properties['print.timestamp'] ? [time] : []),
    ...(properties['print.partition'] ? [`Partition:${partition}`] : []),
    ...(properties['print.offset'] ? [`Offset:${offset}`] : []),
    ...(properties['print.headers'] ? [headers.join(properties['headers.separator']) || 'NO_HEADERS'] : []),
    ...(properties['print.key'] ? [shown(key, decoded?.key)] : []),
    ...(properties['print.value'] ? [shown(value, decoded?.value)] : []),
  ];
  return parts.join(properties['key.separator']) + properties['line.separator'];
}
