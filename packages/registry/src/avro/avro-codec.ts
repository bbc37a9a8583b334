import { InvalidPayload, type PayloadCodec } from '../schema-format.ts';
import type { AvroType } from './avro-type.ts';
import { generateCheck, type PayloadCheck } from './generated-check.ts';
import { PayloadReader } from './payload-reader.ts';
import { compileValidator, readCount } from './payload-validator.ts';
import { PayloadWriter } from './payload-writer.ts';

/** Values in Avro's binary encoding. */
export class AvroCodec implements PayloadCodec {
  readonly workPerByte: number;
  readonly #root: AvroType;
  readonly #check: PayloadCheck | undefined;
  /** Compiled for the first payload that does not pass the check. */
  #explain: ((payload: Uint8Array) => string | undefined) | undefined;
  readonly #reader = new PayloadReader();
  readonly #writer = new PayloadWriter();

  constructor(root: AvroType) {
    this.#root = root;
    this.#check = generateCheck(root);
    this.workPerByte = this.#check === undefined ? 0.5 : 1 / 16;
  }

  problemOf(bytes: Uint8Array, start = 0, end = bytes.length): string | undefined {
    if (this.#check?.(bytes, start, end) === true) return undefined;
    this.#explain ??= compileValidator(this.#root);
    return this.#explain(bytes.subarray(start, end));
  }

  decode(payload: Uint8Array): unknown {
    const problem = this.problemOf(payload);
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
