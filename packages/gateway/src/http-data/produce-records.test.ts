import assert from 'node:assert/strict';
import { test } from 'node:test';
import { httpStage } from '@weir/agent/testing';
import { countScans } from '@weir/broker/testing';
import { HttpProblem } from '@weir/http';
import { TestCluster } from '@weir/metadata/testing';
import { apis, errors } from '@weir/wire';
import { gatewayLimits } from '../limits.ts';
import type { HandlerClient } from './handler-client.ts';
import { produceRecords } from './produce-records.ts';

const record = { timestamp: 0n, key: null, value: null, headers: [] };
const { httpPartitionsMax } = gatewayLimits;

/** A client whose Produce requests succeed, and what it was asked. */
function scriptedClient(mayWrite: (topic: string) => boolean = () => true) {
  const asked: { readonly api: string; readonly partitions: number; readonly bytes: number }[] = [];
  const client = {
    mayWrite,
    closed: new AbortController().signal,
    async call(api: { readonly name: string }, _version: number, body: unknown, bytes: number) {
      const { topicData = [] } = body as {
        topicData?: { name: string; partitionData: { index: number }[] }[];
      };
      asked.push({
        api: api.name,
        partitions: topicData.reduce((sum, { partitionData }) => sum + partitionData.length, 0),
        bytes,
      });
      return {
        topics: [],
        responses: topicData.map(({ name, partitionData }) => ({
          name,
          partitionResponses: partitionData.map(({ index }) => ({ index, errorCode: 0, baseOffset: 0n })),
        })),
      };
    },
  };
  return { client: client as unknown as HandlerClient, asked };
}

const options = { timeoutMs: 1000, requestBytes: 77, pause: async () => undefined };
const spread = (count: number) => Array.from({ length: count }, (_, partition) => ({ partition, record }));

test('a produce to many partitions scans no list for each of them', async (t) => {
  const { cluster, call } = await httpStage(t);
  cluster.addTopic('orders', httpPartitionsMax);
  const partitions = spread(httpPartitionsMax).map(({ partition }) => ({ partition, records: [{}] }));
  const body = JSON.stringify({ topics: [{ topic: 'orders', partitions }] });
  using scans = countScans(httpPartitionsMax * 100);
  const { status, json } = await call('POST', '/v1/kafka/produce', body);
  assert.equal(status, 200);
  const answered = json.topics[0].partitions as { error_code: number }[];
  assert.equal(answered.length, httpPartitionsMax);
  assert.ok(answered.every(({ error_code }) => error_code === 0));
  assert.ok(scans.scannedCount > 0);
});

test('more partitions than one request may have are refused before a batch is built', async () => {
  const { client, asked } = scriptedClient();
  const tooMany = [{ topic: 'orders', records: spread(httpPartitionsMax + 1) }];
  await assert.rejects(
    produceRecords(tooMany, client, options),
    (error) => error instanceof HttpProblem && error.status === 413 && /10000 partitions/.test(error.message),
  );
  const topics = Array.from({ length: httpPartitionsMax + 1 }, (_, index) => ({
    topic: `t${index}`,
    records: [],
  }));
  await assert.rejects(produceRecords(topics, client, options), HttpProblem);
  assert.deepEqual(asked, []);
});

test('batches are sent in groups with pauses between, and bytes count once', async () => {
  const { client, asked } = scriptedClient();
  let pauses = 0;
  const pause = async () => {
    pauses++;
  };
  const produced = await produceRecords([{ topic: 'orders', records: spread(2500) }], client, {
    ...options,
    pause,
  });
  assert.equal(produced.length, 2500);
  assert.deepEqual(
    asked,
    [1000, 1000, 500].map((partitions, at) => ({ api: 'Produce', partitions, bytes: at === 0 ? 77 : 0 })),
  );
  assert.ok(pauses >= 4, `${pauses}`);
});

test('nothing is asked for topics that the caller may not write, and the others are written', async () => {
  const { client, asked } = scriptedClient((topic) => topic === 'mine');
  const produced = await produceRecords(
    [
      { topic: 'others', records: [...spread(2), { partition: undefined, record }] },
      { topic: 'mine', records: spread(1) },
    ],
    client,
    options,
  );
  const denied = errors.TOPIC_AUTHORIZATION_FAILED.code;
  assert.deepEqual(
    produced.map(({ topic, partition, errorCode, places }) => [topic, partition, errorCode, places]),
    [
      ['others', -1, denied, [2]],
      ['others', 0, denied, [0]],
      ['others', 1, denied, [1]],
      ['mine', 0, 0, [0]],
    ],
  );
  assert.deepEqual(asked, [{ api: apis.Produce.name, partitions: 1, bytes: 77 }]);
});

test('the REST proxy refuses a caller without the right before it reads records', async (t) => {
  const cluster = new TestCluster({ clusterConfigs: { 'service.acls.enabled': 'true' } });
  cluster.addTopic('orders');
  const { call } = await httpStage(t, { cluster });
  const { status, json } = await call('POST', '/topics/orders', { records: [{ wrong: 1 }] });
  assert.deepEqual([status, json.error_code], [403, 40301]);
});
