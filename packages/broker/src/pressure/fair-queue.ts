interface FairQueueOptions {
  /** How much work runs at a time. 0 is no limit. */
  readonly runningMax: number;
  /** How much work may wait. Work beyond it is refused. */
  readonly waitingMax: number;
  /** Called before work begins: while it returns false, all work waits. Call `pump` when that may have changed. */
  readonly mayBegin?: () => boolean;
  /** Called for all work that cannot begin at once. */
  readonly onHeld?: () => void;
  /** Called whenever the numbers have changed. */
  readonly onChange?: (running: number, waiting: number) => void;
}

/** The waiting work of one client, and how to remove the listener for its disconnect. */
interface Queue {
  readonly waiters: ((turn: 'begin' | 'gone') => void)[];
  readonly forget: () => void;
}

/**
 * Limits how much work runs at a time. Other work waits: in order within a client, and round robin between clients, so
 * that a client with many requests delays itself and not the others. A client is identified by the signal that aborts
 * when it disconnects; its waiting work is dropped then.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  /** In round-robin order. */
  readonly #queues = new Map<AbortSignal, Queue>();
  #running = 0;
  #waiting = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Runs `work` when its turn comes. Returns `'full'` if too much work waits already, `'gone'` if its client
   * disconnected before.
   */
  async run<Result>(client: AbortSignal, work: () => Promise<Result>): Promise<Result | 'full' | 'gone'> {
    if (client.aborted) return 'gone';
    if (this.#waiting > 0 || !this.#hasRoom()) {
      this.#options.onHeld?.();
      if (this.#waiting >= this.#options.waitingMax) return 'full';
      if ((await this.#turn(client)) === 'gone') return 'gone';
    } else {
      this.#running++;
      this.#changed();
    }
    try {
      return await work();
    } finally {
      this.#running--;
      this.pump();
      this.#changed();
    }
  }

  /** Begins work that may begin. */
  pump(): void {
    while (this.#waiting > 0 && this.#hasRoom()) this.#next();
  }

  #hasRoom(): boolean {
    const { runningMax, mayBegin } = this.#options;
    return (runningMax === 0 || this.#running < runningMax) && (mayBegin?.() ?? true);
  }

  #turn(client: AbortSignal): Promise<'begin' | 'gone'> {
    return new Promise((resolve) => {
      this.#queueOf(client).waiters.push(resolve);
      this.#waiting++;
      this.#changed();
    });
  }

  #queueOf(client: AbortSignal): Queue {
    const found = this.#queues.get(client);
    if (found !== undefined) return found;
    const drop = () => this.#drop(client);
    client.addEventListener('abort', drop, { once: true });
    const queue = { waiters: [], forget: () => client.removeEventListener('abort', drop) };
    this.#queues.set(client, queue);
    return queue;
  }

  /** Moves the client of the next work to the end. */
  #next(): void {
    const [client, queue] = this.#queues.entries().next().value!;
    const begin = queue.waiters.shift()!;
    this.#queues.delete(client);
    if (queue.waiters.length > 0) this.#queues.set(client, queue);
    else queue.forget();
    this.#waiting--;
    this.#running++;
    begin('begin');
  }

  #drop(client: AbortSignal): void {
    const queue = this.#queues.get(client);
    if (queue === undefined) return;
    this.#queues.delete(client);
    this.#waiting -= queue.waiters.length;
    for (const gone of queue.waiters) gone('gone');
    this.#changed();
  }

  #changed(): void {
    this.#options.onChange?.(this.#running, this.#waiting);
  }
}
