import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Clock } from '@weir/core';
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
  return ({ url, method = 'GET', headers = {}, ca }) =>
    new Promise((resolve, reject) => {
      const send = url.startsWith('https:') ? httpsRequest : httpRequest;
      // No agent: nothing is requested twice, and no connection stays open.
      const request = send(url, { method, headers, ca, signal, agent: false }, (response) => {
        bodyOf(response).then(resolve, reject);
      });
      request.on('error', (error) =>
        reject(timeout.signal.aborted ? new Error(`no answer within ${timeoutMs} ms`) : error),
      );
      request.end();
    });
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes > brokerLimits.zoneAnswerBytesMax)
      throw new Error(`the answer is longer than ${brokerLimits.zoneAnswerBytesMax} bytes`);
    chunks.push(chunk as Buffer);
  }
  if (response.statusCode !== 200) throw new Error(`the answer has status ${response.statusCode}`);
  return Buffer.concat(chunks).toString('utf8').trim();
}
