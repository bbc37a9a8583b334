import { agentLimits } from '../limits.ts';

interface PagePoolOptions {
  /** Size of all slabs. Pages that find no room in them get memory of their own. */
  readonly bytesMax: number;
  readonly slabBytes?: number;
  /** For tests: overwrites slabs that are free, so that a further use shows. */
  readonly poisons?: boolean;
}

/** A piece of memory that pages share. It is used again when none of them uses it. */
interface Slab {
  readonly memory: Buffer;
  usedBytes: number;
  pages: number;
}

const poison = 0xdb;

/**
 * Memory of pages that is used again. Fresh memory for every page costs page faults, and V8 marks its whole heap after
 * every 64 MB of it, which took more than half of the processor time of reading.
 *
 * The pool does not refer to slabs with pages. So memory that is never released (of a request that was abandoned and
 * may still be written to, or of a page that is kept) is not lost, but left to the garbage collector. Only a release
 * that comes too early does harm.
 */
export class PagePool {
  readonly #options: PagePoolOptions;
  readonly #slabBytes: number;
  readonly #free: Slab[] = [];
  readonly #collected = new FinalizationRegistry<undefined>(() => {
    this.#slabs--;
  });
  #current: Slab | undefined;
  #slabs = 0;

  constructor(options: PagePoolOptions) {
    this.#options = options;
    this.#slabBytes = options.slabBytes ?? agentLimits.pageSlabBytes;
  }

  /** Bytes of all slabs, used or not. */
  get bytes(): number {
    return this.#slabs * this.#slabBytes;
  }

  /** Bytes of slabs that no page uses. */
  get freeBytes(): number {
    return (this.#free.length + (this.#current?.pages === 0 ? 1 : 0)) * this.#slabBytes;
  }

  /** Returns memory with any content; `undefined` if there is no room. */
  take(bytes: number): PageMemory | undefined {
    if (bytes === 0) return undefined;
    const slab = this.#slabFor(bytes);
    if (slab === undefined) return undefined;
    const start = slab.usedBytes;
    slab.usedBytes += bytes;
    slab.pages++;
    return new PageMemory(slab.memory.subarray(start, start + bytes), slab, this.#onRelease);
  }

  #slabFor(bytes: number): Slab | undefined {
    if (bytes > this.#slabBytes) return undefined;
    const current = this.#current;
    if (current !== undefined && current.usedBytes + bytes <= this.#slabBytes) return current;
    // A full slab is freed by its last page, unless that was already released.
    if (current?.pages === 0) this.#free.push(current);
    this.#current = this.#free.pop();
    if (this.#current !== undefined) this.#current.usedBytes = 0;
    else if (this.bytes + this.#slabBytes <= this.#options.bytesMax) this.#current = this.#newSlab();
    return this.#current;
  }

  #newSlab(): Slab {
    this.#slabs++;
    // V8 does not count shared memory as pressure on its heap, and the pool has a limit of its own.
    const memory = Buffer.from(new SharedArrayBuffer(this.#slabBytes));
    const slab: Slab = { memory, usedBytes: 0, pages: 0 };
    this.#collected.register(slab, undefined);
    return slab;
  }

  readonly #onRelease = (slab: Slab): void => {
    slab.pages--;
    if (slab.pages > 0) return;
    if (this.#options.poisons === true) slab.memory.fill(poison);
    if (slab === this.#current) slab.usedBytes = 0;
    else this.#free.push(slab);
  };
}

/** The memory of one page. */
export class PageMemory {
  readonly bytes: Buffer;
  readonly #onRelease: (slab: Slab) => void;
  #slab: Slab | undefined;

  constructor(bytes: Buffer, slab: Slab, onRelease: (slab: Slab) => void) {
    this.bytes = bytes;
    this.#slab = slab;
    this.#onRelease = onRelease;
  }

  /** Further calls do nothing. */
  release(): void {
    const slab = this.#slab;
    this.#slab = undefined;
    if (slab !== undefined) this.#onRelease(slab);
  }
}
