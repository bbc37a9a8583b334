import { isObject } from '../exact-json.ts';
import { registryLimits } from '../limits.ts';
import { type PayloadWork, workOf } from '../payload-work.ts';
import { InvalidPayload, type PayloadCodec } from '../schema-format.ts';
import type { SchemaDocuments } from './schema-documents.ts';
import {
  type Check,
  ValidationRun,
  ValidationTooDeep,
  ValidationTooLarge,
} from './validation/validation-run.ts';
import { validatorOf } from './validation/validator.ts';

/** Payloads are JSON in UTF-8. Decoding does not validate, so that what does not fit can be read too. */
export function jsonCodec(documents: SchemaDocuments): PayloadCodec {
  const { root } = documents;
  const title = isObject(root) ? root.get('title') : undefined;
  const check = validatorOf(documents);
  return {
    problemOf(bytes, start = 0, end = bytes.length, work = workOf(end - start)) {
      const payload = start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
      work.spend(payload.length * readingWorkPerByte);
      if (work.isExceeded) return tooMuchWork;
      const read = readPayload(payload);
      return 'problem' in read ? read.problem : problemOfValue(check, read.value, work);
    },
    decode(payload) {
      const read = readPayload(payload);
      if ('problem' in read) throw new InvalidPayload(read.problem);
      return read.value;
    },
    encode(value, _, work) {
      const payload = Buffer.from(printValue(value));
      const read = readPayload(payload);
      const problem =
        'problem' in read ? read.problem : problemOfValue(check, read.value, work ?? workOf(payload.length));
      if (problem !== undefined) throw new InvalidPayload(problem);
      return payload;
    },
    // Confluent's naming strategies by record take the title.
    recordName: () => (typeof title === 'string' ? title : undefined),
  };
}

/**
 * What parsing costs. Most JSON takes half of it, and names that all differ take several times as much, so that turns
 * that are limited by work stay short with both.
 */
const readingWorkPerByte = 8;

const tooMuchWork = '#: cannot be checked: the schema takes too much work for this payload';

const tooDeep = `#: cannot be checked: schemas nest deeper than ${registryLimits.jsonValidationDepthMax} levels`;

function problemOfValue(check: Check, value: unknown, work: PayloadWork): string | undefined {
  const run = new ValidationRun(work);
  try {
    return run.apply(check, value) ? undefined : run.problem;
  } catch (error) {
    if (error instanceof ValidationTooDeep) return tooDeep;
    if (error instanceof ValidationTooLarge || error instanceof RangeError) return tooMuchWork;
    throw error;
  }
}

function printValue(value: unknown): string {
  try {
    const text = JSON.stringify(value, (_, part) => {
      if (typeof part === 'number' && !Number.isFinite(part)) throw new InvalidPayload(`${part} is not JSON`);
      return part;
    });
    if (text !== undefined) return text;
  } catch (error) {
    if (error instanceof InvalidPayload) throw error;
  }
  throw new InvalidPayload('the value is not JSON');
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function readPayload(payload: Uint8Array): { readonly value: unknown } | { readonly problem: string } {
  if (payload.length > registryLimits.jsonPayloadBytesMax)
    return {
      problem: `the JSON has ${payload.length} bytes; ${registryLimits.jsonPayloadBytesMax} are allowed`,
    };
  if (depthOf(payload) > registryLimits.jsonPayloadDepthMax)
    return { problem: `the JSON is nested more than ${registryLimits.jsonPayloadDepthMax} levels deep` };
  try {
    return { value: JSON.parse(utf8.decode(payload)) };
  } catch (error) {
    return { problem: `the payload is not JSON in UTF-8: ${firstLine(error)}` };
  }
}

/** An upper bound on how deep JSON nests, from its brackets. */
function depthOf(payload: Uint8Array): number {
  if (payload.length <= registryLimits.jsonPayloadDepthMax) return 0;
  let depth = 0;
  let deepest = 0;
  let isString = false;
  for (let at = 0; at < payload.length; at++) {
    const byte = payload[at]!;
    if (isString) {
      if (byte === 0x5c) at++;
      else if (byte === 0x22) isString = false;
    } else if (byte === 0x22) isString = true;
    else if (byte === 0x5b || byte === 0x7b) {
      depth++;
      if (depth > deepest) deepest = depth;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return deepest;
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0]!.slice(0, 200);
}
