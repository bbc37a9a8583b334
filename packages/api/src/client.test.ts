import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { anyJson } from '../testing/any-json.ts';
import { type CallOf, catalogue, type OutputOf, operations } from './catalogue.ts';
import { createClient, type Fetch, type FetchInit } from './client.ts';
import { ApiError, type ErrorCode } from './errors.ts';
import { examples } from './fields.ts';
import { readInput } from './input.ts';
import { parseJson, printJson } from './json.ts';
import { inputSchemaOf, outputSchemaOf } from './json-schema.ts';

interface Sent extends FetchInit {
  readonly url: string;
}

/** A server with a fixed answer that records its requests. */
function serverWith(
  status: number,
  body: string,
  headers: Record<string, string> = {},
): { fetch: Fetch; sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch: Fetch = async (url, init) => {
    sent.push({ url, ...init });
    return { status, headers: new Headers(headers), text: async () => body };
  };
  return { fetch, sent };
}

const cluster = { virtual_cluster_id: examples.cluster };

test('a call is a POST of JSON with the key in a header', async () => {
  const { fetch, sent } = serverWith(200, '{}');
  const headers = { 'service-api-key': examples.keySecret };
  const client = createClient({ baseUrl: 'https://weir.example/', fetch, headers });
  const answer = await client.call('create_topic', { ...cluster, topic_name: 'orders', partition_count: 1 });
  assert.deepEqual(answer, {});
  const [{ url, method, headers: sentHeaders, body, redirect }] = sent as [Sent];
  assert.equal(url, 'https://weir.example/api/v1/create_topic');
  assert.equal(method, 'POST');
  assert.equal(redirect, 'error', 'the key is not sent to another host');
  assert.deepEqual(sentHeaders, {
    ...headers,
    'content-type': 'application/json',
    accept: 'application/json',
  });
  assert.deepEqual(JSON.parse(body), { ...cluster, topic_name: 'orders', partition_count: 1 });
});

test('types follow the catalogue', async () => {
  const { fetch } = serverWith(200, printJson(catalogue.describe_topic.example.output));
  const client = createClient({ baseUrl: '', fetch });
  const { partition_count, configs } = await client.call('describe_topic', {
    ...cluster,
    topic_name: 'orders',
  });
  const count: number = partition_count;
  const retention: string | null | undefined = configs['retention.ms'];
  assert.deepEqual([count, retention], [12, '604800000']);
  // @ts-expect-error: a field is missing
  const incomplete: CallOf<'describe_topic'> = cluster;
  // @ts-expect-error: there is no such field
  const wrong: CallOf<'list_topics'> = { ...cluster, topic: 'orders' } satisfies CallOf<'list_topics'>;
  // @ts-expect-error: the answer is empty
  const nothing: OutputOf<'delete_topic'>['topic'] = undefined;
  assert.ok(incomplete !== undefined && wrong !== undefined && nothing === undefined);
});

test('a server reads what the client sends, and the client reads the answer', async () => {
  for (const { name, input, output } of operations) {
    const given = anyJson(inputSchemaOf({ input })).filter((sent) => input.safeParse(sent).success);
    await fc.assert(
      fc.asyncProperty(given, anyJson(outputSchemaOf({ output })), async (sent, answered) => {
        const fetch: Fetch = async (_url, { body }) => {
          assert.deepEqual(readInput(name, parseJson(body)), input.parse(sent));
          return { status: 200, headers: new Headers(), text: async () => printJson(answered) };
        };
        const client = createClient({ baseUrl: '', fetch, checksAnswers: true });
        assert.deepEqual(await client.call(name, sent as never), parseJson(printJson(answered)));
      }),
      { numRuns: 5 },
    );
  }
});

test('failures are errors with a code', async () => {
  const envelope = (error: string, message: string) => JSON.stringify({ error, message });
  // status, body, the code and the message of the error
  const cases: [number, string, ErrorCode, string][] = [
    [401, envelope('invalid_api_key', 'invalid API key'), 'invalid_api_key', 'invalid API key'],
    [409, envelope('topic_already_exists', 'orders exists'), 'topic_already_exists', 'orders exists'],
    [409, envelope('of_a_newer_server', 'it clashes'), 'conflict', 'it clashes'],
    [418, envelope('of_a_newer_server', 'a teapot'), 'invalid_request', 'a teapot'],
    [404, '<html>', 'not_found', 'delete_topic: HTTP status 404'],
    [502, '', 'unavailable', 'delete_topic: HTTP status 502'],
    [500, 'null', 'internal', 'delete_topic: HTTP status 500'],
    [500, '{"error":7,"message":{}}', 'internal', 'delete_topic: HTTP status 500'],
    [302, '', 'internal', 'delete_topic: HTTP status 302'],
    [200, '<html>', 'internal', 'delete_topic: the response is not JSON'],
  ];
  for (const [status, body, code, message] of cases) {
    const client = createClient({ baseUrl: '', fetch: serverWith(status, body).fetch });
    const call = client.call('delete_topic', { ...cluster, topic_name: 'orders' });
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual([error.code, error.message], [code, message]);
      return true;
    });
  }
});

test('a rate-limited client gets the retry delay', async () => {
  const { fetch } = serverWith(429, '{"error":"rate_limited","message":"slowly"}', { 'retry-after': '7' });
  const call = createClient({ baseUrl: '', fetch }).call('get_context', {});
  await assert.rejects(call, { code: 'rate_limited', retryAfterSeconds: 7, isRetriable: true, status: 429 });
});

test('an unreachable server is unavailable, with the reason', async () => {
  const fetch: Fetch = async () => {
    throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') });
  };
  const call = createClient({ baseUrl: 'http://127.0.0.1:1', fetch }).call('get_context', {});
  await assert.rejects(call, { code: 'unavailable', message: /127\.0\.0\.1:1.*ECONNREFUSED/ });
});

test('a signal ends a call, before and during the answer', async () => {
  const reason = new Error('the page was left');
  const controllers = [new AbortController(), new AbortController()] as const;
  const aborted = async (controller: AbortController): Promise<never> => {
    controller.abort(reason);
    throw new Error('the platform says so in its own words');
  };
  const fetches: Fetch[] = [
    () => aborted(controllers[0]),
    async () => ({ status: 200, headers: new Headers(), text: () => aborted(controllers[1]) }),
  ];
  for (const [index, fetch] of fetches.entries()) {
    const { signal } = controllers[index]!;
    const seen: Fetch = (url, init) => {
      assert.equal(init.signal, signal);
      return fetch(url, init);
    };
    await assert.rejects(
      createClient({ baseUrl: '', fetch: seen }).call('get_context', {}, { signal }),
      reason,
    );
  }
});

test('answers are validated against the catalogue on request', async () => {
  const { fetch } = serverWith(200, '{"workspaces":[{"id":"wi_1"}]}');
  await createClient({ baseUrl: '', fetch }).call('list_workspaces', {});
  const checked = createClient({ baseUrl: '', fetch, checksAnswers: true }).call('list_workspaces', {});
  await assert.rejects(checked, { code: 'internal', message: /does not match the catalogue/ });
});

test('the global fetch works', () => {
  const platform: Fetch = globalThis.fetch;
  assert.equal(typeof platform, 'function');
});
