import type { Clock, Metrics, Series } from '@weir/core';
import { type Api, apis, type Fields, type WriteStruct } from '@weir/wire';
import { backpressure } from '../write-path/write-metrics.ts';
import type { Answer, HandlerResult } from './handler-result.ts';

interface SlowDownOptions {
  /** How long clients are to wait before they send again; 0 while all is well. */
  readonly delayMs: () => number;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** Lets answers ask their clients to wait. */
export type SlowDown = (api: Api, answer: HandlerResult<Fields>) => HandlerResult<Fields>;

/**
 * The answer with a wait of at least this long in it; of several waits the longest counts. A Produce without an answer counts as
 * finished only after the wait, so that its connection runs into the limit on requests.
 */
export function askedToWait(answer: Answer, waitMs: number, clock: Clock): HandlerResult<Fields> {
  if (waitMs === 0 || answer === 'close') return answer;
  if (answer === 'noReply') {
    return new Promise((resolve) => {
      clock.after(waitMs, () => resolve('noReply'));
    });
  }
  const { throttleTimeMs = 0 } = answer as { readonly throttleTimeMs?: number };
  return { ...answer, throttleTimeMs: Math.max(throttleTimeMs, waitMs) } as WriteStruct<Fields>;
}

/**
 * Puts the wait into answers as Kafka's throttle time: the answer goes out at once, the client is asked to wait, and one that does
 * not is not read for as long (KIP-219).
 *
 * ApiVersions is left alone: a client that is only connecting has done nothing yet.
 */
export function slowingDown({ delayMs, clock, metrics }: SlowDownOptions): SlowDown {
  const counts = new Map<string, Series>();

  function count({ name }: Api): void {
    let series = counts.get(name);
    if (series === undefined) {
      const method = name.charAt(0).toLowerCase() + name.slice(1);
      series = metrics.series(backpressure, { kafka_method: method, backpressure_source: 'cpu' });
      counts.set(name, series);
    }
    series.add(1);
  }

  function slowed(api: Api, answer: Answer): HandlerResult<Fields> {
    const waitMs = delayMs();
    if (waitMs === 0 || answer === 'close') return answer;
    count(api);
    return askedToWait(answer, waitMs, clock);
  }

  return (api, answer) => {
    if (delayMs() === 0 || api === apis.ApiVersions) return answer;
    return answer instanceof Promise ? answer.then((one) => slowed(api, one)) : slowed(api, answer);
  };
}
