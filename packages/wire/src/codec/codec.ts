import { DecodeError } from '../decode-error.ts';
import { wireLimits } from '../limits.ts';
import { layoutOf } from '../schema/layout.ts';
import type { Decoded, Encodable, Message } from '../schema/message.ts';
import { type Decoder, generateDecoder } from './decoder.ts';
import { cursor } from './decoder-runtime.ts';
import { type Encoder, generateEncoder, generatePacedEncoder, type PacedEncoder } from './encoder.ts';
import { Writer } from './writer.ts';

/**
 * The codecs of all messages and versions, generated from the definitions on first use.
 *
 * A process uses only a few of the several hundred pairs of message and version, so lazy generation makes the start
 * fast.
 */
interface MessageCodecs {
  readonly decoders: (Decoder | undefined)[];
  readonly encoders: (Encoder | undefined)[];
  readonly pacedEncoders: (PacedEncoder | undefined)[];
}

const codecs = new WeakMap<Message, MessageCodecs>();

function codecsOf(message: Message): MessageCodecs {
  let found = codecs.get(message);
  if (found === undefined) {
    found = { decoders: [], encoders: [], pacedEncoders: [] };
    codecs.set(message, found);
  }
  return found;
}

function decoderOf(message: Message, version: number): Decoder {
  const { decoders } = codecsOf(message);
  decoders[version] ??= generateDecoder(layoutOf(message, version), titleOf(message, version));
  return decoders[version];
}

function encoderOf(message: Message, version: number): Encoder {
  const { encoders } = codecsOf(message);
  encoders[version] ??= generateEncoder(layoutOf(message, version), titleOf(message, version));
  return encoders[version];
}

function titleOf(message: Message, version: number): string {
  return `${message.name} v${version}`;
}

/** Decodes a message that fills the buffer from `start` to its end. Throws nothing but `DecodeError`. */
export function decodeMessage<M extends Message>(
  message: M,
  version: number,
  buffer: Buffer,
  start = 0,
): Decoded<M> {
  const decoded = decodePrefix(message, version, buffer, start);
  if (decoded.end !== buffer.length) {
    const surplus = buffer.length - decoded.end;
    throw new DecodeError(
      titleOf(message, version),
      'message',
      decoded.end,
      `${surplus} unexpected bytes at the end`,
    );
  }
  return decoded.value;
}

/** Decodes a message that other bytes may follow, as a body follows its header, and counts its array elements. */
export function decodePrefix<M extends Message>(
  message: M,
  version: number,
  buffer: Buffer,
  start = 0,
  elementsMax: number = wireLimits.decodedElementsMax,
): { value: Decoded<M>; end: number; elements: number } {
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
  const decode = decoderOf(message, version);
  const value = decode(buffer, view, start, buffer.length, elementsMax) as Decoded<M>;
  return { value, end: cursor.position, elements: cursor.elements };
}

/** Encodes a message into slices for `writev`. Large byte fields are included by reference. */
export function encodeMessage<M extends Message>(message: M, version: number, value: Encodable<M>): Buffer[] {
  const writer = new Writer();
  encodeInto(writer, message, version, value);
  return writer.finish();
}

export function encodeInto<M extends Message>(
  writer: Writer,
  message: M,
  version: number,
  value: Encodable<M>,
): void {
  encoderOf(message, version)(writer, value as object);
}

/** Like `encodeInto`, but yields after every few thousand array elements, for long messages. */
export function* encodePaced<M extends Message>(
  writer: Writer,
  message: M,
  version: number,
  value: Encodable<M>,
): Generator<undefined, void, undefined> {
  const { pacedEncoders } = codecsOf(message);
  pacedEncoders[version] ??= generatePacedEncoder(layoutOf(message, version), titleOf(message, version));
  yield* pacedEncoders[version](writer, value as object);
}
