import type { Clock } from '@weir/core';
import { httpExchange, targetOfUrl, withinTime } from '@weir/http/client';
import { type ForwardProxy, openTunnel } from '@weir/rpc';
import { agentLimits } from '../limits.ts';

interface FormToPost {
  readonly url: URL;
  readonly form: URLSearchParams;
  /** The proxy that is also used for other connections to the control plane. */
  readonly proxy: ForwardProxy | undefined;
  readonly clock: Clock;
  readonly stop: AbortSignal;
}

interface FormAnswer {
  readonly status: number;
  readonly text: string;
}

const answerMsMax = 15_000;

/** Posts a form to the control plane, through its proxy if there is one. Errors do not contain the form. */
export async function postForm({ url, form, proxy, clock, stop }: FormToPost): Promise<FormAnswer> {
  try {
    return await withinTime({ clock, timeoutMs: answerMsMax, stop }, async (signal) =>
      httpExchange(
        {
          url,
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
          body: form.toString(),
          signal,
          socket: proxy === undefined ? undefined : await openTunnel(proxy, targetOfUrl(url), signal),
        },
        async ({ status, text }) => ({ status, text: await text(agentLimits.tokenAnswerBytesMax) }),
      ),
    );
  } catch (error) {
    throw new Error(`${url.origin}: ${(error as Error).message}`);
  }
}
