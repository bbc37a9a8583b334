import { InvalidPayload, type PayloadCodec } from '../schema-format.ts';
import type { AvroType } from './avro-type.ts';
import { PayloadReader } from './payload-reader.ts';
import { compileValidator, readCount } from './payload-validator.ts';
import { PayloadWriter } from './payload-writer.ts';

/** Values in Avro's binary encoding. */
export class AvroCodec implements PayloadCodec {
  readonly #root: AvroType;
  readonly #problemOf: (payload: Uint8Array) => string | undefined;
  readonly #reader = new PayloadReader();
  readonly #writer = new PayloadWriter();

  constructor(root: AvroType) {
    this.#root = root;
    this.#problemOf = compileValidator(root);
  }

  problemOf(payload: Uint8Array): string | undefined {
    return this.#problemOf(payload);
  }

  decode(payload: Uint8Array): unknown {
    const problem = this.#problemOf(payload);
    if (problem !== undefined) throw new InvalidPayload(problem);
    return this.#reader.read(this.#root, payload);
  }

  encode(value: unknown): Uint8Array {
    return this.#writer.write(this.#root, value);
  }

  recordName(payload?: Uint8Array): string | undefined {
    let type: AvroType | undefined = this.#root;
    if (type.kind === 'union') type = payload && type.branches[readCount(payload, 0)];
    return type?.kind === 'record' ? type.fullName : undefined;
  }
}
