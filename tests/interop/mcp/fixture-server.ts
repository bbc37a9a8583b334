import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { completable, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { Metrics, silentLog, systemClock } from '@weir/core';
import { patientHttpServer } from '@weir/core/testing';
import { createEndpoint, type Endpoint } from '@weir/mcp';
import * as z from 'zod';
import { addFixtureLegacyQuestions } from './fixture-legacy-questions.ts';
import { addFixtureQuestions, signedState } from './fixture-questions.ts';
import { addFixtureSchemas } from './fixture-schemas.ts';
import { fixtureSessions } from './fixture-sessions.ts';
import { addFixtureTools, picture } from './fixture-tools.ts';

/**
 * Starts a server with the fixtures of the conformance suite behind Weir's own HTTP endpoint, and returns its URL.
 * Origin checks, size limits, methods, streams, cancellation and the server per request are Weir's; only the sessions
 * for clients of 2025 are not.
 */
export async function startFixtureServer(
  t: TestContext,
  { hasSessions }: { readonly hasSessions: boolean },
): Promise<string> {
  let url = '';
  const makeServer = () => fixtureServer(() => endpoint.changes);
  const sessions = fixtureSessions(makeServer);
  const endpoint: Endpoint = createEndpoint<object>({
    name: 'fixture',
    whoOf: async () => ({}),
    serverFor: makeServer,
    ...(hasSessions ? { legacy: sessions.answer } : {}),
    publicUrl: () => url,
    clock: systemClock,
    log: silentLog,
    metrics: new Metrics(),
  });
  const server = createServer(
    patientHttpServer,
    (request, response) => void endpoint.answer(request, response),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    await endpoint.close();
    await sessions.close();
    server.closeAllConnections();
    server.close();
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return url;
}

function fixtureServer(changes: Parameters<typeof addFixtureTools>[1]): McpServer {
  const server = new McpServer(
    { name: 'fixture', version: '1' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: signedState.verify },
    },
  );
  addFixtureTools(server, changes);
  addFixtureQuestions(server);
  addFixtureLegacyQuestions(server);
  addFixtureSchemas(server);
  addResources(server);
  addPrompts(server);
  return server;
}

function addResources(server: McpServer): void {
  const plain = { mimeType: 'text/plain', description: 'A text.' };
  for (const name of ['static-text', 'watched-resource'])
    server.registerResource(name, `test://${name}`, plain, async ({ href: uri }) => ({
      contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
    }));
  server.registerResource(
    'static-binary',
    'test://static-binary',
    { mimeType: 'image/png', description: 'A picture.' },
    async ({ href: uri }) => ({ contents: [{ uri, mimeType: 'image/png', blob: picture.data }] }),
  );
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json', description: 'Data of an id.' },
    async ({ href: uri }, { id }) => ({
      contents: [
        {
          uri,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    }),
  );
  server.server.setRequestHandler('resources/subscribe', async () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', async () => ({}));
}

function addPrompts(server: McpServer): void {
  const promptOf = (content: object) => ({
    messages: [{ role: 'user' as const, content: content as never }],
  });
  const text = (words: string) => ({ type: 'text', text: words });
  server.registerPrompt('test_simple_prompt', { description: 'Says one thing.' }, async () =>
    promptOf(text('This is a simple prompt for testing.')),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'Says its arguments.',
      argsSchema: z.object({
        arg1: completable(z.string().describe('One.'), (value) =>
          ['paris', 'park'].filter((word) => word.startsWith(value)),
        ),
        arg2: z.string().describe('Another.'),
      }),
    },
    async ({ arg1, arg2 }) => promptOf(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    {
      description: 'Brings a resource.',
      argsSchema: z.object({ resourceUri: z.string().describe('Its address.') }),
    },
    async ({ resourceUri: uri }) =>
      promptOf({
        type: 'resource',
        resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content.' },
      }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'Brings a picture.' }, async () =>
    promptOf(picture),
  );
}
