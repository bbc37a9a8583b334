import { type Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type AllowedHosts, HostRefused } from '@weir/cluster/outbound';
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
  readonly allowedHosts?: AllowedHosts | undefined;
}

export interface ExchangeAnswer {
  readonly status: number;
  readonly text: string;
  /** Target of a redirect. */
  readonly location: string | undefined;
}

/** Sends one request. Throws `RegistryUnavailable`, `HostRefused`, or the reason of `signal`. */
export async function exchange(
  address: RegistryAddress,
  agent: HttpAgent,
  request: ExchangeRequest,
  signal: AbortSignal,
): Promise<ExchangeAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ExchangeAnswer>();
  const { method, path, headers, body, allowedHosts } = request;
  const { protocol, hostname, port, pathname } = address.url;
  const host = hostname.replace(/^\[|\]$/g, '');
  const usualPort = protocol === 'https:' ? 443 : 80;
  // An address is connected to without a lookup, and refused here.
  const lookup = allowedHosts?.lookupFor(host, port === '' ? usualPort : Number(port));
  let isConnected = false;
  const sent = (protocol === 'https:' ? httpsRequest : httpRequest)({
    method,
    hostname: host,
    ...(lookup === undefined ? {} : { lookup }),
    port: port === '' ? undefined : Number(port),
    path: `${pathname.replace(/\/+$/, '')}${path}`,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) },
    agent,
    signal,
  });
  sent.on('socket', (socket) => {
    if (!socket.connecting) isConnected = true;
    else socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', () => (isConnected = true));
  });
  sent.on('response', (response) => {
    textOf(response, request.answerBytesMax).then(
      (text) => resolve({ status: response.statusCode ?? 0, text, location: response.headers.location }),
      (error: unknown) => {
        sent.destroy();
        fail(error as Error);
      },
    );
  });
  sent.on('error', fail);
  sent.end(body);
  return await promise;

  function fail(error: Error): void {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    if (error instanceof HostRefused) {
      reject(error);
      return;
    }
    const problem = `${address.text}: ${allowedHosts === undefined ? problemOf(error) : codeOf(error)}`;
    reject(new RegistryUnavailable(problem, { isUnsent: !isConnected, cause: error }));
  }
}

class AnswerTooLong extends Error {}

async function textOf(response: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes > bytesMax) throw new AnswerTooLong(`the answer is longer than ${bytesMax} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
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
