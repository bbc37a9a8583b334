import { ProtobufWriter } from '@weir/core';
import { workOf } from '../payload-work.ts';
import { InvalidPayload, type PayloadCodec } from '../schema-format.ts';
import { builtinFiles } from './builtin-files.ts';
import { checkMessageBytes } from './check-payload.ts';
import { decodeMessage } from './decode-message.ts';
import { type JsonContext, jsonOfMessage } from './json-of-message.ts';
import type { LoadedSchema } from './load-files.ts';
import { messageAt, pathOfMessage, readMessageIndex, writeMessageIndex } from './message-index.ts';
import { messageOfJson } from './message-of-json.ts';
import { writeMessage } from './message-value.ts';
import { PayloadReader } from './payload-reader.ts';
import type { LinkedFile, MessageType } from './types.ts';

/** What checking a payload costs. Each of its bytes is read once, whatever the schema. */
const checkWorkPerByte = 1;

/** Codec of payloads: the path of the message, then the message. */
export class ProtobufCodec implements PayloadCodec {
  readonly #schema: LoadedSchema;
  readonly #context: JsonContext;
  #messages: ReadonlyMap<string, MessageType> | undefined;

  constructor(schema: LoadedSchema) {
    this.#schema = schema;
    this.#context = {
      extensions: schema.extensions,
      messageNamed: (fullName) => {
        this.#messages ??= messagesByName(schema.file);
        return this.#messages.get(fullName);
      },
    };
  }

  problemOf(
    bytes: Uint8Array,
    start = 0,
    end = bytes.length,
    work = workOf(end - start),
  ): string | undefined {
    work.spend((end - start) * checkWorkPerByte);
    try {
      const { reader, type } = this.#open(bytes, start, end);
      checkMessageBytes(reader, type);
      return undefined;
    } catch (error) {
      if (error instanceof InvalidPayload) return error.message;
      throw error;
    }
  }

  decode(payload: Uint8Array): unknown {
    const { reader, type } = this.#open(payload);
    const message = decodeMessage(type, payload.subarray(reader.at), this.#schema.extensions);
    return jsonOfMessage(message, this.#context);
  }

  encode(value: unknown, recordName?: string): Uint8Array {
    const { file } = this.#schema;
    if (file.messages.length === 0) throw new InvalidPayload('the schema has no message');
    const path = recordName === undefined ? [0] : pathOfMessage(file, recordName);
    if (path === undefined) throw new InvalidPayload(`the schema has no message ${recordName}`);
    const writer = writeMessageIndex(new ProtobufWriter(), path);
    writeMessage(writer, messageOfJson(messageAt(file, path), value, this.#context));
    return writer.finish();
  }

  recordName(payload?: Uint8Array): string | undefined {
    if (payload === undefined) return this.#schema.file.messages[0]?.fullName;
    try {
      return this.#open(payload).type.fullName;
    } catch (error) {
      if (error instanceof InvalidPayload) return undefined;
      throw error;
    }
  }

  #open(bytes: Uint8Array, start?: number, end?: number): { reader: PayloadReader; type: MessageType } {
    const reader = new PayloadReader(bytes, start, end);
    return { reader, type: messageAt(this.#schema.file, readMessageIndex(reader)) };
  }
}

/** All messages that an `Any` may contain: those of the schema, of what it imports, and built-in ones. */
export const messagesByName = (file: LinkedFile): ReadonlyMap<string, MessageType> => {
  const found = new Map<string, MessageType>();
  const add = (types: readonly MessageType[]) => {
    for (const type of types) {
      // What the schema declares itself comes before built-in types.
      if (!found.has(type.fullName)) found.set(type.fullName, type);
      add(type.messages);
    }
  };
  const visited = new Set<LinkedFile>();
  const open = [...builtinFiles().files.values(), file];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (visited.has(next)) continue;
    visited.add(next);
    add(next.messages);
    for (const imported of next.imports) open.push(imported);
  }
  return found;
};
