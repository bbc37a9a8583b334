import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { catalogue, type OperationName } from '@weir/api';
import { type Clock, Metrics, silentLog, systemClock } from '@weir/core';
import { patientHttpServer } from '@weir/core/testing';
import { createEndpoint, type EndpointOptions } from '../src/endpoint/endpoint.ts';
import { type ServerManifest, serverMaker } from '../src/protocol-server.ts';
import { controlPlaneManifest } from '../src/server-manifests.ts';
import type { CallOperation } from '../src/tools/tool-context.ts';

export interface Served {
  readonly url: string;
  readonly port: number;
  readonly metrics: Metrics;
  /** The operations that were called, with their inputs. */
  readonly calls: readonly (readonly [OperationName, unknown])[];
  /** Connects a client of the protocol's own library, with the given revision. */
  connect(era?: 'modern' | 'legacy', asks?: Asks): Promise<Client>;
}

/** The user of a client: what they answer to a question. */
export type Asks = (message: string) => {
  action: 'accept' | 'decline' | 'cancel';
  content?: { confirm: boolean };
};

/** The results of operations in a test. Others return their example. */
export type Answers = Partial<Record<OperationName, (input: never, stop: AbortSignal) => unknown>>;

export const docsPages = [
  {
    path: 'reference/acls.md',
    title: 'ACLs',
    text: '# ACLs\n\nRules say who may do what.\n\n## Superusers\n\nNo rule binds a superuser.\n',
  },
  { path: 'reference/flags.md', title: 'Flags', text: '# Flags\n\n`-roles` says what an agent does.\n' },
];

/** An endpoint over a real socket. */
export async function serve(
  t: TestContext,
  {
    answers = {},
    offer = controlPlaneManifest(docsPages),
    whoOf = async () => ({}),
    clock = systemClock,
    publicUrl,
    legacy,
    confirmationKey,
  }: {
    readonly answers?: Answers;
    readonly offer?: ServerManifest;
    readonly whoOf?: (request: IncomingMessage) => Promise<object>;
    readonly clock?: Clock;
    readonly publicUrl?: string;
    readonly legacy?: NonNullable<EndpointOptions<object>['legacy']>;
    readonly confirmationKey?: Uint8Array;
  } = {},
): Promise<Served> {
  const metrics = new Metrics();
  const calls: [OperationName, unknown][] = [];
  const callOperation: CallOperation = async (name, input, stop) => {
    calls.push([name, input]);
    const answer = answers[name];
    return (
      answer === undefined ? catalogue[name].example.output : await answer(input as never, stop)
    ) as never;
  };
  let url = '';
  const deps = { publicUrl: () => publicUrl ?? url, clock, log: silentLog, metrics };
  const make = serverMaker(offer, deps);
  const endpoint = createEndpoint({
    name: 'test',
    whoOf,
    serverFor: () => make(callOperation, 'test', confirmationKey),
    ...(legacy === undefined ? {} : { legacy }),
    ...deps,
  });
  const server = createServer(
    patientHttpServer,
    (request, response) => void endpoint.answer(request, response),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}/`;
  const clients: Client[] = [];
  t.after(async () => {
    for (const client of clients) await client.close();
    await endpoint.close();
    server.closeAllConnections();
    server.close();
  });
  return {
    url,
    port,
    metrics,
    calls,
    async connect(era = 'modern', asks) {
      const client = new Client(
        { name: 'test', version: '1' },
        {
          versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
          ...(asks === undefined ? {} : { capabilities: { elicitation: {} } }),
        },
      );
      if (asks !== undefined)
        client.setRequestHandler('elicitation/create', ({ params }) => asks(params.message));
      await client.connect(new StreamableHTTPClientTransport(new URL(url)));
      clients.push(client);
      return client;
    },
  };
}
