import { readFile } from 'node:fs/promises';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Log } from '@weir/core';
import type { HttpListener, PipelineHandler, PipelineRequest } from '../component/http-listener.ts';
import { pipelineLimits } from '../limits.ts';

const defaultPort = 4195;

interface Options {
  /** `host:port`; the host is this machine only if it is left out. */
  readonly address: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly log: Log;
}

/** Takes requests on an address of this machine, for pipelines that a person runs. */
export function localListener({ address, certFile, keyFile, log }: Options): HttpListener {
  return {
    async listen(handler) {
      const answering: RequestListener = (request, response) => void answer(handler, request, response);
      const server: Server =
        certFile === ''
          ? createServer(answering)
          : createSecureServer({ cert: await readFile(certFile), key: await readFile(keyFile) }, answering);
      const { host, port } = placeOf(address);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, resolve);
      });
      const { port: taken } = server.address() as AddressInfo;
      log.info('started to listen for requests to the pipeline', { address: `${host}:${taken}` });
      return () =>
        new Promise((resolve) => {
          server.close(() => resolve());
          server.closeIdleConnections();
        });
    },
  };
}

function placeOf(address: string): { readonly host: string; readonly port: number } {
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(address) ?? [];
  return {
    host: host === '' ? '127.0.0.1' : host.replace(/^\[(.*)\]$/, '$1'),
    port: port === undefined ? defaultPort : Number(port),
  };
}

async function answer(
  handler: PipelineHandler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const read = await requestOf(request, response);
    const answered =
      read === undefined
        ? { status: 413, headers: {}, body: 'the body is too large\n' }
        : await handler(read);
    const { status, headers, body } = answered ?? {
      status: 404,
      headers: {},
      body: 'no pipeline serves this path\n',
    };
    response.writeHead(status, headers).end(body);
  } catch {
    // The client is gone, or sent what is no request.
    response.destroy();
  }
}

/** `undefined` if its body is above the limit. */
async function requestOf(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<PipelineRequest | undefined> {
  const chunks: Buffer[] = [];
  let count = 0;
  for await (const chunk of request) {
    count += (chunk as Buffer).length;
    if (count > pipelineLimits.httpRequestBytesMax) return undefined;
    chunks.push(chunk as Buffer);
  }
  const url = new URL(request.url ?? '/', 'http://localhost');
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(request.headers))
    headers.set(canonical(name), Array.isArray(value) ? value[0]! : (value ?? ''));
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers,
    remoteAddress: request.socket.remoteAddress ?? '',
    body: Buffer.concat(chunks),
    gone: gone.signal,
  };
}

/** `content-type` as `Content-Type`. */
function canonical(name: string): string {
  return name.replaceAll(/(^|-)[a-z]/g, (sign) => sign.toUpperCase());
}
