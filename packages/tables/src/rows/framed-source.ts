/** Records whose values name their schema in front of the payload, or in a header. */

import { namedSchema, type SchemaRef } from '@weir/registry/decoding';
import type { MessageType, ProtobufSchema } from '@weir/registry/formats';
import { InvalidPayload, messageAt, PayloadReader, readMessageIndex } from '@weir/registry/formats';
import { fail } from './row-fault.ts';
import type { SourceRecord } from './row-reader.ts';
import type { RecordSource } from './table-rows.ts';
import type { ValueReader } from './value-reader.ts';

interface Framed {
  readonly ref: SchemaRef;
  readonly payload: Uint8Array;
}

/** The schema that a value names; `undefined` if it names none. */
export function framedOf({ value, headers }: SourceRecord): Framed | undefined {
  const named = headers.length === 0 ? noHeaders : headers.map(([key, content]) => ({ key, value: content }));
  return namedSchema('value', { key: null, value, headers: named });
}

const noHeaders: readonly { readonly key: string; readonly value: Uint8Array | null }[] = [];

export function requiredFrame(record: SourceRecord): Framed {
  return (
    framedOf(record) ??
    fail('decode', 'the value names no schema; it has to begin with a magic byte and the id of a schema')
  );
}

interface FramedMessage {
  readonly type: MessageType;
  readonly message: Uint8Array;
}

/** The message that the indexes in front of a Protobuf payload name. */
export function framedMessage({ loaded }: ProtobufSchema, payload: Uint8Array): FramedMessage {
  try {
    const reader = new PayloadReader(payload);
    const type = messageAt(loaded.file, readMessageIndex(reader));
    return { type, message: payload.subarray(reader.at) };
  } catch (error) {
    if (!(error instanceof InvalidPayload)) throw error;
    return fail('decode', error.message);
  }
}

/** Payloads behind the name of a schema that is not looked up: the configuration has it. */
export function framedSource(reader: ValueReader): RecordSource {
  return {
    read: (record, _value, columns, row) => reader.read(requiredFrame(record).payload, columns, row),
  };
}

/** The same for Protobuf, where indexes say which message it is. */
export function framedMessageSource(
  reader: ValueReader,
  schema: ProtobufSchema,
  type: MessageType,
): RecordSource {
  return {
    read(record, _value, columns, row) {
      const found = framedMessage(schema, requiredFrame(record).payload);
      if (found.type !== type)
        fail('decode', `the value is a message ${found.type.fullName}, and the table has ${type.fullName}`);
      return reader.read(found.message, columns, row);
    },
  };
}
