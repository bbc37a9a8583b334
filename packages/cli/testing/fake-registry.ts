import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** An answer: a value, or an error with its code, whose first three digits are the status. */
type Answer = unknown | { readonly error_code: number; readonly message: string };

interface Sent {
  /** `POST /subjects/orders-value/versions?normalize=true` */
  readonly line: string;
  readonly body: unknown;
  readonly authorization: string | undefined;
}

interface FakeRegistry {
  readonly url: string;
  readonly sent: readonly Sent[];
}

/** A registry that answers `GET /path` as the script says, whatever the query is, and everything else with 404. */
export async function startFakeRegistry(
  t: TestContext,
  script: Readonly<Record<string, Answer | ((body: unknown) => Answer)>>,
): Promise<FakeRegistry> {
  const sent: Sent[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const line = `${request.method} ${decodeURIComponent(request.url!)}`;
    sent.push({ line, body, authorization: request.headers.authorization });
    const found = script[line.split('?')[0]!] ?? { error_code: 40401, message: 'Subject not found.' };
    const answer = typeof found === 'function' ? (found as (body: unknown) => Answer)(body) : found;
    const code = (answer as { error_code?: number }).error_code;
    const status = code === undefined ? 200 : Number(String(code).slice(0, 3));
    response.writeHead(status, { 'content-type': 'application/vnd.schemaregistry.v1+json' });
    response.end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent };
}
