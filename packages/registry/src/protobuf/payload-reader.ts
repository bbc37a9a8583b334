import { ProtobufReader } from '@weir/core';
import { InvalidPayload } from '../schema-format.ts';

/** Reads the protobuf of payloads. Throws `InvalidPayload`. */
export class PayloadReader extends ProtobufReader {
  protected override invalid(message: string): Error {
    return new InvalidPayload(message);
  }
}
