import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { httpExchange, targetOfUrl, withinTime } from '@weir/http/client';
import type { ComponentContext } from '../component/component-context.ts';
import { pipelineLimits } from '../limits.ts';

interface FetchRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly method: string;
  readonly body: string;
}

/** Requests that scripts make, one by one, without settings. */
export class HttpFetch {
  readonly #context: Pick<ComponentContext, 'clock' | 'outbound'>;
  readonly #http = new HttpAgent({ keepAlive: true });
  readonly #https = new HttpsAgent({ keepAlive: true });

  constructor(context: Pick<ComponentContext, 'clock' | 'outbound'>) {
    this.#context = context;
  }

  async send(
    { url: text, headers, method, body }: FetchRequest,
    stop: AbortSignal,
  ): Promise<{ readonly status: number; readonly body: string }> {
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol))
      throw new Error('the URL has to begin with http:// or https://');
    const { clock, outbound } = this.#context;
    const { host, port, isSecure } = targetOfUrl(url);
    const texts = Object.entries(headers).filter(([, value]) => typeof value === 'string');
    return withinTime({ clock, timeoutMs: pipelineLimits.scriptMsMax, stop }, (signal) =>
      httpExchange(
        {
          url,
          method: method.toUpperCase(),
          headers: Object.fromEntries(texts) as Record<string, string>,
          ...(body !== '' && { body }),
          signal,
          // An address is connected to without a lookup, and refused here.
          lookup: outbound.lookupFor(host, port),
          agent: isSecure ? this.#https : this.#http,
        },
        async (answer) => ({
          status: answer.status,
          body: await answer.text(pipelineLimits.scriptAnswerBytesMax),
        }),
      ),
    );
  }

  async close(): Promise<void> {
    this.#http.destroy();
    this.#https.destroy();
  }
}
