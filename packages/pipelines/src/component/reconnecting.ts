import { backOffMs, type Clock, pauseUnlessStopped } from '@weir/core';
import { pipelineLimits } from '../limits.ts';
import type { ConnectionChange } from './pipeline-metrics.ts';

interface Closable {
  /** Ends it at once; what waits for it fails with the error. */
  close(error: Error): void;
}

type Connect<Connection> = (onClosed: (error: Error) => void) => Promise<Connection>;

const { retryMsFirst: firstMs, retryMsMax: maxMs } = pipelineLimits;

/**
 * A connection that is made when it is needed, and again after it broke. Pauses between attempts grow, and a connection
 * that lasted for less than the longest of them counts as a failed attempt.
 */
export class Reconnecting<Connection extends Closable> {
  readonly #connect: Connect<Connection>;
  readonly #clock: Clock;
  readonly #onChange: (change: ConnectionChange) => void;
  readonly #end = new AbortController();
  #opening: Promise<Connection> | undefined;
  #current: Connection | undefined;
  #failures = 0;
  #notBeforeMs = 0;

  constructor(
    connect: Connect<Connection>,
    clock: Clock,
    onChange: (change: ConnectionChange) => void = () => {},
  ) {
    this.#connect = connect;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** The connection that is open now. */
  get current(): Connection | undefined {
    return this.#current;
  }

  /** Rejects if it cannot be made, or if `stop` is aborted before it is there. */
  get(stop: AbortSignal): Promise<Connection> {
    if (this.#end.signal.aborted) return Promise.reject(closedError());
    this.#opening ??= this.#open();
    return unlessStopped(this.#opening, stop);
  }

  async close(): Promise<void> {
    this.#end.abort();
    const connection = await this.#opening?.catch(() => undefined);
    connection?.close(closedError());
  }

  #open(): Promise<Connection> {
    let connectedMs: number | undefined;
    const onFailed = () => {
      if (this.#opening !== opening) return;
      this.#opening = undefined;
      this.#current = undefined;
      if (!this.#end.signal.aborted) this.#onChange(connectedMs === undefined ? 'failed' : 'lost');
      const nowMs = this.#clock.monotonicMs();
      if (connectedMs !== undefined && nowMs - connectedMs >= maxMs) this.#failures = 0;
      this.#notBeforeMs = nowMs + backOffMs(this.#failures++, { firstMs, maxMs });
    };
    const connected = async () => {
      const pauseMs = this.#notBeforeMs - this.#clock.monotonicMs();
      if (pauseMs > 0) await pauseUnlessStopped(this.#clock, pauseMs, this.#end.signal);
      if (this.#end.signal.aborted) throw closedError();
      const connection = await this.#connect(onFailed);
      connectedMs = this.#clock.monotonicMs();
      this.#onChange('up');
      if (this.#opening === opening) this.#current = connection;
      else this.#onChange('lost');
      return connection;
    };
    const opening = connected();
    opening.catch(onFailed);
    return opening;
  }
}

function closedError(): Error {
  return new Error('the component was closed');
}

function unlessStopped<Result>(result: Promise<Result>, stop: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new Error('the pipeline is stopped'));
    if (stop.aborted) onAbort();
    stop.addEventListener('abort', onAbort, { once: true });
    result.then(resolve, reject).finally(() => stop.removeEventListener('abort', onAbort));
  });
}
