import type { Clock, Metrics, Series } from '@weir/core';
import { type Api, apis, type Fields, type WriteStruct } from '@weir/wire';
import { backpressure } from '../write-path/write-metrics.ts';
import type { Answer, HandlerResult } from './handler-result.ts';

interface SlowDownOptions {
  /** How long clients should wait before their next request; 0 without pressure. */
  readonly delayMs: () => number;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** Adds the delay to answers. */
export type SlowDown = (api: Api, answer: HandlerResult<Fields>) => HandlerResult<Fields>;

/**
 * Returns the answer with a throttle time of at least `waitMs`; of several the longest counts. A Produce without an
 * answer finishes only after the wait, so that its connection reaches the limit on requests in flight.
 */
export function throttled(answer: Answer, waitMs: number, clock: Clock): HandlerResult<Fields> {
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
 * Adds the delay to answers as Kafka's throttle time: the answer is sent at once, and the connection is not read for
 * that long (KIP-219).
 *
 * ApiVersions is exempt: a client that is only connecting has not caused any load.
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
    return throttled(answer, waitMs, clock);
  }

  return (api, answer) => {
    if (delayMs() === 0 || api === apis.ApiVersions) return answer;
    return answer instanceof Promise ? answer.then((one) => slowed(api, one)) : slowed(api, answer);
  };
}
