import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { listedAccess } from '../../../packages/pipelines/src/component/outbound-access.ts';
import { RedisClient } from '../../../packages/pipelines/src/redis/redis-client.ts';
import { KeptFailures } from '../../../packages/pipelines/testing/kept-failures.ts';
import { Collected, runPipeline, testServices } from '../../../packages/pipelines/testing/run-pipeline.ts';
import { startRedis } from './redis-server.ts';

/** Components of Redis against a real server. */
const server = await startRedis();

if ('missing' in server) {
  test('Redis in pipelines', { skip: server.missing }, () => {});
} else {
  const { url } = server;
  const fields = { url, kind: 'simple', master: '', tls: { enabled: false } } as ConstructorParameters<
    typeof RedisClient
  >[0];
  const client = new RedisClient(fields, { ...testServices(), connection() {} });
  after(async () => {
    await client.close();
    await server.stop();
  });
  const numbers = (count: number, batchSize = 1) => `
input:
  generate:
    mapping: |
      root = {"id": counter(), "name": "n"}
      meta kind = "test"
    interval: ""
    count: ${count}
    batch_size: ${batchSize}
`;
  /** Runs a pipeline without end until it has written so many messages. */
  async function until(count: number, yaml: string, meanwhile = async () => {}): Promise<Collected> {
    const collected = new Collected();
    const stop = new AbortController();
    collected.fail = () => {
      if (collected.texts.length + 1 >= count) stop.abort();
    };
    const running = runPipeline(yaml, { collected, stop: stop.signal });
    await meanwhile();
    await running;
    return collected;
  }

  test('lists: pushed in order, and popped', async () => {
    await runPipeline(`${numbers(5, 5)}\noutput: {redis_list: {url: "${url}", key: '\${! "list" }'}}\n`);
    assert.equal(await client.send(['LLEN', 'list']), 5);
    const collected = await until(
      5,
      `input: {redis_list: {url: "${url}", key: list, timeout: 200ms}}\noutput: {collect: {}}\n`,
    );
    assert.deepEqual(
      collected.texts.map((text) => JSON.parse(text).id),
      [1, 2, 3, 4, 5],
    );
  });

  test('streams: written with metadata, read by a group, and acknowledged when written', async () => {
    await runPipeline(
      `${numbers(4, 2)}\noutput: {redis_streams: {url: "${url}", stream: s, max_length: 100}}\n`,
    );
    const input = `input: {redis_streams: {url: "${url}", streams: [s], client_id: c, consumer_group: g, timeout: 200ms}}`;
    const collected = await until(4, `${input}\noutput: {collect: {}}\n`);
    assert.deepEqual(collected.texts.map((text) => JSON.parse(text).id).toSorted(), [1, 2, 3, 4]);
    assert.equal(collected.batches[0]![0]!.metadata.get('kind'), 'test');
    const [pending] = (await client.send(['XPENDING', 's', 'g'])) as readonly unknown[];
    assert.equal(pending, 0);
  });

  test('streams: what was read and not acknowledged is delivered again to the same consumer', async () => {
    await client.send(['XGROUP', 'CREATE', 'again', 'g', '0', 'MKSTREAM']);
    await client.send(['XADD', 'again', '*', 'body', 'first']);
    await client.send(['XREADGROUP', 'GROUP', 'g', 'c', 'STREAMS', 'again', '>']);
    await client.send(['XADD', 'again', '*', 'body', 'second']);
    const input = `input: {redis_streams: {url: "${url}", streams: [again], client_id: c, consumer_group: g, timeout: 200ms}}`;
    const collected = await until(2, `${input}\noutput: {collect: {}}\n`);
    assert.deepEqual(collected.texts, ['first', 'second']);
  });

  test('channels: what is published while a pipeline listens is delivered', async () => {
    const collected = await until(
      1,
      `input: {redis_pubsub: {url: "${url}", channels: ["news.*"], use_patterns: true}}\noutput: {collect: {}}\n`,
      async () => {
        // The answer is the number of listeners.
        while ((await client.send(['PUBLISH', 'news.a', 'hello'])) === 0);
      },
    );
    assert.equal(collected.texts[0], 'hello');
    await runPipeline(`${numbers(1)}\noutput: {redis_pubsub: {url: "${url}", channel: unheard}}\n`);
  });

  test('hashes: fields of documents, of metadata, and of the configuration', async () => {
    await runPipeline(
      `${numbers(1)}\noutput: {redis_hash: {url: "${url}", key: h, walk_metadata: true, walk_json_object: true, fields: {name: other}}}\n`,
    );
    const reply = (await client.send(['HGETALL', 'h'])) as readonly Buffer[];
    assert.deepEqual(reply.map(String), ['kind', 'test', 'id', '1', 'name', 'other']);
  });

  test('all keys are read once, and those that are no strings are left out', async () => {
    for (let at = 0; at < 25; at++) await client.send(['SET', `scan:${at}`, `v${at}`]);
    await client.send(['LPUSH', 'scan:list', 'x']);
    const { texts } = await runPipeline(
      `input: {redis_scan: {url: "${url}", match: "scan:*"}}\noutput: {collect: {}}\n`,
    );
    const expected = Array.from({ length: 25 }, (_, at) => `{"key":"scan:${at}","value":"v${at}"}`);
    assert.deepEqual(texts.toSorted(), expected.toSorted());
  });

  test('a script replaces messages by its answers, and its errors stay with their messages', async () => {
    const { texts, batches } = await runPipeline(`${numbers(3, 3)}
pipeline:
  processors:
    - redis_script:
        url: ${url}
        script: |
          if ARGV[1] == "2" then return redis.error_reply("no twos") end
          redis.call("SET", KEYS[1], ARGV[1])
          return {KEYS[1], ARGV[1], 7}
        keys_mapping: root = ["script:%d".format(this.id)]
        args_mapping: root = [this.id]
output: {collect: {}}
`);
    assert.deepEqual([texts[0], texts[2]], ['["script:1","1",7]', '["script:3","3",7]']);
    assert.match(batches[0]![1]!.error!.message, /no twos/);
    assert.equal(String(await client.send(['GET', 'script:3'])), '3');
  });

  test('a processor replaces messages by answers, and an error stays with its message', async () => {
    const collected = await runPipeline(`${numbers(2, 2)}
pipeline:
  processors:
    - redis:
        url: ${url}
        command: '\${! if json("id") == 1 { "incrby" } else { "lpush" } }'
        args_mapping: root = ["counter", 5]
output: {collect: {}}
`);
    assert.deepEqual(collected.texts, ['5', '{"id":2,"name":"n"}']);
    assert.match(collected.batches[0]![1]!.error!.message, /WRONGTYPE/);
  });

  test('a pipeline goes on after the server was restarted, and every message is written', async () => {
    const yaml = `${numbers(200).replace('interval: ""', 'interval: 5ms')}\noutput: {redis_list: {url: "${url}", key: restarted}}\n`;
    const running = runPipeline(yaml);
    await server.restart();
    await running;
    const ids = ((await client.send(['LRANGE', 'restarted', 0, -1])) as readonly Buffer[]).map(
      (text) => JSON.parse(String(text)).id,
    );
    assert.equal(new Set(ids).size, 200);
  });

  test('caches and rate limits', async () => {
    const services = testServices();
    const { redisCache } = await import('../../../packages/pipelines/src/caches/redis.ts');
    const { redisRateLimit } = await import('../../../packages/pipelines/src/rate-limits/redis.ts');
    const { signal: stop } = new AbortController();
    const context = { ...services, connection() {}, stop } as unknown as Parameters<
      typeof redisCache.open
    >[1];
    const retries = { initial_interval: 1, max_interval: 1, max_elapsed_time: 1000 };
    const cache = await redisCache.open({ ...fields, prefix: 'p:', retries }, context);
    await cache.set('a', Buffer.from('1'), 60_000);
    assert.equal(String(await cache.get('a')), '1');
    assert.equal(await cache.add('a', Buffer.from('2')), false);
    assert.ok(((await client.send(['PTTL', 'p:a'])) as number) > 0);
    await cache.delete('a');
    assert.equal(await cache.add('a', Buffer.from('2')), true);
    await cache.close();
    const limit = await redisRateLimit.open({ ...fields, count: 2, interval: 60_000, key: 'limit' }, context);
    assert.deepEqual([await limit.take(), await limit.take()], [0, 0]);
    assert.ok((await limit.take()) > 1000);
    await limit.close();
  });

  test('a server that the operator does not allow is not connected to', async () => {
    const failures = new KeptFailures();
    await runPipeline(
      `${numbers(1)}\noutput: {keep_failures: {output: {redis_list: {url: "${url}", key: never}}}}\n`,
      { specs: [failures.spec], services: { ...testServices(), outbound: listedAccess() } },
    );
    assert.match(failures.errors.join(), /may not connect to/);
    assert.equal(await client.send(['EXISTS', 'never']), 0);
  });
}
