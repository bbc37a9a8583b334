import { Bytes, textOf, type Value } from '@weir/bloblang';
import type { Message } from '../component/message.ts';
import type { MetadataFilter } from '../component/metadata-filter.ts';
import type { RecordHeaders } from './kafka-output.ts';

const none: RecordHeaders = [];

/** The metadata that a filter includes, as headers. */
export function includedHeaders({ metadata }: Message, filter: MetadataFilter): RecordHeaders {
  if (filter.isEmpty) return none;
  return headersOf(metadata, (key) => filter.includes(key));
}

/** All metadata but that with some prefixes, as headers. */
export function otherHeaders({ metadata }: Message, excludedPrefixes: readonly string[]): RecordHeaders {
  return headersOf(metadata, (key) => !excludedPrefixes.some((prefix) => key.startsWith(prefix)));
}

function headersOf(
  metadata: Message['metadata'],
  isIncluded: (key: string) => boolean,
): { key: string; value: Buffer }[] {
  const headers: { key: string; value: Buffer }[] = [];
  for (const [key, value] of metadata) if (isIncluded(key)) headers.push({ key, value: bytesOf(value) });
  return headers;
}

function bytesOf(value: Value): Buffer {
  return value instanceof Bytes ? value.buffer : Buffer.from(textOf(value));
}
