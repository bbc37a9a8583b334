import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, test } from 'node:test';
import { pauseUnlessStopped, systemClock } from '@weir/core';
import { Collected, runPipeline } from '../../../packages/pipelines/testing/run-pipeline.ts';
import { MotoServer } from '../tables/longer/moto-server.ts';

/** Components of SQS against moto, which is large, so that it is used where it is installed. */
const isInstalled = spawnSync('python3', ['-c', 'import moto.server, boto3']).status === 0;

if (!isInstalled) {
  test('SQS in pipelines', { skip: 'python3 has no moto' }, () => {});
} else {
  const moto = await MotoServer.start('python3');
  after(() => moto.close());
  const access = 'region: eu-west-1, credentials: {id: AK, secret: SK}';
  const authorization = (service: string) =>
    `AWS4-HMAC-SHA256 Credential=AK/20260101/eu-west-1/${service}/aws4_request,SignedHeaders=host,Signature=0`;
  const admin = async (action: string, parameters: object) => {
    const answer = await fetch(moto.uri, {
      method: 'POST',
      headers: {
        authorization: authorization('sqs'),
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `AmazonSQS.${action}`,
      },
      body: JSON.stringify(parameters),
    });
    assert.equal(answer.status, 200, await answer.clone().text());
    return (await answer.json()) as Readonly<Record<string, unknown>>;
  };
  const queue = async (name: string, attributes = {}) =>
    (await admin('CreateQueue', { QueueName: name, Attributes: attributes })).QueueUrl as string;
  const attributesOf = async (url: string) =>
    (await admin('GetQueueAttributes', { QueueUrl: url, AttributeNames: ['All'] })).Attributes as Readonly<
      Record<string, string>
    >;
  const countIn = async (url: string) => {
    const { ApproximateNumberOfMessages: waiting, ApproximateNumberOfMessagesNotVisible: hidden } =
      await attributesOf(url);
    return Number(waiting) + Number(hidden);
  };
  const bucket = async (path: string, body: string) => {
    const answer = await fetch(`${moto.uri}/${path}`, {
      method: 'PUT',
      headers: { authorization: authorization('s3') },
      body,
    });
    assert.equal(answer.status, 200, await answer.clone().text());
  };
  /** Runs a pipeline until its queue is empty. */
  const drained = async (input: string, url: string, fail?: Collected['fail']) => {
    const collected = new Collected();
    collected.fail = fail;
    const stop = new AbortController();
    const running = runPipeline(`input: ${input}\noutput: {collect: {}}\n`, {
      collected,
      stop: stop.signal,
    });
    while ((await countIn(url)) > 0) await pauseUnlessStopped(systemClock, 50, stop.signal);
    stop.abort();
    await running;
    return collected;
  };
  const send = (url: string, count: number, fields = '') =>
    runPipeline(`
input:
  generate:
    mapping: |
      root = "message " + counter().string()
      meta kind = "test"
    interval: ""
    count: ${count}
    batch_size: ${count}
output:
  aws_sqs: {url: "${url}", ${access}${fields}}
`);

  test('messages are sent with attributes, read, and deleted when they are written', async () => {
    const url = await queue('orders');
    await send(url, 25);
    assert.equal(await countIn(url), 25);
    let failures = 1;
    const collected = await drained(`{aws_sqs: {url: "${url}", ${access}}}`, url, () => {
      if (failures-- > 0) throw new Error('down');
    });
    assert.equal(new Set(collected.texts).size, 25);
    assert.equal(collected.batches[0]![0]!.metadata.get('kind'), 'test');
  });

  test('a queue that keeps the order keeps it', async () => {
    const url = await queue('orders.fifo', { FifoQueue: 'true', ContentBasedDeduplication: 'true' });
    await send(url, 25, ', message_group_id: g');
    const { texts } = await drained(`{aws_sqs: {url: "${url}", ${access}}}`, url);
    assert.deepEqual(
      texts,
      Array.from({ length: 25 }, (_, at) => `message ${at + 1}`),
    );
  });

  test('objects that S3 notifies about are read', async () => {
    const url = await queue('notes');
    const { QueueArn: arn } = await attributesOf(url);
    await bucket(
      'shop',
      '<CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><LocationConstraint>eu-west-1</LocationConstraint></CreateBucketConfiguration>',
    );
    await bucket(
      'shop?notification',
      `<NotificationConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><QueueConfiguration><Id>q</Id><Queue>${arn}</Queue><Event>s3:ObjectCreated:*</Event></QueueConfiguration></NotificationConfiguration>`,
    );
    await bucket('shop/in/a%20b%2Bc', 'one\ntwo\n');
    await bucket('shop/in/%C3%BC', 'three\n');
    const collected = await drained(
      `{aws_s3: {endpoint: "${moto.uri}", force_path_style_urls: true, ${access}, scanner: {lines: {}}, sqs: {url: "${url}"}}}`,
      url,
    );
    assert.deepEqual(
      collected.batches.flat().map(({ content, metadata }) => `${content} of ${metadata.get('s3_key')}`),
      ['one of in/a b+c', 'two of in/a b+c', 'three of in/ü'],
    );
  });
}
