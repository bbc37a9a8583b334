import type { Clock } from '@weir/core';
import { AnswerTooLong, type HttpAnswer, httpExchange, withinTime } from '@weir/http/client';
import { agentLimits } from '../../limits.ts';
import { otlpRequests } from './otlp-metrics.ts';
import type { MetricsSink, PushedName, ReadingsInParts, Tags } from './pushed-metrics.ts';

interface OtlpSinkOptions {
  /** The full URL, such as `http://collector:4318/v1/metrics`. */
  readonly url: string;
  /** Credentials; never logged or sent elsewhere. */
  readonly headers: Readonly<Record<string, string>>;
  readonly name: PushedName;
  readonly tags: Tags;
  readonly clock: Clock;
}

/** If the collector takes longer, the rest is not sent. */
const answerMsMax = 10_000;
/** Upper bound for the Retry-After of a collector. */
const retryAfterMsMax = 300_000;

/**
 * Pushes metrics by OTLP over HTTP, as JSON. Nothing is buffered: values are cumulative, so the next push makes up for
 * a failed one.
 */
export class OtlpSink implements MetricsSink {
  readonly kind = 'otlp';
  readonly #options: OtlpSinkOptions;
  readonly #startMs: number;
  #notBeforeMs = Number.NEGATIVE_INFINITY;

  constructor(options: OtlpSinkOptions) {
    this.#options = options;
    this.#startMs = options.clock.nowMs();
  }

  async push(parts: ReadingsInParts, stop: AbortSignal): Promise<void> {
    const { name, tags, clock } = this.#options;
    if (clock.monotonicMs() < this.#notBeforeMs)
      throw new Error('the collector asked to be called again later');
    let rejected = 0;
    let reason = '';
    for await (const readings of parts) {
      const requests = otlpRequests(readings, {
        name,
        tags,
        startMs: this.#startMs,
        nowMs: clock.nowMs(),
        pointsMax: agentLimits.pushedPointsMax,
      });
      for (const body of requests) {
        const { rejectedCount, message } = await this.#post(JSON.stringify(body), stop);
        rejected += rejectedCount;
        reason ||= message;
      }
    }
    if (rejected > 0) throw new Error(`the collector rejected ${rejected} points: ${reason.slice(0, 500)}`);
  }

  close(): void {}

  #post(body: string, stop: AbortSignal): Promise<Rejection> {
    const { clock, url, headers } = this.#options;
    return withinTime({ clock, timeoutMs: answerMsMax, stop }, (signal) =>
      httpExchange(
        {
          url: new URL(url),
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body,
          signal,
        },
        async (answer) => {
          if (answer.status >= 200 && answer.status < 300) return rejectionIn(await textOf(answer));
          this.#notBeforeMs = clock.monotonicMs() + retryAfterMs(answer.headers['retry-after']);
          throw new Error(`the collector returned status ${answer.status}`);
        },
      ),
    );
  }
}

async function textOf({ text }: HttpAnswer): Promise<string> {
  try {
    return await text(agentLimits.collectorAnswerBytesMax);
  } catch (error) {
    // The status already says that the collector took the points.
    if (error instanceof AnswerTooLong) return '';
    throw error;
  }
}

interface Rejection {
  readonly rejectedCount: number;
  readonly message: string;
}

const nothingRejected: Rejection = { rejectedCount: 0, message: '' };

/** A collector may reject some points. An answer that is not JSON counts as full success. */
function rejectionIn(text: string): Rejection {
  try {
    const { partialSuccess } = JSON.parse(text) as {
      readonly partialSuccess?: { readonly rejectedDataPoints?: unknown; readonly errorMessage?: unknown };
    };
    const count = Number(partialSuccess?.rejectedDataPoints ?? 0);
    if (!(count > 0)) return nothingRejected;
    return { rejectedCount: count, message: String(partialSuccess?.errorMessage ?? '') };
  } catch {
    return nothingRejected;
  }
}

/** Seconds, as collectors send them; dates are ignored. */
function retryAfterMs(header: string | undefined): number {
  const seconds = header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) : 0;
  return Math.min(seconds * 1000, retryAfterMsMax);
}
