import { type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Clock } from '@weir/core';
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
  const timeout = new AbortController();
  const cancel = clock.after(answerMsMax, () => timeout.abort());
  const signal = AbortSignal.any([timeout.signal, stop]);
  const body = form.toString();
  try {
    return await answerOf(await opened(url, proxy, signal, Buffer.byteLength(body)), body);
  } catch (error) {
    const problem = timeout.signal.aborted ? `no answer within ${answerMsMax} ms` : (error as Error).message;
    throw new Error(`${url.origin}: ${problem}`);
  } finally {
    cancel();
  }
}

async function opened(
  url: URL,
  proxy: ForwardProxy | undefined,
  signal: AbortSignal,
  bodyBytes: number,
): Promise<ClientRequest> {
  const options: RequestOptions = {
    method: 'POST',
    headers: {
      host: url.host,
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': bodyBytes,
      accept: 'application/json',
    },
    signal,
  };
  const isSecure = url.protocol === 'https:';
  if (proxy === undefined) {
    return (isSecure ? httpsRequest : httpRequest)(url, { ...options, agent: false });
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port);
  // TLS, if the target uses it, is already inside the tunnel. An HTTP agent would open a connection of its own.
  const socket = await openTunnel(proxy, { host, port, isSecure }, signal);
  return httpRequest({ ...options, path: `${url.pathname}${url.search}`, createConnection: () => socket });
}

function answerOf(request: ClientRequest, body: string): Promise<FormAnswer> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', async (response) => {
      try {
        const chunks: Buffer[] = [];
        let bytes = 0;
        for await (const chunk of response as AsyncIterable<Buffer>) {
          bytes += chunk.length;
          if (bytes > agentLimits.tokenAnswerBytesMax) throw new Error('the answer is too long');
          chunks.push(chunk);
        }
        resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString() });
      } catch (error) {
        request.destroy();
        reject(error);
      }
    });
    request.end(body);
  });
}
