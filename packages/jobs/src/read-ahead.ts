interface ReadSlotsOptions {
  /** How many reads run at a time. */
  readonly readsMax: number;
  /** Memory of all that run. A larger read runs alone. */
  readonly bytesMax: number;
}

/** Bounds reads by their number and their memory. They begin in the order in which they were asked for. */
export class ReadSlots {
  readonly #options: ReadSlotsOptions;
  readonly #waiting: { readonly bytes: number; readonly begin: () => void }[] = [];
  #running = 0;
  #bytes = 0;

  constructor(options: ReadSlotsOptions) {
    this.#options = options;
  }

  async run<Result>(bytes: number, read: () => Promise<Result>): Promise<Result> {
    if (this.#waiting.length === 0 && this.#hasRoom(bytes)) this.#take(bytes);
    else await new Promise<void>((resolve) => this.#waiting.push({ bytes, begin: resolve }));
    try {
      return await read();
    } finally {
      this.#running--;
      this.#bytes -= bytes;
      this.#beginNext();
    }
  }

  #hasRoom(bytes: number): boolean {
    const { readsMax, bytesMax } = this.#options;
    return this.#running === 0 || (this.#running < readsMax && this.#bytes + bytes <= bytesMax);
  }

  #take(bytes: number): void {
    this.#running++;
    this.#bytes += bytes;
  }

  #beginNext(): void {
    for (
      let next = this.#waiting[0];
      next !== undefined && this.#hasRoom(next.bytes);
      next = this.#waiting[0]
    ) {
      this.#waiting.shift();
      // Here, so that none that asks later comes in between.
      this.#take(next.bytes);
      next.begin();
    }
  }
}

interface ReadAheadOptions<From> {
  /** How many are begun, or have ended, before the first of them is wanted. */
  readonly aheadMax: number;
  /** Bytes of these: results take memory too. A larger one is begun alone. */
  readonly aheadBytesMax: number;
  readonly bytesOf: (one: From) => number;
  readonly signal: AbortSignal;
}

/**
 * Begins reads before their results are wanted, and returns these in their order. After a failure the others are
 * aborted, and none runs any more when it is thrown.
 */
export async function* readAhead<From, To>(
  from: AsyncIterable<From>,
  read: (one: From, signal: AbortSignal) => Promise<To>,
  { aheadMax, aheadBytesMax, bytesOf, signal }: ReadAheadOptions<From>,
): AsyncGenerator<To> {
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const reading: { readonly result: Promise<To>; readonly bytes: number }[] = [];
  let aheadBytes = 0;
  const next = () => {
    const { result, bytes } = reading.shift()!;
    aheadBytes -= bytes;
    return result;
  };
  try {
    for await (const one of from) {
      const bytes = bytesOf(one);
      while (reading.length === aheadMax || (reading.length > 0 && aheadBytes + bytes > aheadBytesMax))
        yield await next();
      const result = read(one, either);
      // A failure is thrown when it is the turn of the result. A rejection without a handler until then would end the
      // process.
      result.catch(() => {});
      reading.push({ result, bytes });
      aheadBytes += bytes;
    }
    while (reading.length > 0) yield await next();
  } finally {
    ended.abort(new Error('another read failed'));
    await Promise.allSettled(reading.map(({ result }) => result));
  }
}
