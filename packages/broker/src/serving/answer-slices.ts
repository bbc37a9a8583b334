import type { MemoryPool, PooledMemory } from '../slabs/memory-pool.ts';
import type { MemoryNumbers } from './shared-memory.ts';
import { ringRecordWordsMax } from './shared-ring.ts';

/** Slices of an answer in shared memory, as words of records: memory, start and length of each. */
interface SharedSlices {
  /** One list for each record. */
  readonly words: number[][];
  /** Called when they are no longer used. */
  release(): void;
}

interface AnswerSlicesOptions {
  readonly pool: MemoryPool;
  readonly numbers: MemoryNumbers;
  /** Announces memory to the thread that sends the answer, unless it knows it. */
  readonly announce: (id: number, memory: SharedArrayBuffer) => void;
  /** Gives that thread memory for one slice. */
  readonly give: (id: number, memory: ArrayBuffer) => void;
}

const wordsPerSlice = 3;
/** With room for what stands before the slices. */
const slicesPerRecord = Math.floor((ringRecordWordsMax - 16) / wordsPerSlice);

const nothingToRelease = () => {};

/**
 * Puts an answer where its serving thread can read it. Pages are in shared memory already; what is not, such as the
 * fields around the records, is copied, neighbours together.
 */
export function shareSlices(slices: readonly Buffer[], options: AnswerSlicesOptions): SharedSlices {
  const words: number[][] = [[]];
  const copies: PooledMemory[] = [];
  for (let at = 0; at < slices.length; ) {
    const slice = slices[at]!;
    const { buffer } = slice;
    if (buffer instanceof SharedArrayBuffer) {
      if (slice.length > 0) add(words, numberOf(buffer, options), slice.byteOffset, slice.length);
      at++;
      continue;
    }
    let bytes = 0;
    let end = at;
    for (; end < slices.length && !(slices[end]!.buffer instanceof SharedArrayBuffer); end++)
      bytes += slices[end]!.length;
    if (bytes > 0) {
      const pooled = options.pool.take(bytes);
      if (pooled !== undefined) copies.push(pooled);
      const copy = pooled?.bytes ?? Buffer.allocUnsafeSlow(bytes);
      let filled = 0;
      for (; at < end; at++) filled += slices[at]!.copy(copy, filled);
      const { buffer: memory, byteOffset } = copy;
      const id =
        memory instanceof SharedArrayBuffer
          ? numberOf(memory, options)
          : give(memory as ArrayBuffer, options);
      add(words, id, byteOffset, bytes);
    }
    at = end;
  }
  if (copies.length === 0) return { words, release: nothingToRelease };
  return {
    words,
    release() {
      for (const copy of copies) copy.release();
    },
  };
}

function add(words: number[][], id: number, start: number, bytes: number): void {
  let last = words.at(-1)!;
  if (last.length === slicesPerRecord * wordsPerSlice) {
    last = [];
    words.push(last);
  }
  last.push(id, start, bytes);
}

function numberOf(memory: SharedArrayBuffer, { numbers, announce }: AnswerSlicesOptions): number {
  const id = numbers.of(memory);
  announce(id, memory);
  return id;
}

function give(memory: ArrayBuffer, options: AnswerSlicesOptions): number {
  const id = options.numbers.next();
  options.give(id, memory);
  return id;
}
