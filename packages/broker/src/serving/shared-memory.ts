import { SlabPool } from '../slabs/slab-pool.ts';

/** Memory of another thread, by the number that its owner gave it. */
export interface SharedMemory {
  readonly kind: 'memory';
  readonly id: number;
  readonly memory: SharedArrayBuffer;
  readonly isOnce: false;
}

/**
 * Memory that another thread has given away, for one slice: it is forgotten with that slice. It is not shared, because
 * V8 does not count shared memory and collects none for lack of memory.
 */
export interface GivenMemory {
  readonly kind: 'memory';
  readonly id: number;
  readonly memory: ArrayBuffer;
  readonly isOnce: true;
}

export interface ForgottenMemory {
  readonly kind: 'forget';
  readonly id: number;
}

/** Memory that the other side of a link has announced. */
export class KnownMemory {
  readonly #byId = new Map<number, { readonly bytes: Buffer; readonly isOnce: boolean }>();

  announced(message: SharedMemory | GivenMemory | ForgottenMemory): void {
    if (message.kind === 'forget') this.#byId.delete(message.id);
    else this.#byId.set(message.id, { bytes: Buffer.from(message.memory), isOnce: message.isOnce });
  }

  /** `undefined` if the memory is forgotten: a message may overtake the records that were written before it. */
  slice(id: number, start: number, bytes: number): Buffer | undefined {
    const known = this.#byId.get(id);
    if (known?.isOnce === true) this.#byId.delete(id);
    return known?.bytes.subarray(start, start + bytes);
  }
}

/** Numbers the shared memory of this thread, for all threads that it is announced to. */
export class MemoryNumbers {
  readonly #numbers = new WeakMap<SharedArrayBuffer, number>();
  readonly #onCollected: (id: number) => void;
  readonly #collected = new FinalizationRegistry<number>((id) => this.#onCollected(id));
  #last = 0;

  /** `onCollected` is called when memory is gone, and no slice can refer to it any more. */
  constructor(onCollected: (id: number) => void) {
    this.#onCollected = onCollected;
  }

  of(memory: SharedArrayBuffer): number {
    let id = this.#numbers.get(memory);
    if (id === undefined) {
      id = this.next();
      this.#numbers.set(memory, id);
      this.#collected.register(memory, id);
    }
    return id;
  }

  /** A number for memory that is used once. */
  next(): number {
    return ++this.#last;
  }
}

/** Memory for bytes of answers that are not in shared memory. */
export function createAnswerPool(slabBytes: number, bytesMax: number): SlabPool {
  return new SlabPool({
    slabBytes,
    bytesMax,
    allocate: (bytes) => Buffer.from(new SharedArrayBuffer(bytes)),
  });
}
