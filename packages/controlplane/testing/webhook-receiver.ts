import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { patientHttpServer } from '@weir/core/testing';

interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly json: Record<string, unknown>;
}

/** A server on this machine that takes webhooks. */
interface WebhookReceiver {
  readonly url: string;
  readonly received: ReceivedRequest[];
  /** With which it answers; `undefined` for never. */
  status: number | undefined;
}

export async function startWebhookReceiver(t: TestContext): Promise<WebhookReceiver> {
  const received: ReceivedRequest[] = [];
  const receiver = { url: '', received, status: 200 as number | undefined };
  const server = createServer(patientHttpServer, async (request, response) => {
    const text = Buffer.concat((await request.toArray()) as Buffer[]).toString();
    received.push({ path: request.url!, headers: request.headers, json: JSON.parse(text) });
    if (receiver.status === undefined) return;
    response.writeHead(receiver.status, { location: '/elsewhere' }).end('ok');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return receiver;
}
