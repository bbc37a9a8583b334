import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, test } from 'node:test';
import { connect } from 'amqplib';
import { listedAccess } from '../../../packages/pipelines/src/component/outbound-access.ts';
import { runPipeline, testServices } from '../../../packages/pipelines/testing/run-pipeline.ts';
import { failuresOf, idsOf, inputFailure, numbers, until } from './pipeline-runs.ts';
import { startServer } from './server-process.ts';

/** Components of AMQP against RabbitMQ, which is large, so that it is used where it is installed. */
const broker = await startServer({
  name: 'rabbitmq-server',
  // Not the program that changes to another user, who may not write the files of this one.
  path: '/usr/lib/rabbitmq/bin/rabbitmq-server',
  command: () => [],
  environment: (port, folder) => ({
    RABBITMQ_NODENAME: `weir-${port}@localhost`,
    RABBITMQ_NODE_PORT: `${port}`,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    // For the nodes of a cluster, which listen on this machine only.
    RABBITMQ_DIST_PORT: `${port + 1}`,
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: `${port + 2}`,
    RABBITMQ_MNESIA_BASE: `${folder}/data`,
    RABBITMQ_LOG_BASE: `${folder}/logs`,
    RABBITMQ_ENABLED_PLUGINS_FILE: `${folder}/plugins`,
    RABBITMQ_PID_FILE: `${folder}/pid`,
    HOME: folder,
  }),
  // Erlang's daemon that knows nodes outlives them.
  cleanUp: (port) => void spawnSync('epmd', ['-port', `${port + 2}`, '-kill']),
  ready: /completed with \d+ plugins/,
});

if ('missing' in broker) {
  test('AMQP in pipelines', { skip: broker.missing }, () => {});
} else {
  const url = `amqp://guest:guest@127.0.0.1:${broker.port}/`;
  after(() => broker.stop());
  const output = (fields: string) => `{amqp_0_9: {urls: ["${url}"], ${fields}}}`;
  const input = (fields: string) =>
    `input: {amqp_0_9: {urls: ["${url}"], queue_declare: {enabled: true}, ${fields}}}\noutput: {collect: {}}\n`;
  const admin = async <Result>(work: (channel: Awaited<ReturnType<typeof channelOf>>) => Promise<Result>) => {
    const connection = await connect(url);
    try {
      return await work(await channelOf(connection));
    } finally {
      await connection.close();
    }
  };
  const channelOf = (connection: Awaited<ReturnType<typeof connect>>) => connection.createChannel();
  const queue = (name: string, args = {}) =>
    admin((channel) => channel.assertQueue(name, { arguments: args }));
  const countIn = (name: string) => admin(async (channel) => (await channel.checkQueue(name)).messageCount);

  test('messages arrive with properties and headers, and are acknowledged when written', async () => {
    await queue('trip');
    const properties =
      "type: 'a/b', correlation_id: c, reply_to: r, message_id: m, app_id: app, priority: '3', expiration: '600000', persistent: true";
    await runPipeline(`${numbers(5, { batchSize: 5 })}
output: ${output(`exchange: made, exchange_declare: {enabled: true}, key: 'k/1', ${properties}`)}
`);
    const bound = input('queue: trip, bindings_declare: [{exchange: made, key: k.1}], consumer_tag: tag');
    const collected = await until(5, bound, {
      meanwhile: async () => {
        while ((await admin((channel) => channel.checkQueue('trip'))).consumerCount === 0);
        await runPipeline(
          `${numbers(5, { batchSize: 5 })}\noutput: ${output(`exchange: made, key: 'k/1', mandatory: true, ${properties}`)}\n`,
        );
      },
    });
    assert.deepEqual(idsOf(collected).toSorted(), [1, 2, 3, 4, 5]);
    assert.deepEqual(Object.fromEntries(collected.batches.flat()[0]!.metadata), {
      kind: 'test',
      amqp_content_type: 'application/octet-stream',
      amqp_delivery_mode: '2',
      amqp_priority: '3',
      amqp_correlation_id: 'c',
      amqp_reply_to: 'r',
      amqp_expiration: '600000',
      amqp_message_id: 'm',
      amqp_type: 'a.b',
      amqp_app_id: 'app',
      amqp_consumer_tag: 'tag',
      amqp_delivery_tag: '1',
      amqp_redelivered: 'false',
      amqp_exchange: 'made',
      amqp_routing_key: 'k.1',
    });
    assert.equal(await countIn('trip'), 0);
  });

  test('a message that is not written goes back to the queue, or to the dead letters', async () => {
    await queue('dead');
    await queue('poison', { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'dead' });
    await runPipeline(`${numbers(4)}\noutput: ${output('exchange: "", key: poison')}\n`);
    let failures = 0;
    const collected = await until(
      3,
      input('queue: poison, nack_reject_patterns: ["^hopeless"]').replace(
        'queue_declare: {enabled: true}, ',
        '',
      ),
      {
        fail: (text) => {
          if (text.includes('"id":2') && failures++ < 2) throw new Error('busy');
          if (text.includes('"id":3')) throw new Error('hopeless');
        },
      },
    );
    assert.deepEqual(new Set(idsOf(collected)), new Set([1, 2, 4]));
    const again = collected.batches.flat().find(({ content }) => content.includes('"id":2'))!;
    assert.equal(again.metadata.get('amqp_redelivered'), 'true');
    assert.deepEqual([await countIn('poison'), await countIn('dead')], [0, 1]);
  });

  test('an output that is down for a while loses nothing, nor does an input', async () => {
    await queue('outage');
    const collected = await until(200, input('queue: outage'), {
      meanwhile: async () => {
        const running = runPipeline(
          `${numbers(200, { interval: '5ms' })}\noutput: ${output('exchange: "", key: outage, persistent: true')}\n`,
        );
        await broker.end();
        await broker.start();
        await running;
      },
    });
    assert.equal(new Set(idsOf(collected)).size, 200);
  });

  test('what the broker refuses is said in one line', async () => {
    const as = (place: string) => `{amqp_0_9: {urls: ["amqp://${place}"], exchange: "", key: x}}`;
    const here = `127.0.0.1:${broker.port}`;
    // biome-ignore format: a table
    const cases: readonly [output: string, reason: RegExp][] = [
      [as(`guest:wrong@${here}/`),                            /^failed to connect to AMQP: 127\.0\.0\.1:\d+: .*ACCESS[-_]REFUSED/],
      [as(`guest:guest@${here}/nowhere`),                     /the broker has no virtual host nowhere for this user$/],
      [output('exchange: nowhere'),                           /no exchange 'nowhere'/],
      [output('exchange: "", key: nowhere, mandatory: true'), /^no queue takes messages of exchange "" with key "nowhere"$/],
      [output('exchange: "", key: x, priority: high'),        /^priority has to be from 0 to 9, not "high"$/],
    ];
    for (const [broken, reason] of cases) {
      const failures = await failuresOf(broken);
      assert.match(failures[0] ?? '', reason);
      assert.equal(failures.length, 1);
    }
    // Nothing waits for a queue, so that a message that reaches none is written.
    assert.deepEqual(await failuresOf(output('exchange: "", key: nowhere')), []);
    assert.match(await inputFailure(`{amqp_0_9: {urls: ["${url}"], queue: nowhere}}`), /no queue 'nowhere'/);
  });

  test('messages that are larger than memory allows are taken in smaller numbers', async () => {
    await queue('large');
    const megabytes = numbers(12).replace(
      /root = .*/,
      'root = {"id": counter(), "text": "x".repeat(9000000)}',
    );
    await runPipeline(`${megabytes}\noutput: ${output('exchange: "", key: large')}\n`);
    const slow = input('queue: large, prefetch_count: 12').replace(
      'output:',
      'pipeline: {threads: 1, processors: [{sleep: {duration: 20ms}}]}\noutput:',
    );
    const collected = await until(12, slow);
    assert.equal(new Set(idsOf(collected)).size, 12);
    assert.equal(await countIn('large'), 0);
  });

  test('a broker that the operator does not allow is not connected to', async () => {
    const services = { ...testServices(), outbound: listedAccess() };
    assert.match((await failuresOf(output('exchange: a'), { services }))[0]!, /may not connect to/);
  });
}
