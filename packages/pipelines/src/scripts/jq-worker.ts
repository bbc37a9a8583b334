import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { type Jq, loadJq } from 'jq-wasm';
import type { ThreadAnswer } from './bounded-thread.ts';

/** What a processor asks of the thread: lines of input for a program, and the number of the answer. */
export interface JqRequest {
  readonly id: number;
  readonly program: string;
  readonly flags: readonly string[];
  readonly input: string;
}

export interface JqAnswer extends ThreadAnswer {
  readonly stdout?: string;
}

/** The memory of WebAssembly. */
interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

const pageBytes = 64 * 1024;

/** A thread with an engine of jq, because a query may never end. Its memory is that of WebAssembly. */
const memoryBytesMax = workerData as number;
const memories = (globalThis as unknown as { WebAssembly: { Memory: { prototype: Memory } } }).WebAssembly
  .Memory.prototype;
const grow: (this: Memory, pages: number) => number = memories.grow;
memories.grow = function limited(this: Memory, pages: number) {
  if (this.buffer.byteLength + pages * pageBytes > memoryBytesMax) throw new RangeError('too much memory');
  return grow.call(this, pages);
};

const engine = readFile(createRequire(import.meta.url).resolve('jq-wasm/jq.wasm')).then((wasmBinary) =>
  loadJq({ wasmBinary }),
);

parentPort!.on('message', async (request: JqRequest) => {
  parentPort!.postMessage(answerTo(request, await engine));
});

function answerTo({ id, program, flags, input }: JqRequest, jq: Jq): JqAnswer {
  try {
    const { stdout, stderr, exitCode } = jq.raw(input, program, [...flags]);
    return exitCode === 0 ? { id, stdout } : { id, problem: stderr };
  } catch (error) {
    return { id, problem: (error as Error).message, isBroken: true };
  }
}
