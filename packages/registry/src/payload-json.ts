import type { PayloadWork } from './payload-work.ts';
import { InvalidPayload, type PayloadCodec, type SchemaType } from './schema-format.ts';

/**
 * A payload as JSON on one line. Throws `InvalidPayload`, also if the text has over `charsMax` characters: one byte of
 * a payload can stand for a name of any length in its schema. How deep the JSON nests is bounded by the codecs.
 */
export function jsonOfPayload(
  codec: PayloadCodec,
  type: SchemaType,
  payload: Uint8Array,
  charsMax: number,
): string {
  const value = codec.decode(payload);
  // Numbers that are parsed and printed again would lose digits.
  const text = type === 'JSON' ? compactJson(payload) : printed(value, charsMax);
  if (text === undefined || text.length > charsMax)
    throw new InvalidPayload(`its JSON has more than ${charsMax} characters`);
  return text;
}

function printed(value: unknown, charsMax: number): string | undefined {
  return jsonCharsOf(value, charsMax) > charsMax ? undefined : JSON.stringify(value);
}

/** Avro has two levels for each of the thousand that a payload may have, and the other codecs have fewer. */
const depthMax = 2_500;

/**
 * A lower bound on the characters of the JSON of a value. What is beyond the limit is not counted. A value that nests
 * deeper than any codec allows has infinitely many.
 */
export function jsonCharsOf(value: unknown, limit: number): number {
  let chars = 0;
  const count = (part: unknown, depth: number): void => {
    if (typeof part === 'string') chars += part.length + 2;
    else if (typeof part !== 'object' || part === null || depth > depthMax)
      chars += depth > depthMax ? Number.POSITIVE_INFINITY : 1;
    else if (Array.isArray(part)) {
      chars += 1;
      for (let at = 0; at < part.length && chars <= limit; at++) {
        chars += 1;
        count(part[at], depth + 1);
      }
    } else {
      chars += 1;
      for (const key of Object.keys(part)) {
        if (chars > limit) return;
        chars += key.length + 4;
        count((part as Readonly<Record<string, unknown>>)[key], depth + 1);
      }
    }
  };
  count(value, 0);
  return chars;
}

/**
 * Encodes JSON text as a payload. Integers keep their digits, beyond those that numbers of JavaScript have. Throws
 * `InvalidPayload`.
 */
export function payloadOfJson(
  codec: PayloadCodec,
  type: SchemaType,
  json: string,
  recordName?: string,
  work?: PayloadWork,
): Uint8Array {
  if (type !== 'JSON') return codec.encode(parsedExactly(json), recordName, work);
  const payload = Buffer.from(json);
  const problem = codec.problemOf(payload, 0, payload.length, work);
  if (problem !== undefined) throw new InvalidPayload(problem);
  return payload;
}

/** Integers of 64 bits that a number cannot hold. */
const largeInteger = /^-?[0-9]{16,20}$/;

/** Large integers are bigints, which the codecs of Avro and Protobuf take. */
function parsedExactly(json: string): unknown {
  const exact = (_: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && largeInteger.test(context?.source ?? '') ? BigInt(context!.source!) : value;
  try {
    return JSON.parse(json, exact);
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidPayload('it is nested too deeply');
    throw new InvalidPayload(`it is not JSON: ${(error as Error).message.split('\n', 1)[0]!.slice(0, 200)}`);
  }
}

const quote = 0x22;
const backslash = 0x5c;

/** Valid JSON in UTF-8 without the white space between its tokens. */
function compactJson(payload: Uint8Array): string {
  const kept = Buffer.allocUnsafe(payload.length);
  let length = 0;
  let isString = false;
  for (let at = 0; at < payload.length; at++) {
    const byte = payload[at]!;
    if (isString) {
      kept[length++] = byte;
      if (byte === backslash) kept[length++] = payload[++at]!;
      else if (byte === quote) isString = false;
    } else if (byte > 0x20) {
      kept[length++] = byte;
      isString = byte === quote;
    }
  }
  return kept.toString('utf8', 0, length);
}
