import type { ProtobufWriter } from '@weir/core';
import { InvalidPayload } from '../schema-format.ts';
import type { PayloadReader } from './payload-reader.ts';
import type { LinkedFile, MessageType } from './types.ts';

/** Longer paths lead nowhere: messages are not nested deeper. */
const pathLengthMax = 64;

const firstMessage: readonly number[] = [0];

/** Reads the path of the message in a payload: a count and indexes. A count of zero is the first message. */
export const readMessageIndex = (reader: PayloadReader): readonly number[] => {
  const count = zigZag(reader.varint32());
  if (count === 0) return firstMessage;
  if (count < 0 || count > pathLengthMax) throw new InvalidPayload('the path of the message is invalid');
  const path: number[] = [];
  for (let at = 0; at < count; at += 1) path.push(zigZag(reader.varint32()));
  return path;
};

const zigZag = (value: number): number => (value >>> 1) ^ -(value & 1);

/**
 * The message that a path leads to. Indexes count the messages that the text declares. Clients that count the messages
 * of maps and groups too, as descriptors do, are understood where the index means nothing else.
 */
export const messageAt = (file: LinkedFile, path: readonly number[]): MessageType => {
  let type = file.messages[path[0]!];
  for (let at = 1; at < path.length; at += 1) {
    const index = path[at]!;
    type = type?.declaredMessages[index] ?? type?.messages[index];
  }
  if (type === undefined)
    throw new InvalidPayload(`the schema has no message with index [${path.join(', ')}]`);
  return type;
};

/** The path of a message by its full name, in the order of the text. */
export const pathOfMessage = (file: LinkedFile, fullName: string): readonly number[] | undefined => {
  const search = (types: readonly MessageType[]): readonly number[] | undefined => {
    const at = types.findIndex(
      (type) => fullName === type.fullName || fullName.startsWith(`${type.fullName}.`),
    );
    const type = types[at];
    if (type === undefined || type.fullName === fullName) return type && [at];
    const inner = search(type.declaredMessages);
    return inner && [at, ...inner];
  };
  return search(file.messages);
};

/** Writes a path as payloads have it: a zero stands for the first message. */
export const writeMessageIndex = (writer: ProtobufWriter, path: readonly number[]): ProtobufWriter => {
  if (path.length === 1 && path[0] === 0) return writer.varint(0);
  for (const number of [path.length, ...path]) writer.varint(number * 2);
  return writer;
};
