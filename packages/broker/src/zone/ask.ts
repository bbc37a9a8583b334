import type { Clock } from '@weir/core';
import { httpExchange, NoAnswerInTime } from '@weir/http/client';
import { brokerLimits } from '../limits.ts';

/** One request to a metadata service. */
export interface Question {
  readonly url: string;
  readonly method?: 'GET' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  /** The certificate authority of an HTTPS address. */
  readonly ca?: string;
}

/** Sends a request and returns the body of the answer. Any status other than 200 is a failure. */
export type Ask = (question: Question) => Promise<string>;

/**
 * Sends requests over HTTP. On a machine without such a service the address often does not answer at all, so all
 * requests of one `Ask` share the limit `timeoutMs`.
 */
export function httpAsk(clock: Clock, timeoutMs: number, stop: AbortSignal): Ask {
  const timeout = new AbortController();
  const cancel = clock.after(timeoutMs, () => timeout.abort());
  stop.addEventListener('abort', cancel, { once: true });
  const signal = AbortSignal.any([timeout.signal, stop]);
  return async ({ url, ...question }) => {
    try {
      return await httpExchange({ ...question, url: new URL(url), signal }, async ({ status, text }) => {
        const answer = await text(brokerLimits.zoneAnswerBytesMax);
        if (status !== 200) throw new Error(`unexpected status ${status}`);
        return answer.trim();
      });
    } catch (error) {
      throw timeout.signal.aborted ? new NoAnswerInTime(timeoutMs) : error;
    }
  };
}
