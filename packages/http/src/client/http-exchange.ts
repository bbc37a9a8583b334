import {
  type Agent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { urlToHttpOptions } from 'node:url';

/** One request. A user and password in the URL are sent with it. */
export interface HttpRequest {
  readonly url: URL;
  /** Path and query as they are sent, where a URL would change them: it resolves `..`. By default those of `url`. */
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly signal: AbortSignal;
  /** The certificate authority of an `https:` URL, in PEM, if it is not a public one. */
  readonly ca?: string | undefined;
  /** Finds the addresses of a name. A literal address is connected to without it. */
  readonly lookup?: LookupFunction | undefined;
  /** Connections that stay open. By default the request has its own, which ends with it. */
  readonly agent?: Agent;
  /** A connection to the server, with its TLS. By default one is opened. */
  readonly socket?: Duplex | undefined;
  /** Called once the request may have reached the server. */
  onConnected?(): void;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Reads the body. Throws `AnswerTooLong`. */
  text(bytesMax: number): Promise<string>;
  /** The same, without decoding it. */
  bytes(bytesMax: number): Promise<Buffer>;
  /** The body as it arrives, for what ends long after the answer began. */
  readonly stream: AsyncIterable<Buffer>;
}

/** The body of an answer exceeds its limit. */
export class AnswerTooLong extends Error {
  constructor(bytesMax: number) {
    super(`response exceeds ${bytesMax} bytes`);
  }
}

/**
 * Sends a request and passes its answer on; what `use` leaves of the body is not read. Redirects are not followed,
 * because they may lead anywhere, and credentials would go with them. No proxy of the environment is used.
 */
export async function httpExchange<Output>(
  request: HttpRequest,
  use: (answer: HttpAnswer) => Promise<Output>,
): Promise<Output> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { url, path, method = 'GET', headers, body, signal, ca, lookup, agent = false, socket } = request;
  const isSecure = url.protocol === 'https:';
  const sent = (isSecure && socket === undefined ? httpsRequest : httpRequest)({
    ...urlToHttpOptions(url),
    ...(path === undefined ? {} : { path }),
    method,
    headers: {
      host: url.host,
      ...headers,
      ...(body === undefined
        ? {}
        : { 'content-length': typeof body === 'string' ? Buffer.byteLength(body) : body.length }),
    },
    signal,
    ...(ca === undefined ? {} : { ca }),
    ...(lookup === undefined ? {} : { lookup }),
    // With `agent: false`, Node would open a connection beside the given one.
    ...(socket === undefined ? { agent } : { protocol: 'http:', createConnection: () => socket }),
  });
  sent.on('socket', (used) => {
    if (used.connecting) used.once(isSecure ? 'secureConnect' : 'connect', () => request.onConnected?.());
    else if (!used.destroyed) request.onConnected?.();
  });
  sent.on('response', resolve).on('error', reject).end(body);
  const response = await promise;
  try {
    return await use({
      status: response.statusCode!,
      headers: response.headers,
      text: async (bytesMax) => (await bytesOf(response, bytesMax)).toString(),
      bytes: (bytesMax) => bytesOf(response, bytesMax),
      stream: response,
    });
  } finally {
    if (!response.readableEnded) sent.destroy();
  }
}

async function bytesOf(response: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new AnswerTooLong(bytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
