import type { Agent as HttpAgent } from 'node:http';
import { type AllowedHosts, HostRefused } from '@weir/cluster/outbound';
import { AnswerTooLong, httpExchange, targetOfUrl } from '@weir/http/client';
import { oneLine, RegistryUnavailable } from './client-error.ts';
import type { RegistryAddress } from './registry-address.ts';

/** A request to a registry, without what all requests share. */
export interface ExchangeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path and query after the base URL, with a leading slash. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly answerBytesMax: number;
  /** The hosts that may be connected to; any if absent. */
  readonly allowedHosts?: Pick<AllowedHosts, 'lookupFor'> | undefined;
}

export interface ExchangeAnswer {
  readonly status: number;
  readonly text: string;
  /** Target of a redirect. */
  readonly location: string | undefined;
}

/** Sends one request. Throws `RegistryUnavailable`, `HostRefused`, or the reason of `signal`. */
export async function exchange(
  { url, text: place }: RegistryAddress,
  agent: HttpAgent,
  { path, answerBytesMax, allowedHosts, ...request }: ExchangeRequest,
  signal: AbortSignal,
): Promise<ExchangeAnswer> {
  const { host, port } = targetOfUrl(url);
  // An address is connected to without a lookup, and refused here.
  const lookup = allowedHosts?.lookupFor(host, port);
  let isConnected = false;
  try {
    return await httpExchange(
      {
        ...request,
        url,
        path: `${url.pathname.replace(/\/+$/, '')}${path}`,
        agent,
        lookup,
        signal,
        onConnected: () => (isConnected = true),
      },
      async ({ status, headers: { location }, text }) => ({
        status,
        text: await text(answerBytesMax),
        location,
      }),
    );
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof HostRefused) throw error;
    const problem = allowedHosts === undefined ? problemOf(error as Error) : codeOf(error as Error);
    throw new RegistryUnavailable(`${place}: ${problem}`, { isUnsent: !isConnected, cause: error });
  }
}

/** Node joins the errors of several addresses into one without a message. */
function problemOf(error: Error): string {
  return oneLine(error.message === '' ? codeOf(error) : error.message);
}

/** Messages of TLS repeat names of certificates, and those of HTTP what was received; codes repeat nothing. */
function codeOf(error: Error): string {
  if (error instanceof AnswerTooLong) return error.message;
  return 'code' in error && typeof error.code === 'string' ? error.code : 'the connection failed';
}
