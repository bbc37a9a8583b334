import { workOf } from '../payload-work.ts';
import { InvalidPayload, type PayloadCodec } from '../schema-format.ts';
import type { AvroType } from './avro-type.ts';
import { generateCheck, type PayloadCheck } from './generated-check.ts';
import { PayloadReader } from './payload-reader.ts';
import { compileValidator, readCount } from './payload-validator.ts';
import { PayloadWriter } from './payload-writer.ts';

/** What the generated check costs, and what the validator costs that says what is wrong. */
const checkedWorkPerByte = 1 / 8;
const checkedWorkPerRecord = 1;
const explainedWorkPerByte = 1;
const explainedWorkPerRecord = 8;

/** Values in Avro's binary encoding. */
export class AvroCodec implements PayloadCodec {
  readonly #root: AvroType;
  readonly #check: PayloadCheck | undefined;
  /** Compiled for the first payload that does not pass the check. */
  #explain: ReturnType<typeof compileValidator> | undefined;
  readonly #reader = new PayloadReader();
  readonly #writer = new PayloadWriter();

  constructor(root: AvroType) {
    this.#root = root;
    this.#check = generateCheck(root);
  }

  problemOf(
    bytes: Uint8Array,
    start = 0,
    end = bytes.length,
    work = workOf(end - start),
  ): string | undefined {
    if (this.#check !== undefined) {
      work.spend((end - start) * checkedWorkPerByte);
      const records = this.#check(bytes, start, end);
      if (records >= 0) {
        work.spend(records * checkedWorkPerRecord);
        return undefined;
      }
    }
    this.#explain ??= compileValidator(this.#root);
    const { problem, records } = this.#explain(bytes.subarray(start, end));
    work.spend((end - start) * explainedWorkPerByte + records * explainedWorkPerRecord);
    return problem;
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
