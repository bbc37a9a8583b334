import { jsonOfPayload, payloadOfJson } from '../payload-json.ts';
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
    };

export type JsonInput = { readonly value: unknown } | { readonly json: string };

/** What a task found, in a form that passes between threads. */
export type PayloadResult =
  | { readonly kind: 'json'; readonly json: string }
  | { readonly kind: 'payload'; readonly payload: Uint8Array }
  /** The payload, the value or the schema is invalid: the message is for users. */
  | { readonly kind: 'invalid'; readonly problem: string }
  /** The work was given up: the message is for users. */
  | { readonly kind: 'tooLarge'; readonly problem: string };

export function runPayloadTask(
  task: PayloadTask,
  codecOf: (type: SchemaType, source: SchemaSource) => PayloadCodec,
): PayloadResult {
  try {
    const codec = codecOf(task.type, task.source);
    if (task.kind === 'decode')
      return { kind: 'json', json: jsonOfPayload(codec, task.type, task.payload, task.charsMax) };
    // A copy: the whole memory behind a part of it would pass between threads.
    return {
      kind: 'payload',
      payload: new Uint8Array(encoded(codec, task.type, task.input, task.recordName)),
    };
  } catch (error) {
    if (error instanceof InvalidPayload || error instanceof InvalidSchema)
      return { kind: 'invalid', problem: error.message };
    throw error;
  }
}

/** Throws `InvalidPayload`. */
export function encoded(
  codec: PayloadCodec,
  type: SchemaType,
  input: JsonInput,
  recordName: string | undefined,
): Uint8Array {
  return 'json' in input
    ? payloadOfJson(codec, type, input.json, recordName)
    : codec.encode(input.value, recordName);
}
