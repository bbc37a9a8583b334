import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ServedRequest {
  readonly request: IncomingMessage;
  readonly url: URL;
  readonly body: Buffer;
  readonly response: ServerResponse;
}

/** Starts a server on loopback that gets whole requests; returns its port and how to stop it. */
export async function serve(answer: (served: ServedRequest) => void) {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://server');
      answer({ request, url, body: Buffer.concat(parts), response });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}
