import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '@weir/core';

/**
 * The agent's HTTP listener: probes, metrics and what agents ask of each other. A request that takes longer than the socket
 * deadline, in either direction, is cut off.
 */
export interface HttpOptions {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly routes: readonly Route[];
  readonly log: Log;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  /** A path, or its beginning when it ends in a slash. */
  readonly path: string;
  handle(request: IncomingMessage, response: ServerResponse, url: URL): void | Promise<void>;
}

export interface HttpListener {
  readonly port: number;
  close(): Promise<void>;
}

const socketDeadlineMs = 15_000;
const connectionsMax = 4_096;

export async function startHttpListener({ host, port, routes, log }: HttpOptions): Promise<HttpListener> {
  const server = createServer({ requestTimeout: socketDeadlineMs, headersTimeout: socketDeadlineMs });
  server.maxConnections = connectionsMax;
  server.setTimeout(socketDeadlineMs);
  server.on('request', (request, response) => void answer(request, response));
  await listen(server, host, port);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? '/', 'http://agent');
    if (url === null) {
      plain(response, 400, 'the target of the request is no path');
      return;
    }
    const atPath = routes.filter(({ path }) =>
      path.endsWith('/') && path !== '/' ? url.pathname.startsWith(path) : url.pathname === path,
    );
    const route = atPath.find(({ method }) => method === request.method);
    try {
      if (route !== undefined) await route.handle(request, response, url);
      else if (atPath.length > 0) plain(response, 405, `${request.method} is not allowed here`);
      else plain(response, 404, `there is nothing at ${url.pathname}`);
    } catch (error) {
      log.error('an HTTP request failed', { path: url.pathname, error: String(error) });
      if (!response.headersSent) plain(response, 500, 'internal error');
      else response.destroy();
    }
  }
}

export function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
