import { DecodeError } from '../decode-error.ts';
import { int32List } from './int32-list.ts';

/**
 * Where the last decoder or varint stopped, and how many array elements it read. Decoding is synchronous, so one global
 * position suffices and nothing is allocated.
 */
export const cursor = { position: 0, elements: 0 };

const noBytes = Buffer.alloc(0);

/** Adjacent fields of fixed size, whose bounds are checked at once. */
export type Run = readonly { readonly path: string; readonly size: number }[];

/** What generated decoders call. Nearly all of it is the cold path that explains what is wrong with a frame. */
export function runtimeFor(title: string, runs: readonly Run[]) {
  function fail(path: string, at: number, problem: string): never {
    throw new DecodeError(title, path, at, problem);
  }
  return {
    cursor,
    fail,
    int32List,
    noBytes,
    endsInRun(runIndex: number, start: number, end: number): never {
      let at = start;
      for (const { path, size } of runs[runIndex]!) {
        if (end - at < size) return fail(path, at, `needs ${size} bytes but ${end - at} are left`);
        at += size;
      }
      return fail('message', at, 'a bounds check failed without a cause');
    },
    endsAt(path: string, at: number): never {
      return fail(path, at, 'the message ends before it');
    },
    tooLong(path: string, at: number, length: number, left: number): never {
      return fail(path, at, `length ${length} exceeds the ${left} bytes left`);
    },
    negative(path: string, at: number, length: number): never {
      return fail(
        path,
        at,
        length === -1 ? 'null is not allowed in this version' : `negative length ${length}`,
      );
    },
    tooMany(path: string, at: number, count: number, left: number): never {
      return fail(path, at, `${count} elements cannot fit into the ${left} bytes left`);
    },
    overBudget(path: string, at: number, budget: number): never {
      return fail(path, at, `more than ${budget} elements in one message`);
    },
    /** Continues a varint whose first byte had its high bit set. */
    longVarint(frame: Buffer, path: string, start: number, end: number, first: number): number {
      let value = first & 0x7f;
      let at = start;
      for (let shift = 7; shift <= 28; shift += 7) {
        if (at >= end) return fail(path, start - 1, 'the message ends inside a varint');
        const byte = frame[at++]!;
        if (shift === 28 && byte > 0x0f) return fail(path, start - 1, 'a varint exceeds 32 bits');
        value += (byte & 0x7f) * 2 ** shift;
        if (byte < 0x80) {
          cursor.position = at;
          return value;
        }
      }
      return fail(path, start - 1, 'a varint exceeds 32 bits');
    },
  };
}
