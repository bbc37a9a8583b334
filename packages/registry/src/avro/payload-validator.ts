import { registryLimits } from '../limits.ts';
import type { AvroType, RecordType, UnionType } from './avro-type.ts';
import { quoted } from './quoted.ts';
import { RecordContents } from './record-contents.ts';

/** Passes over one value that begins at `at`. Returns where it ends, or -1 after a problem was noted. */
type Skip = (bytes: Uint8Array, at: number) => number;

const failed = -1;
/** Fields that a problem names, from the outside. Recursive types nest deeply. */
const shownPathMax = 20;

/** Records that a payload may have, by its size. */
export const recordsMin = 10_000;
export const recordsPerByteMax = 64;

/** What is shared by all functions of a validator while it runs. */
interface Run {
  depth: number;
  /** Records that may still begin: nested records of one byte would cost more time than they have bytes. */
  recordsLeft: number;
  /** Values that take no bytes. */
  emptyValues: number;
  problem: string;
  /** Where the problem is, from the inside out. */
  readonly path: string[];
}

interface ValidatedPayload {
  readonly problem: string | undefined;
  /** Records that were entered. */
  readonly records: number;
}

/**
 * Compiles a schema to functions that pass over payloads, with the same rules as `decode`, without creating values, and
 * say what is wrong. It runs for payloads that do not pass the generated check of the schema, if it has one.
 */
export function compileValidator(root: AvroType): (payload: Uint8Array) => ValidatedPayload {
  const compiler = new SkipCompiler();
  const skip = compiler.compileAll(root);
  const { run } = compiler;
  const problemOf = (payload: Uint8Array) => {
    const end = skip(payload, 0);
    if (end === payload.length) return undefined;
    if (end >= 0) return `${payload.length - end} bytes follow the value`;
    const where = run.path.reverse().slice(0, shownPathMax).join('.');
    run.path.length = 0;
    return where === '' ? run.problem : `${where}: ${run.problem}`;
  };
  return (payload) => {
    const recordsMax = recordsMin + recordsPerByteMax * payload.length;
    run.depth = 0;
    run.recordsLeft = recordsMax;
    run.emptyValues = 0;
    const problem = problemOf(payload);
    return { problem, records: recordsMax - run.recordsLeft };
  };
}

class SkipCompiler {
  readonly run: Run = { depth: 0, recordsLeft: 0, emptyValues: 0, problem: '', path: [] };
  readonly #contents = new RecordContents();
  readonly #records = new Map<RecordType, Skip>();
  /** Records whose fields are not compiled yet: types may nest by name deeper than the stack. */
  readonly #open: { record: RecordType; skips: Skip[] }[] = [];

  compileAll(root: AvroType): Skip {
    const skip = this.#compile(root);
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) {
      for (const { type } of next.record.fields) {
        if (this.#contents.of(type).kind !== 'empty') next.skips.push(this.#compile(type));
      }
    }
    return skip;
  }

  #compile(type: AvroType): Skip {
    const { run } = this;
    switch (type.kind) {
      case 'null':
        return (_, at) => at;
      case 'boolean':
        return (bytes, at) => (bytes[at]! <= 1 ? at + 1 : fail(run, 'expected a boolean'));
      case 'int':
        return (bytes, at) => skipInt(run, bytes, at);
      case 'long':
        return (bytes, at) => skipLong(run, bytes, at);
      case 'float':
        return fixedSkip(run, 4);
      case 'double':
        return fixedSkip(run, 8);
      case 'bytes':
      case 'string':
        return (bytes, at) => skipBytes(run, bytes, at);
      case 'fixed':
        return fixedSkip(run, type.sizeBytes);
      case 'enum':
        return enumSkip(run, type.symbols.length);
      case 'array':
        return this.#blocks(this.#compile(type.items), false, this.#contents.of(type.items).emptyValues);
      case 'map':
        return this.#blocks(this.#compile(type.values), true, 0);
      case 'union':
        return this.#union(type);
      case 'record':
        return this.#record(type);
    }
  }

  #record(record: RecordType): Skip {
    let skip = this.#records.get(record);
    if (skip !== undefined) return skip;
    const { run } = this;
    const { kind, emptyValues } = this.#contents.of(record);
    if (kind === 'endless')
      skip = () => fail(run, `record ${quoted(record.fullName)} contains itself, so no payload can hold it`);
    else if (kind === 'empty') skip = (_, at) => (addEmpty(run, emptyValues) ? at : failed);
    else skip = this.#recordOfBytes(record);
    this.#records.set(record, skip);
    return skip;
  }

  #recordOfBytes(record: RecordType): Skip {
    const { run } = this;
    const skips: Skip[] = [];
    const names: string[] = [];
    let emptyValues = 0;
    for (const { name, type } of record.fields) {
      const contents = this.#contents.of(type);
      emptyValues += contents.emptyValues;
      if (contents.kind !== 'empty') names.push(name);
    }
    this.#open.push({ record, skips });
    return (bytes, start) => {
      let at = start;
      run.depth += 1;
      run.recordsLeft -= 1;
      if (run.depth > registryLimits.avroPayloadDepthMax) return tooDeep(run);
      if (run.recordsLeft < 0) return fail(run, 'the payload has too many records for its size');
      if (emptyValues > 0 && !addEmpty(run, emptyValues)) return failed;
      for (let index = 0; index < skips.length; index += 1) {
        at = skips[index]!(bytes, at);
        if (at < 0) {
          run.path.push(names[index]!);
          return failed;
        }
      }
      run.depth -= 1;
      return at;
    };
  }

  #union({ branches }: UnionType): Skip {
    const { run } = this;
    const skips = branches.map((branch) => this.#compile(branch));
    const count = branches.length;
    return (bytes, at) => {
      const first = bytes[at]!;
      // The index of one byte that nearly all unions have.
      if (first < 0x80 && (first & 1) === 0 && first >> 1 < count) {
        return skips[first >> 1]!(bytes, at + 1);
      }
      const index = readCount(bytes, at);
      if (!(index >= 0 && index < count)) return failIndex(run, 'union has no branch', index);
      return skips[index]!(bytes, countEnd);
    };
  }

  #blocks(skip: Skip, hasKeys: boolean, emptyValues: number): Skip {
    const { run } = this;
    return (bytes, start) => {
      let at = start;
      run.depth += 1;
      if (run.depth > registryLimits.avroPayloadDepthMax) return tooDeep(run);
      for (;;) {
        let count = readCount(bytes, at);
        at = countEnd;
        if (count === 0) break;
        if (Number.isNaN(count)) return fail(run, endsEarly);
        let blockEnd = -1;
        if (count < 0) {
          count = -count;
          const size = readCount(bytes, at);
          at = countEnd;
          if (!(size >= 0 && size <= bytes.length - at))
            return fail(run, 'a block is longer than the payload');
          blockEnd = at + size;
        }
        if (emptyValues > 0) {
          if (!addEmpty(run, count * emptyValues)) return failed;
        } else {
          // Every item takes a byte at least.
          if (!(count <= bytes.length - at))
            return fail(run, 'a block has more items than the payload has bytes');
          for (; count > 0; count -= 1) {
            if (hasKeys) at = skipBytes(run, bytes, at);
            if (at >= 0) at = skip(bytes, at);
            if (at < 0) return failed;
          }
        }
        if (blockEnd >= 0 && at !== blockEnd)
          return fail(run, 'a block does not have the size that it states');
      }
      run.depth -= 1;
      return at;
    };
  }
}

export const tooDeepText = `values nest deeper than ${registryLimits.avroPayloadDepthMax} levels`;

const endsEarly = 'the payload is truncated';

/** Counts values that take no bytes. False if they are too many. */
function addEmpty(run: Run, count: number): boolean {
  run.emptyValues += count;
  if (run.emptyValues <= registryLimits.avroEmptyValuesMax) return true;
  run.problem = `the payload has more than ${registryLimits.avroEmptyValuesMax} values that take no bytes`;
  return false;
}

function fail(run: Run, problem: string): number {
  run.problem = problem;
  return failed;
}

function failIndex(run: Run, what: string, index: number): number {
  return fail(run, Number.isNaN(index) ? endsEarly : `the ${what} ${index}`);
}

function tooDeep(run: Run): number {
  return fail(run, tooDeepText);
}

function fixedSkip(run: Run, sizeBytes: number): Skip {
  return (bytes, at) => (at + sizeBytes <= bytes.length ? at + sizeBytes : fail(run, endsEarly));
}

function enumSkip(run: Run, symbols: number): Skip {
  return (bytes, at) => {
    const index = readCount(bytes, at);
    if (!(index >= 0 && index < symbols)) return failIndex(run, 'enum has no symbol', index);
    return countEnd;
  };
}

function skipInt(run: Run, bytes: Uint8Array, start: number): number {
  let at = start;
  // Beyond the end this compares undefined, which ends the loop.
  while (bytes[at]! >= 0x80) at += 1;
  if (at >= bytes.length) return fail(run, endsEarly);
  const length = at - start;
  if (length > 4 || (length === 4 && bytes[at]! > 0x0f)) return fail(run, 'an int has more than 32 bits');
  return at + 1;
}

function skipLong(run: Run, bytes: Uint8Array, start: number): number {
  let at = start;
  const last = start + 9;
  while (bytes[at]! >= 0x80 && at < last) at += 1;
  if (at >= bytes.length) return fail(run, endsEarly);
  if (at === last && bytes[at]! > 1) return fail(run, 'a long has more than 64 bits');
  return at + 1;
}

function skipBytes(run: Run, bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  // Texts of less than 64 bytes.
  const length = first < 0x80 && (first & 1) === 0 ? first >> 1 : readCount(bytes, at);
  const begin = first < 0x80 ? at + 1 : countEnd;
  if (!(length >= 0)) return fail(run, Number.isNaN(length) ? endsEarly : 'a length is negative');
  if (length > bytes.length - begin) return fail(run, endsEarly);
  return begin + length;
}

/** Where the number that `readCount` read ends. */
export let countEnd = 0;

/** Reads a length, a count or an index. NaN if the bytes are no long; rounded beyond 2^53, which is beyond any use. */
export function readCount(bytes: Uint8Array, start: number): number {
  let value = 0;
  let scale = 1;
  for (let at = start; at < start + 10; at += 1) {
    const byte = bytes[at];
    if (byte === undefined) break;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) {
      countEnd = at + 1;
      return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
    scale *= 0x80;
  }
  countEnd = start;
  return Number.NaN;
}
