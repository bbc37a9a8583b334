import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json as jsonOf } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { HandClock, pause } from '@weir/core/testing';
import { TestCluster } from '@weir/metadata/testing';
import { httpStage } from './http-stage.ts';

const v2 = 'application/vnd.kafka.v2+json';

/** A record as a consumer instance answers it. */
interface FoundRecord {
  readonly topic: string;
  readonly key: unknown;
  readonly value: unknown;
  readonly partition: number;
  readonly offset: number;
}

interface ConsumerStageOptions extends Omit<NonNullable<Parameters<typeof httpStage>[1]>, 'cluster'> {
  /** Partition counts of the topics. */
  readonly topics?: Readonly<Record<string, number>>;
  readonly configs?: Readonly<Record<string, string>>;
}

/** An agent for consumer instances of the REST proxy, in one time with its cluster. */
export async function consumerStage(
  t: TestContext,
  { topics = { orders: 2 }, configs = {}, ...differences }: ConsumerStageOptions = {},
) {
  const clock = new HandClock();
  const clusterConfigs = { 'group.initial.rebalance.delay.ms': '0', ...configs };
  const cluster = new TestCluster({ clock, clusterConfigs });
  for (const [name, count] of Object.entries(topics)) cluster.addTopic(name, count);
  const stage = await httpStage(t, { ...differences, clock, cluster });
  return {
    ...stage,
    cluster,
    /** Creates an instance and returns its path. */
    async create(body: object = {}, group = 'g', headers: Record<string, string> = {}) {
      const { status, json } = await stage.call('POST', `/consumers/${group}`, body, headers);
      assert.equal(status, 200, JSON.stringify(json));
      return new URL(json.base_uri).pathname;
    },
    /** A request that `fetch` does not send: a GET with a body, or one that names another host. */
    async callBare(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
      const text = body === undefined ? '' : JSON.stringify(body);
      const sent = request({
        host: '127.0.0.1',
        port: stage.agent.httpPort,
        method,
        path,
        // Node frames no body of a GET by itself.
        headers: { ...headers, 'content-length': Buffer.byteLength(text) },
      });
      sent.end(text);
      let answer: IncomingMessage | undefined;
      void once(sent, 'response').then(([given]) => {
        answer = given as IncomingMessage;
      });
      while (answer === undefined) {
        clock.advance(10);
        await pause(0);
      }
      // biome-ignore lint/suspicious/noExplicitAny: the JSON of an answer, which assertions compare
      return { status: answer.statusCode, json: (await jsonOf(answer)) as any };
    },
    /** Expects an answer without a body. */
    async done(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
      const { status, json } = await stage.call(method, path, body, { 'content-type': v2, ...headers });
      assert.deepEqual([status, json], [204, undefined], `${method} ${path}: ${JSON.stringify(json)}`);
    },
    /** Expects an error and returns its code. */
    async code(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
      const { status, json } = await stage.call(method, path, body, headers);
      assert.ok(status >= 400, `${method} ${path}: ${JSON.stringify(json)}`);
      return json.error_code as number;
    },
    /** Reads until there are so many records. */
    async read(path: string, count: number, format = 'json'): Promise<FoundRecord[]> {
      const accept = `application/vnd.kafka.${format}.v2+json`;
      const found: FoundRecord[] = [];
      do {
        const { status, json } = await stage.call('GET', `${path}/records`, undefined, { accept });
        assert.equal(status, 200, JSON.stringify(json));
        found.push(...json);
      } while (found.length < count);
      return found;
    },
    async write(topic: string, records: object[], format = 'json') {
      const type = `application/vnd.kafka.${format}.v2+json`;
      const { status, json } = await stage.call(
        'POST',
        `/topics/${topic}`,
        { records },
        { 'content-type': type },
      );
      assert.equal(status, 200, JSON.stringify(json));
    },
  };
}
