import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { KeptFailures } from '../../testing/kept-failures.ts';
import { ObjectServer } from '../../testing/object-server.ts';
import { QueueServer } from '../../testing/queue-server.ts';
import { Collected, runPipeline, testServices } from '../../testing/run-pipeline.ts';
import { catalogue } from '../catalogue.ts';
import { listedAccess } from '../component/outbound-access.ts';
import { readConfiguration } from '../config/read-configuration.ts';
import { textsAt } from '../object-storage/notified-objects.ts';

const access = 'region: eu-west-1, credentials: {id: AK, secret: SK}';

async function queueOf(t: TestContext): Promise<{ queue: QueueServer; url: string }> {
  const queue = new QueueServer();
  const url = await queue.start();
  t.after(() => queue.stop());
  return { queue, url };
}

/** Runs a pipeline whose input never ends until something is true. */
async function runUntil(yaml: string, collected: Collected, isTrue: () => boolean): Promise<void> {
  const stop = new AbortController();
  const running = runPipeline(yaml, { collected, stop: stop.signal });
  while (!isTrue())
    await new Promise((resolve) => void testServices().clock.after(5, () => resolve(undefined)));
  stop.abort();
  await running;
}

const reading = (url: string, fields = '') => `
input:
  aws_sqs: {url: "${url}", ${access}${fields}}
output:
  collect: {}
`;

test('messages have metadata and are deleted when they are written, in few requests', async (t) => {
  const { queue, url } = await queueOf(t);
  for (let n = 0; n < 25; n++)
    queue.add(`message ${n}`, { MessageAttributes: { kind: { DataType: 'String', StringValue: 'test' } } });
  const collected = new Collected();
  await runUntil(reading(url), collected, () => queue.messages.size === 0);
  assert.equal(new Set(collected.texts).size, 25);
  assert.deepEqual(Object.fromEntries(collected.batches[0]![0]!.metadata), {
    sqs_message_id: 'm1',
    sqs_receipt_handle: 'handle of m1',
    sqs_approximate_receive_count: '1',
    kind: 'test',
  });
  const [{ headers }] = queue.seen as [QueueServer['seen'][number]];
  assert.match(
    headers.authorization!,
    /^AWS4-HMAC-SHA256 Credential=AK\/\d{8}\/eu-west-1\/sqs\/aws4_request,/,
  );
});

test('a message that is not written is handed out again', async (t) => {
  const { queue, url } = await queueOf(t);
  queue.add('a');
  const collected = new Collected();
  let failures = 2;
  collected.fail = () => {
    if (failures-- > 0) throw new Error('down');
  };
  await runUntil(reading(url), collected, () => queue.messages.size === 0);
  assert.deepEqual(collected.texts, ['a']);
  assert.equal(collected.batches[0]![0]!.metadata.get('sqs_approximate_receive_count'), '3');
});

test('delete_message and reset_visibility leave messages to the queue', async (t) => {
  const { queue, url } = await queueOf(t);
  queue.add('written');
  queue.add('failing');
  const collected = new Collected();
  let attempts = 0;
  collected.fail = (batch) => {
    attempts++;
    if (batch[0]!.content.toString() === 'failing') throw new Error('down');
  };
  const fields = ', delete_message: false, reset_visibility: false';
  await runUntil(reading(url, fields), collected, () => attempts === 2);
  assert.deepEqual(queue.bodies, ['written', 'failing']);
  assert.deepEqual(
    queue.seen.filter(({ action }) => action !== 'ReceiveMessage'),
    [],
  );
});

test('a queue that does not answer as one is tried again, and a deletion too', async (t) => {
  const { queue, url } = await queueOf(t);
  queue.add('a');
  let refusals = 2;
  queue.fail = (action, entry) => {
    if (action === 'ReceiveMessage' || entry !== undefined) return undefined;
    return refusals-- > 0 ? 'RequestThrottled' : undefined;
  };
  const collected = new Collected();
  await runUntil(reading(url), collected, () => queue.messages.size === 0);
  assert.deepEqual(collected.texts, ['a']);
});

const sending = (url: string, count: number, fields = '', mapping = '"message " + counter().string()') => `
input:
  generate:
    mapping: |
      root = ${mapping}
      meta kind = "test"
      meta _hidden = "no"
      meta empty = ""
      meta "a b" = "no name of an attribute"
    interval: ""
    count: ${count}
    batch_size: ${count}
output:
  keep_failures:
    output:
      aws_sqs:
        url: "${url}"
        metadata: {exclude_prefixes: [_]}
        region: eu-west-1
        credentials: {id: AK, secret: SK}
${fields}
`;

test('messages are sent ten at a time with attributes', async (t) => {
  const { queue, url } = await queueOf(t);
  const failures = new KeptFailures();
  const fields = `
        message_group_id: '\${! content().string().slice(-1) }'
        message_deduplication_id: '\${! content() }'
        delay_seconds: '3'`;
  await runPipeline(sending(url, 23, fields), { specs: [failures.spec] });
  assert.deepEqual(failures.errors, []);
  assert.deepEqual(
    queue.seen.map(({ entries }) => entries.length),
    [10, 10, 3],
  );
  assert.deepEqual([...queue.messages.values()][6]!.entry, {
    Id: '6',
    MessageBody: 'message 7',
    MessageAttributes: { kind: { DataType: 'String', StringValue: 'test' } },
    MessageGroupId: '7',
    MessageDeduplicationId: 'message 7',
    DelaySeconds: 3,
  });
});

test('of a batch, only messages that were not taken are sent again', async (t) => {
  const { queue, url } = await queueOf(t);
  let refusals = 2;
  queue.fail = (_, entry) =>
    entry?.MessageBody === 'message 2' && refusals-- > 0 ? 'InternalError' : undefined;
  const yaml = sending(url, 3).replace('keep_failures:\n    output:', 'retry:\n    output:');
  await runPipeline(yaml);
  assert.deepEqual(queue.bodies, ['message 1', 'message 3', 'message 2']);
});

test('a queue that keeps the order gets nothing that would overtake a message', async (t) => {
  const { queue, url } = await queueOf(t);
  let refusals = 1;
  queue.fail = (_, entry) =>
    entry?.MessageBody === 'message 10' && refusals-- > 0 ? 'InternalError' : undefined;
  const yaml = sending(`${url}.fifo`, 12).replace('keep_failures:\n    output:', 'retry:\n    output:');
  await runPipeline(yaml);
  assert.deepEqual(queue.bodies.slice(-3), ['message 10', 'message 11', 'message 12']);
});

test('what SQS refuses is one clear line, and nothing is sent', async (t) => {
  const { queue, url } = await queueOf(t);
  for (const [mapping, problem] of [
    ['"ff".decode("hex")', /not UTF-8/],
    ['""', /the message is empty/],
    ['"01".decode("hex").string()', /control character/],
  ] as const) {
    const failures = new KeptFailures();
    await runPipeline(sending(url, 1, '', mapping), { specs: [failures.spec] });
    assert.match(failures.errors.join(), problem);
  }
  assert.deepEqual(queue.seen, []);
});

test('a server that is not allowed gets nothing', async (t) => {
  const { queue, url } = await queueOf(t);
  const failures = new KeptFailures();
  await runPipeline(sending(url, 1), {
    specs: [failures.spec],
    services: { ...testServices(), outbound: listedAccess() },
  });
  assert.equal(failures.errors.length, 1);
  assert.deepEqual(queue.seen, []);
});

const notified = (url: string, endpoint: string, fields = '') => `
input:
  aws_s3:
    ${access.replaceAll(', credentials', '\n    credentials')}
    endpoint: ${endpoint}
    force_path_style_urls: true
    scanner: {lines: {}}
    sqs: {url: "${url}"${fields}}
output:
  collect: {}
`;

const notification = (...keys: readonly string[]) =>
  JSON.stringify({
    Records: keys.map((key) => ({ s3: { bucket: { name: 'bucket' }, object: { key } } })),
  });

async function bucketOf(t: TestContext) {
  const server = new ObjectServer();
  const endpoint = await server.start();
  t.after(() => server.stop());
  const put = (key: string, text: string) =>
    server.objects.set(key, { content: Buffer.from(text), headers: {} });
  return { server, endpoint, put };
}

test('objects that notifications name are read, and each notification is deleted with its last message', async (t) => {
  const [{ queue, url }, { endpoint, put }] = [await queueOf(t), await bucketOf(t)];
  put('in/a b.txt', 'one\ntwo');
  put('in/c', 'three');
  queue.add(JSON.stringify({ Service: 'Amazon S3', Event: 's3:TestEvent', Bucket: 'bucket' }));
  queue.add(notification('in/a+b.txt', 'in/%63'));
  queue.add(notification('gone'));
  const collected = new Collected();
  let failures = 1;
  collected.fail = (batch) => {
    if (batch[0]!.content.toString() === 'two' && failures-- > 0) throw new Error('down');
  };
  await runUntil(notified(url, endpoint), collected, () => queue.messages.size === 0);
  assert.deepEqual(collected.texts.toSorted(), ['one', 'three', 'two']);
  const { metadata } = collected.batches.flat().find(({ content }) => content.toString() === 'three')!;
  assert.equal(metadata.get('s3_key'), 'in/c');
  assert.equal(metadata.get('s3_bucket'), 'bucket');
});

test('notifications behind a topic have an envelope, and one that makes no sense holds back no other', async (t) => {
  const [{ queue, url }, { server, endpoint, put }] = [await queueOf(t), await bucketOf(t)];
  put('a', 'one');
  put('secret', 'no');
  server.fail = (_, key) => (key === 'secret' ? 403 : undefined);
  queue.add('not JSON');
  queue.add('{"Message": 5}');
  queue.add(JSON.stringify({ Message: notification('secret') }));
  queue.add(JSON.stringify({ Message: notification('a') }));
  const collected = new Collected();
  const yaml = notified(url, endpoint, ', envelope_path: Message, delay_period: 1ms');
  await runUntil(yaml, collected, () => queue.messages.size === 3);
  assert.deepEqual(collected.texts, ['one']);
  assert.equal(queue.bodies.includes('not JSON'), true);
});

test('paths of notifications', () => {
  const value = { a: [{ b: 'x' }, { b: 'y' }, { c: 1 }], 'd.e': { f: 'z' } };
  for (const [path, found] of [
    ['a.*.b', ['x', 'y']],
    ['a.1.b', ['y']],
    ['d~1e.f', ['z']],
    ['d~1e.*', ['z']],
    ['a', []],
    ['toString', []],
  ] as const)
    assert.deepEqual(textsAt(value, path), found, path);
});

test('a configuration is checked', () => {
  for (const [input, problem] of [
    ['aws_s3: {}', /bucket is missing/],
    ['aws_s3: {bucket: b}', /credentials needs id and secret in managed pipelines/],
    [
      'aws_s3: {sqs: {url: queue}, credentials: {id: a, secret: b}}',
      /url has to be a URL such as https:\/\/sqs/,
    ],
    ['aws_sqs: {url: "https://q.test/x"}', /credentials needs id and secret in managed pipelines/],
    [
      'aws_sqs: {url: "https://q.test/x", max_number_of_messages: 11, credentials: {id: a, secret: b}}',
      /from 1 to 10/,
    ],
    [
      'aws_sqs: {url: "https://q.test/x", wait_time_seconds: 21, credentials: {id: a, secret: b}}',
      /from 0 to 20/,
    ],
  ] as const) {
    const { problems } = readConfiguration(`input:\n  ${input}\noutput:\n  drop: {}\n`, {
      catalogue,
      isLocal: false,
    });
    assert.match(problems.map(({ message }) => message).join('\n'), problem, input);
  }
});
