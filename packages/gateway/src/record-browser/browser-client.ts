import type { RequestServer } from '@weir/broker';
import { AnswerHold } from '@weir/broker';
import type { Clock } from '@weir/core';
import type { ClientSession } from '@weir/security';
import { HandlerClient } from '../http-data/handler-client.ts';

interface BrowserClientOptions {
  readonly server: RequestServer;
  readonly session: ClientSession;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** The client id of its Kafka requests, in quotas, events and lists of clients. */
const clientId = 'console-messages';

/** A Kafka client of this agent for one read or write of a person. */
export class BrowserClient {
  readonly #options: BrowserClientOptions;

  constructor(options: BrowserClientOptions) {
    this.#options = options;
  }

  /** Sends requests. What they answer refers to memory that is used again afterwards. */
  async use<Result>(work: (kafka: HandlerClient) => Promise<Result>): Promise<Result> {
    const { signal, ...rest } = this.#options;
    signal.throwIfAborted();
    const hold = new AnswerHold();
    try {
      return await work(new HandlerClient({ ...rest, clientId, closed: signal, hold }));
    } finally {
      hold.release();
    }
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.after(ms, resolve));
  }
}
