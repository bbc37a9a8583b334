interface FairQueueOptions {
  /** How much is worked on at a time. 0 is no limit. */
  readonly runningMax: number;
  /** How much may wait. Whoever finds this much before him is turned away. */
  readonly waitingMax: number;
  /** Asked before anything is begun: while it says no, everybody waits. Call `pump` when that may have changed. */
  readonly mayBegin?: () => boolean;
  /** Told of everything that cannot begin at once. */
  readonly onHeld?: () => void;
  /** Told whenever the numbers have changed. */
  readonly onChange?: (running: number, waiting: number) => void;
}

/** The waiting work of one client, and how to stop listening to whether it is still there. */
interface Queue {
  readonly waiters: ((turn: 'begin' | 'gone') => void)[];
  readonly forget: () => void;
}

/**
 * Lets so much work go on at a time. What does not fit waits: within a client in its order, and between clients by turns, so that
 * one that asks for a lot delays itself and not the others. A client is known by the signal that tells that it has gone; what
 * it had waiting is dropped then.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  /** In the order of their turns. */
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

  /** Runs `work` when its turn comes. `'full'`: too much waits already; `'gone'`: its client went away before. */
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

  /** Begins what may begin. */
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

  /** Whoever had a turn goes to the end. */
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
