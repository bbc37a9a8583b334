/** The bytes are not a protobuf message. */
export class UnreadableProtobuf extends Error {
  override readonly name = 'UnreadableProtobuf';
}

export type ProtobufValue =
  | { readonly wireType: 'varint'; readonly value: bigint }
  | { readonly wireType: 'fixed64' | 'fixed32' | 'bytes'; readonly bytes: Buffer };

/** Iterates over the fields of one protobuf message in order. Nested messages are bytes, for the caller to parse. */
export function* protobufFields(message: Buffer): Generator<{ number: number } & ProtobufValue> {
  let at = 0;

  function varint(): bigint {
    // Most numbers have one byte.
    if (message[at]! < 0x80) return BigInt(message[at++]!);
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = message[at++];
      if (byte === undefined) throw new UnreadableProtobuf('a number is cut off');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new UnreadableProtobuf('a number has more than ten bytes');
  }

  /** A tag or a length. One beyond 53 bits is inexact, and too large in any case. */
  function size(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 10; count++) {
      const byte = message[at++];
      if (byte === undefined) throw new UnreadableProtobuf('a number is cut off');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
    throw new UnreadableProtobuf('a number has more than ten bytes');
  }

  function take(length: number): Buffer {
    if (length > message.length - at) throw new UnreadableProtobuf('a field is cut off');
    const bytes = message.subarray(at, at + length);
    at += length;
    return bytes;
  }

  while (at < message.length) {
    const tag = size();
    const number = Math.floor(tag / 8);
    if (number < 1 || number > 0x1fffffff) throw new UnreadableProtobuf(`there is no field ${number}`);
    switch (tag % 8) {
      case 0:
        yield { number, wireType: 'varint', value: varint() };
        break;
      case 1:
        yield { number, wireType: 'fixed64', bytes: take(8) };
        break;
      case 2:
        yield { number, wireType: 'bytes', bytes: take(size()) };
        break;
      case 5:
        yield { number, wireType: 'fixed32', bytes: take(4) };
        break;
      default:
        throw new UnreadableProtobuf(`a field has the type ${tag % 8}`);
    }
  }
}

export function protobufBytes(field: ProtobufValue): Buffer {
  if (field.wireType !== 'bytes')
    throw new UnreadableProtobuf('a number stands where a message or text should');
  return field.bytes;
}

export function protobufText(field: ProtobufValue): string {
  return protobufBytes(field).toString();
}
