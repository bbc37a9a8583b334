import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

interface UpgradeProxy {
  readonly url: string;
  /** The number of upgrades so far. */
  readonly upgrades: () => number;
  /** Breaks all connections, like a proxy that restarts. */
  cut(): void;
  close(): Promise<void>;
}

/**
 * An HTTP/1.1 reverse proxy that parses what it forwards and lets upgrades through, like nginx or a load balancer. It
 * serves the target below its own path.
 */
export async function startUpgradeProxy(target: string, path: string): Promise<UpgradeProxy> {
  const sockets = new Set<Socket>();
  let upgrades = 0;
  const server = createServer((incoming, outgoing) => {
    const forwarded = httpRequest(targetOf(incoming.url!), {
      method: incoming.method!,
      headers: incoming.headers,
    });
    forwarded.on('response', (response) => {
      outgoing.writeHead(response.statusCode!, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(forwarded);
  });
  server.on('connection', (socket: Socket) => keep(socket));
  server.on('upgrade', (incoming, client, head) => {
    const forwarded = httpRequest(targetOf(incoming.url!), { headers: incoming.headers });
    forwarded.on('upgrade', (response, upstream, upstreamHead) => {
      upgrades++;
      keep(upstream as Socket);
      const lines = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}`);
      client.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
      client.write(upstreamHead);
      upstream.write(head);
      client.pipe(upstream).pipe(client);
    });
    forwarded.on('response', (response) => {
      client.end(`HTTP/1.1 ${response.statusCode} ${response.statusMessage}\r\nconnection: close\r\n\r\n`);
      response.resume();
    });
    forwarded.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\n\r\n'));
    forwarded.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    upgrades: () => upgrades,
    cut,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      cut();
      await closed;
    },
  };

  function targetOf(url: string): URL {
    return new URL(url.startsWith(path) ? url.slice(path.length) : '/elsewhere', target);
  }

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  }

  function cut(): void {
    for (const socket of sockets) socket.destroy();
  }
}
