import { ProtobufWriter } from '../src/protobuf/protobuf-writer.ts';

/** Fields of protobuf messages on their own, for messages that a test puts together, also wrong ones. */
export function integerField(number: number, value: number): Buffer {
  return new ProtobufWriter().integerField(number, value).finish();
}

export function textField(number: number, text: string): Buffer {
  return new ProtobufWriter().textField(number, text).finish();
}

export function messageField(number: number, message: Buffer): Buffer {
  return new ProtobufWriter().bytesField(number, message).finish();
}
