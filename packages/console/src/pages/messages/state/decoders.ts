import { bytesOfBase64 } from '../payload-bytes.ts';
import type { RecordPart, TopicRecord } from './records.ts';

/** How keys and values are shown. Hex is drawn by the page, from base64. */
export const decoders = [
  ['auto', 'Auto'],
  ['json', 'JSON'],
  ['string', 'Text'],
  ['schema', 'Schema registry'],
  ['hex', 'Hex'],
  ['base64', 'Base64'],
] as const;
export type Decoder = (typeof decoders)[number][0];

export interface Decoders {
  readonly keyAs?: Decoder | undefined;
  readonly valueAs?: Decoder | undefined;
}

/** Returns `undefined` for the usual decoder too, which URLs leave out. */
export function readDecoder(given: unknown): Decoder | undefined {
  const found = decoders.find(([name]) => name === given)?.[0];
  return found === 'auto' ? undefined : found;
}

/** The formats of a read. */
export function formatsOf({ keyAs, valueAs }: Decoders) {
  return {
    ...(keyAs === undefined ? {} : { key_format: formatOf(keyAs) }),
    ...(valueAs === undefined ? {} : { value_format: formatOf(valueAs) }),
  };
}

const formatOf = (decoder: Decoder) => (decoder === 'hex' ? 'base64' : decoder);

/** A record whose bytes are hex digits where that is wanted. */
export function decodedRecord(record: TopicRecord, { keyAs, valueAs }: Decoders): TopicRecord {
  if (keyAs !== 'hex' && valueAs !== 'hex') return record;
  return {
    ...record,
    key: keyAs === 'hex' ? hexPart(record.key) : record.key,
    value: valueAs === 'hex' ? hexPart(record.value) : record.value,
  };
}

function hexPart(part: RecordPart | null): RecordPart | null {
  if (part === null || part.format !== 'base64') return part;
  // What is cut may end within a group of four.
  const whole = part.text.slice(0, part.text.length - (part.text.length % 4));
  const digits = Array.from(bytesOfBase64(whole), (byte) => byte.toString(16).padStart(2, '0'));
  return { ...part, format: 'hex', text: digits.join('') };
}
