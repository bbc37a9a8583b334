import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { test } from 'node:test';
import { FakeKafka } from '@weir/client/testing';
import { until } from '../../testing/kafka-cluster.ts';
import { runPipeline, testServices } from '../../testing/run-pipeline.ts';
import { noMetrics } from '../component/pipeline-metrics.ts';

/** Runs a pipeline, and keeps what becomes of its connections. */
function running(yaml: string) {
  const changes: string[] = [];
  const metrics = {
    ...noMetrics,
    connection: (of: string, change: string) => changes.push(`${of} ${change}`),
  };
  const stop = new AbortController();
  const ended = runPipeline(yaml, { services: { ...testServices(), metrics }, stop: stop.signal });
  const count = (change: string) => changes.filter((one) => one === change).length;
  return { changes, count, stop, ended };
}

test('what has no lasting connection is connected once it is open, and what has children is not counted', async () => {
  const { changes, ended } = running(`
input: { broker: { inputs: [{ generate: { mapping: root = 1, count: 1, interval: "" } }] } }
output: { fallback: [{ broker: { outputs: [{ drop: {} }, { resource: one }] } }, { reject: "no" }] }
output_resources: [{ label: one, drop: {} }]
pipeline: { processors: [{ cached: { cache: few, key: a, processors: [] } }] }
cache_resources: [{ label: few, memory: {} }]
`);
  await ended;
  assert.deepEqual(changes.toSorted(), ['input up', 'output up', 'output up', 'output up']);
});

test('connections to brokers of Kafka are counted when they are made, refused and lost', async (t) => {
  const kafka = await FakeKafka.start({ topics: { orders: 1 } });
  t.after(() => kafka.stop());
  const { changes, count, stop, ended } = running(`
input: { kafka_franz: { seed_brokers: ["127.0.0.1:${kafka.port()}"], topics: ["orders:0"] } }
output: { drop: {} }
`);
  await until(() => count('input up') > 0);
  assert.equal(count('input lost'), 0);
  await kafka.stop();
  await until(() => count('input lost') > 0 && count('input failed') > 0);
  stop.abort();
  await ended;
  assert.deepEqual(new Set(changes), new Set(['input up', 'output up', 'input lost', 'input failed']));
});

test('a connection to Redis is counted when it is made, lost, refused and made again', async (t) => {
  const sockets = new Set<Socket>();
  const listen = async (port: number): Promise<Server> => {
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => {}).on('data', () => socket.write(':1\r\n')));
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  const server = await listen(0);
  const { port } = server.address() as AddressInfo;
  const { count, stop, ended } = running(`
input: { generate: { mapping: 'root = "x"', interval: 5ms } }
output: { redis_list: { url: "redis://127.0.0.1:${port}", key: k, max_in_flight: 1 } }
`);
  await until(() => count('output up') === 1);
  server.close();
  for (const socket of sockets) socket.destroy();
  await until(() => count('output lost') === 1 && count('output failed') > 0);
  const again = await listen(port);
  t.after(() => again.close());
  await until(() => count('output up') === 2);
  stop.abort();
  await ended;
  assert.equal(count('output lost'), 1);
  for (const socket of sockets) socket.destroy();
});
