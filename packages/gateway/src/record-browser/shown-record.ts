import type { RecordFormat, ShownPart, ShownRecord } from '@weir/cluster';
import { utf8Text } from '@weir/core';
import { jsonText } from '../http-data/formatted-records.ts';
import { gatewayLimits } from '../limits.ts';
import type { MaskedPart } from './record-masks.ts';
import type { TestedRecord } from './record-test.ts';

interface ShowOptions {
  readonly keyFormat: RecordFormat;
  readonly valueFormat: RecordFormat;
  readonly isWhole: boolean;
}

/** A record as a list shows it: decoded, and cut where it is long. */
export async function shownRecord(tested: TestedRecord, options: ShowOptions): Promise<ShownRecord> {
  const { record, partition } = tested;
  const { offset, timestamp, key, value, headers } = record;
  const { isWhole, keyFormat, valueFormat } = options;
  const charsMax = isWhole ? gatewayLimits.browsedWholeBytesMax : gatewayLimits.browsedValueBytesMax;
  const keyCharsMax = isWhole ? gatewayLimits.browsedWholeBytesMax : gatewayLimits.browsedKeyBytesMax;
  let headerBytes = 0;
  for (const header of headers) headerBytes += Buffer.byteLength(header.key) + (header.value?.length ?? 0);
  return {
    partition,
    offset: Number(offset),
    timestampMs: safeNumber(timestamp),
    key: shownPart(key, await tested.key(), { charsMax: keyCharsMax, isAuto: keyFormat === 'auto' }),
    value: shownPart(value, await tested.value(), { charsMax, isAuto: valueFormat === 'auto' }),
    headers: shownHeaders(tested.headers),
    headerCount: headers.length,
    bytes: (key?.length ?? 0) + (value?.length ?? 0) + headerBytes,
  };
}

function shownPart(
  bytes: Buffer | null,
  part: MaskedPart | null,
  { charsMax, isAuto }: { readonly charsMax: number; readonly isAuto: boolean },
): ShownPart | null {
  if (bytes === null || part === null) return null;
  const { text, schema, problem } = part;
  const isMasked = part.isMasked === true;
  const isJson = !isMasked && isAuto && part.format === 'string' && isJsonText(bytes);
  const format = isJson ? 'json' : part.format;
  const shown = cutText(text, charsMax);
  return {
    text: shown,
    format,
    bytes: bytes.length,
    isCut: shown.length < text.length,
    ...(isMasked ? { isMasked } : {}),
    ...(typeof schema?.ref === 'number' ? { schemaId: schema.ref } : {}),
    ...(typeof schema?.ref === 'string' ? { schemaGuid: schema.ref } : {}),
    ...(schema?.type === undefined ? {} : { schemaType: schema.type, subjects: schema.subjects }),
    ...(problem === undefined ? {} : { problem }),
  };
}

const openBrace = 0x7b;
const openBracket = 0x5b;

/** Whether it is a list or an object. Other text that happens to be JSON, such as `7`, is shown as text. */
function isJsonText(bytes: Buffer): boolean {
  return (bytes[0] === openBrace || bytes[0] === openBracket) && 'text' in jsonText(bytes);
}

type Headers = TestedRecord['record']['headers'];

/** Headers up to a size of all of them together. */
function shownHeaders(headers: Headers): ShownRecord['headers'] {
  const shown: ShownRecord['headers'][number][] = [];
  let charsLeft = gatewayLimits.browsedHeadersBytesMax;
  for (const { key, value } of headers) {
    if (charsLeft <= 0) break;
    const name = cutText(key, charsLeft);
    charsLeft -= name.length;
    const part = value === null ? null : headerPart(value as Buffer, Math.max(0, charsLeft));
    charsLeft -= (part?.text.length ?? 0) + 1;
    shown.push({ name, value: part });
  }
  return shown;
}

function headerPart(bytes: Buffer, charsMax: number): ShownPart {
  const text = utf8Text(bytes);
  const shown = cutText(text ?? bytes.toString('base64'), charsMax);
  return {
    text: shown,
    format: text === undefined ? 'base64' : 'string',
    bytes: bytes.length,
    isCut: shown.length < (text ?? bytes.toString('base64')).length,
  };
}

/** The beginning of a text, without half of a character at its end. */
function cutText(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const last = text.charCodeAt(charsMax - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? charsMax - 1 : charsMax);
}

/** Producers may send any 64-bit time. */
function safeNumber(timestamp: bigint): number {
  const max = BigInt(Number.MAX_SAFE_INTEGER);
  return Number(timestamp > max ? max : timestamp < -max ? -max : timestamp);
}
