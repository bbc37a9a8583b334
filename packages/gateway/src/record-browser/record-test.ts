import type { ReadRecordsQuery } from '@weir/cluster';
import { utf8Text } from '@weir/core';
import { compileFilter, conditionsOf, type EventTest, parseFilter } from '@weir/events';
import type { RecordCursor } from '@weir/wire';
import { type FormattedPart, jsonText } from '../http-data/formatted-records.ts';
import type { MaskedPart } from './record-masks.ts';
import { RecordRefused } from './record-refused.ts';

/** A record while it is tested. Keys and values are decoded once, and only if something needs them. */
export interface TestedRecord {
  readonly partition: number;
  readonly record: RecordCursor;
  /** Keys, values and headers without what the caller may not see. */
  key(): Promise<MaskedPart | null>;
  value(): Promise<MaskedPart | null>;
  readonly headers: RecordCursor['headers'];
  /** Whether bytes of the record may have more than the caller may see. */
  readonly hasMasks: boolean;
}

/** Whether a record matches. All of it takes time that grows with the size of the record and no faster. */
type RecordTest = (tested: TestedRecord) => Promise<boolean>;

type Wanted = Pick<ReadRecordsQuery, 'contains' | 'ignoresCase' | 'filter'>;

/** Returns `undefined` if every record matches. */
export function recordTest({ contains, ignoresCase = false, filter: text }: Wanted): RecordTest | undefined {
  const tests: RecordTest[] = [];
  if (contains !== '') tests.push(containsTest(ignoresCase ? inAnyCase(contains) : asWritten(contains)));
  const { filter, problems } = parseFilter(text);
  // The control plane has checked it; one of another release may know more.
  if (filter === undefined) throw new RecordRefused('invalid', `filter: ${problems[0]!.message}`);
  if (filter.stages.length > 0) {
    const names = new Set([...conditionsOf(filter)].map(({ field }) => field.path[0]!));
    tests.push(filterTest(compileFilter(filter), names));
  }
  if (tests.length === 0) return undefined;
  return async (tested) => {
    for (const test of tests) if (!(await test(tested))) return false;
    return true;
  };
}

/** Looks for a text in the bytes of keys, values and headers, and in what schemas decode. */
function containsTest({ inBytes, inText }: Needle): RecordTest {
  return async ({ record, key, value, headers, hasMasks }) => {
    const has = (bytes: Uint8Array | null) => bytes !== null && inBytes(bytes as Buffer);
    if (!hasMasks && (has(record.key) || has(record.value))) return true;
    if (headers.some((header) => inText(header.key) || has(header.value))) return true;
    for (const part of [await key(), await value()]) {
      if (part !== null && (hasMasks || part.format === 'schema') && inText(part.text)) return true;
    }
    return false;
  };
}

/** Whether a text is found in bytes or in another text. */
interface Needle {
  readonly inBytes: (bytes: Buffer) => boolean;
  readonly inText: (text: string) => boolean;
}

function asWritten(text: string): Needle {
  const needle = Buffer.from(text);
  return { inBytes: (bytes) => bytes.includes(needle), inText: (other) => other.includes(text) };
}

/** Bytes that are not UTF-8 become marks, which no needle has to match. */
function inAnyCase(text: string): Needle {
  const needle = text.toLowerCase();
  const inText = (other: string) => other.toLowerCase().includes(needle);
  return { inBytes: (bytes) => inText(bytes.toString()), inText };
}

function filterTest(test: EventTest, names: ReadonlySet<string>): RecordTest {
  return async ({ partition, record, key, value, headers }) => {
    const { offset, timestamp } = record;
    return test({
      partition,
      offset: Number(offset),
      ...(names.has('timestamp') ? { timestamp: timeOf(timestamp) } : {}),
      ...(names.has('key') ? { key: jsonOf(await key()) } : {}),
      ...(names.has('value') ? { value: jsonOf(await value()) } : {}),
      ...(names.has('headers') ? { headers: headersOf(headers) } : {}),
    });
  };
}

/** The latest time that a `Date` can have. */
const dateMsMax = 8.64e15;

function timeOf(timestamp: bigint): string | null {
  const ms = Number(timestamp);
  return Math.abs(ms) > dateMsMax ? null : new Date(ms).toISOString();
}

/** JSON as the value that it is, and other text as text. */
function jsonOf(part: FormattedPart | null): unknown {
  if (part === null || part.format === 'base64') return part?.text ?? null;
  const { text } = part;
  if (part.format === 'string' && 'text' in jsonText(Buffer.from(text))) return JSON.parse(text);
  return part.format === 'string' ? text : JSON.parse(text);
}

function headersOf(headers: RecordCursor['headers']): Record<string, unknown> {
  const found = new Map<string, string[]>();
  for (const { key, value } of headers) {
    const text = value === null ? null : utf8Text(value as Buffer);
    if (text === null || text === undefined) continue;
    const values = found.get(key);
    if (values === undefined) found.set(key, [text]);
    else values.push(text);
  }
  return Object.fromEntries(found);
}
