import { jsonOfPayload, payloadOfJson } from '../payload-json.ts';
import { PayloadWork } from '../payload-work.ts';
import {
  InvalidPayload,
  InvalidSchema,
  type PayloadCodec,
  type SchemaSource,
  type SchemaType,
} from '../schema-format.ts';

/** Work on a payload, by the text of its schema. */
export type PayloadTask =
  | {
      readonly kind: 'decode';
      readonly type: SchemaType;
      readonly source: SchemaSource;
      readonly payload: Uint8Array;
      /** Characters of the JSON at most. */
      readonly charsMax: number;
    }
  | {
      readonly kind: 'encode';
      readonly type: SchemaType;
      readonly source: SchemaSource;
      /** A JSON value, or JSON as text. */
      readonly input: JsonInput;
      /** The message of a Protobuf schema. */
      readonly recordName: string | undefined;
      /** What checking the value may cost. */
      readonly workMax: number;
    }
  /** Only parses the schema. */
  | { readonly kind: 'open'; readonly type: SchemaType; readonly source: SchemaSource }
  | {
      readonly kind: 'check';
      readonly type: SchemaType;
      readonly source: SchemaSource;
      /** Payloads behind each other, and where each ends. */
      readonly payloads: Uint8Array;
      readonly ends: Uint32Array;
      /** What checking all of them may cost. */
      readonly workMax: number;
    };

export type JsonInput = { readonly value: unknown } | { readonly json: string };

/** What a task found, in a form that passes between threads. */
export type PayloadResult =
  | { readonly kind: 'json'; readonly json: string; readonly recordName: string | undefined }
  | { readonly kind: 'opened' }
  | CheckedPayloads
  | { readonly kind: 'payload'; readonly payload: Uint8Array; readonly work: number }
  /** The payload, the value or the schema is invalid: the message is for users. */
  | { readonly kind: 'invalid'; readonly problem: string }
  /** The work was given up: the message is for users. */
  | { readonly kind: 'tooLarge'; readonly problem: string };

/** What is wrong with payloads that were checked together. */
export interface CheckedPayloads {
  readonly kind: 'checked';
  /** Those with a problem, by their place. Those behind the last one that was checked have none. */
  readonly problems: ReadonlyMap<number, string>;
  /** Of each payload that was checked, the full name of its record. */
  readonly recordNames: readonly (string | undefined)[];
  readonly work: number;
}

export function runPayloadTask(
  task: PayloadTask,
  codecOf: (type: SchemaType, source: SchemaSource) => PayloadCodec,
): PayloadResult {
  try {
    const codec = codecOf(task.type, task.source);
    switch (task.kind) {
      case 'decode':
        return {
          kind: 'json',
          json: jsonOfPayload(codec, task.type, task.payload, task.charsMax),
          recordName: codec.recordName(task.payload),
        };
      case 'open':
        return { kind: 'opened' };
      case 'check':
        return checked(codec, task);
    }
    const work = new PayloadWork(task.workMax);
    // A copy: the whole memory behind a part of it would pass between threads.
    const payload = new Uint8Array(encoded(codec, task.type, task.input, task.recordName, work));
    return { kind: 'payload', payload, work: work.limited };
  } catch (error) {
    if (error instanceof InvalidPayload || error instanceof InvalidSchema)
      return { kind: 'invalid', problem: error.message };
    throw error;
  }
}

function checked(
  codec: PayloadCodec,
  { payloads, ends, workMax }: Extract<PayloadTask, { readonly kind: 'check' }>,
): CheckedPayloads {
  const work = new PayloadWork(workMax);
  const problems = new Map<number, string>();
  const recordNames: (string | undefined)[] = [];
  let start = 0;
  for (const [index, end] of ends.entries()) {
    const problem = codec.problemOf(payloads, start, end, work);
    if (work.isExceeded) break;
    if (problem !== undefined) problems.set(index, problem);
    recordNames.push(codec.recordName(payloads.subarray(start, end)));
    start = end;
  }
  return { kind: 'checked', problems, recordNames, work: work.limited };
}

/** Throws `InvalidPayload`. */
export function encoded(
  codec: PayloadCodec,
  type: SchemaType,
  input: JsonInput,
  recordName: string | undefined,
  work: PayloadWork,
): Uint8Array {
  return 'json' in input
    ? payloadOfJson(codec, type, input.json, recordName, work)
    : codec.encode(input.value, recordName, work);
}
