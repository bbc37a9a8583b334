import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

interface ConnectProxy {
  readonly port: number;
  /** The requested authorities, including refused ones. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** A forward proxy that supports only CONNECT. With `credentials` (`user:password`) it requires them. */
export async function startConnectProxy(credentials?: string): Promise<ConnectProxy> {
  const sockets = new Set<Socket>();
  const targets: string[] = [];
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const wanted =
    credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connection', keep);
  server.on('connect', (request, client, head) => {
    targets.push(request.url!);
    if (request.headers['proxy-authorization'] !== wanted) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const { hostname, port } = new URL(`http://${request.url}`);
    const upstream = connect(Number(port), hostname.replace(/^\[|\]$/g, ''), () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client);
      client.pipe(upstream);
    });
    keep(upstream);
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
    upstream.once('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    asked: targets,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
