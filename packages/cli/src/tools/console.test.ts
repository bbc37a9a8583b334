import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeKafka } from '@weir/client/testing';
import { buildEndTransactionMarker, buildRecordBatch } from '@weir/wire';
import { runArguments } from '../../testing/command-run.ts';
import { startLocalCluster } from '../../testing/local-cluster.ts';

/** Runs a tool with arguments that may hold blanks. */
function toolAt(port: number) {
  return (words: readonly string[], options = {}) =>
    runArguments(['cli', ...words, '-bootstrap-host', `127.0.0.1:${port}`], options);
}

const processed = (count: number) => `Processed a total of ${count} messages\n`;
const all = ['-from-beginning', '-timeout-ms', '300'];

test('lines become records, and come back as they were', async (t) => {
  const { port, weir } = await startLocalCluster(t);
  const tool = toolAt(port);
  await weir('cli create-topic -topic orders');
  const written = await tool(
    [
      ...[
        'console-producer',
        '--topic',
        'orders',
        '--property',
        'parse.key=true',
        '--property',
        'key.separator=, ',
      ],
      ...['--reader-property', 'parse.headers=true', '--reader-property', 'null.marker=NULL'],
    ],
    { input: ['a:1,b:2\tk1, v1\n', 'NULL\tNULL, two words\n\tk3, NU', 'LL\n'] },
  );
  assert.deepEqual(written, { status: 0, out: '', err: '' });

  const values = await tool(['console-consumer', '-topic', 'orders', ...all]);
  assert.deepEqual(values, { status: 0, out: 'v1\ntwo words\nnull\n', err: processed(3) });
  const whole = await tool([
    ...['console-consumer', '-topic', 'orders', '-offset', 'earliest', '-max-messages', '2'],
    ...['print.key', 'print.headers', 'print.partition', 'print.offset', 'print.timestamp'].flatMap(
      (name) => ['--property', `${name}=true`],
    ),
    ...['--formatter-property', 'key.separator= | '],
  ]);
  assert.deepEqual([whole.status, whole.err], [0, processed(2)]);
  const time = 'CreateTime:\\d{13}';
  assert.match(
    whole.out,
    new RegExp(
      `^${time} \\| Partition:0 \\| Offset:0 \\| a:1,b:2 \\| k1 \\| v1\n` +
        `${time} \\| Partition:0 \\| Offset:1 \\| NO_HEADERS \\| null \\| two words\n$`,
    ),
  );
  const json = await tool([
    'console-consumer',
    '-topic',
    'orders',
    '-partition',
    '0',
    '-offset',
    '2',
    '-output',
    'json',
    '-max-messages',
    '1',
  ]);
  const { offset, key, value, headers } = JSON.parse(json.out);
  assert.deepEqual([offset, key, value, headers], [2, 'k3', null, []]);
});

test('as JSON, the producer says where records are, and a terminal gets a prompt', async (t) => {
  const { port, weir } = await startLocalCluster(t);
  const tool = toolAt(port);
  await weir('cli create-topic -topic orders -partitions 2');
  const json = await tool(['console-producer', '-topic', 'orders', '-partition', '1', '-output', 'json'], {
    input: ['a\nb\n'],
  });
  assert.equal(
    json.out,
    '{"topic":"orders","partition":1,"offset":0}\n{"topic":"orders","partition":1,"offset":1}\n',
  );
  const typed = await tool(['console-producer', '-topic', 'orders', '-request-required-acks', '1'], {
    input: ['a\n', 'b\n'],
    isTerminal: true,
  });
  assert.deepEqual(typed, { status: 0, out: '>>>', err: '' });
});

test('a wrong line ends the producer after those before it', async (t) => {
  const { port, weir } = await startLocalCluster(t);
  const tool = toolAt(port);
  await weir('cli create-topic -topic orders');
  const words = ['console-producer', '-topic', 'orders', '-property', 'parse.key=true'];
  assert.deepEqual(await tool(words, { input: ['k\tv\nno key\nk\tw\n'] }), {
    status: 1,
    out: '',
    err: 'weir cli console-producer: line 2 has no key before "\\t"; set -property ignore.error=true to use it as value\n',
  });
  const lenient = [...words, '-property', 'ignore.error=true'];
  assert.equal((await tool(lenient, { input: ['no key\n'] })).status, 0);
  const read = await tool(['console-consumer', '-topic', 'orders', ...all]);
  assert.equal(read.out, 'v\nno key\n');
});

test('a consumer of a group is a member that commits what it has printed, and leaves', async (t) => {
  const { port, weir } = await startLocalCluster(t);
  const tool = toolAt(port);
  await weir('cli create-topic -topic orders -partitions 2');
  await weir('cli produce -topic orders -partition 0 -records a,,b,,c');
  const group = ['console-consumer', '-topic', 'orders', '-group', 'billing', '-from-beginning'];
  const first = await tool([...group, '-max-messages', '2']);
  assert.deepEqual(first, { status: 0, out: 'a\nb\n', err: processed(2) });
  const lag = async () =>
    JSON.parse((await weir('cli consumer-group-lag -group billing -output json')).out).totalLag;
  assert.equal(await lag(), 1);

  const stop = new AbortController();
  const { promise: isPrinted, resolve } = Promise.withResolvers<void>();
  const second = tool(group, { stop: stop.signal, onOut: () => resolve() });
  await isPrinted;
  const described = JSON.parse((await weir('cli describe-groups -group billing -output json')).out);
  assert.deepEqual([described.state, described.members.length], ['Stable', 1]);
  assert.deepEqual(described.members[0].partitions, [{ topic: 'orders', partitions: [0, 1] }]);
  stop.abort();
  assert.deepEqual(await second, { status: 130, out: 'c\n', err: processed(1) });
  assert.equal(await lag(), 0);
  const left = JSON.parse((await weir('cli describe-groups -group billing -output json')).out);
  assert.equal(left.members.length, 0);

  const third = await tool([...group, '-timeout-ms', '50']);
  assert.deepEqual(third, { status: 0, out: '', err: processed(0) });
});

test('without a group it follows the end, and Ctrl-C ends it', async (t) => {
  const { port, weir } = await startLocalCluster(t);
  const tool = toolAt(port);
  await weir('cli create-topic -topic orders');
  await weir('cli produce -topic orders -records old');
  const stop = new AbortController();
  let printed = '';
  const reading = tool(['console-consumer', '-topic', 'orders'], {
    stop: stop.signal,
    onOut(text: string) {
      printed += text;
    },
  });
  // The consumer may begin after the first of them.
  while (printed === '') await weir('cli produce -topic orders -records new');
  stop.abort();
  const { status, out, err } = await reading;
  assert.equal(status, 130);
  assert.match(out, /^(?:new\n)+$/);
  assert.match(err, /^Processed a total of \d+ messages\n$/);
});

test('a reader of committed records leaves out aborted ones', async (t) => {
  const [aborter, committer] = [
    { producerId: 7n, producerEpoch: 0 },
    { producerId: 8n, producerEpoch: 0 },
  ];
  const batch = (baseOffset: bigint, value: string, producer?: typeof aborter) =>
    buildRecordBatch([{ timestamp: 1n, key: null, value: Buffer.from(value) }], {
      baseOffset,
      ...(producer === undefined ? {} : { ...producer, baseSequence: 0, isTransactional: true }),
    });
  const marker = (baseOffset: bigint, result: 'abort' | 'commit', producer: typeof aborter) =>
    buildEndTransactionMarker({ ...producer, baseOffset, result, coordinatorEpoch: 0, timestamp: 1n });
  const records = Buffer.concat([
    batch(0n, 'aborted', aborter),
    batch(1n, 'committed', committer),
    batch(2n, 'plain'),
    marker(3n, 'abort', aborter),
    marker(4n, 'commit', committer),
    batch(5n, 'again', aborter),
    marker(6n, 'commit', aborter),
  ]);
  const levels: number[] = [];
  const fake = await FakeKafka.start({
    topics: { orders: 1 },
    advertisedHost: '127.0.0.1',
    script: {
      Fetch({ isolationLevel, topics }) {
        levels.push(isolationLevel ?? 0);
        const [{ topic, topicId, partitions } = { topic: 'orders', topicId: undefined, partitions: [] }] =
          topics;
        const isDone = (partitions[0]?.fetchOffset ?? 0n) > 0n;
        return {
          throttleTimeMs: 0,
          errorCode: 0,
          sessionId: 0,
          responses: [
            {
              topic,
              ...(topicId === undefined ? {} : { topicId }),
              partitions: [
                {
                  partitionIndex: 0,
                  errorCode: 0,
                  highWatermark: 7n,
                  lastStableOffset: 7n,
                  logStartOffset: 0n,
                  abortedTransactions: isolationLevel === 1 ? [{ producerId: 7n, firstOffset: 0n }] : null,
                  records: isDone ? Buffer.alloc(0) : records,
                },
              ],
            },
          ],
        };
      },
    },
  });
  t.after(() => fake.stop());
  const tool = toolAt(fake.port());
  const words = ['console-consumer', '-topic', 'orders', '-from-beginning', '-timeout-ms', '20'];
  assert.equal((await tool(words)).out, 'aborted\ncommitted\nplain\nagain\n');
  const committed = await tool([...words, '--isolation-level', 'read_committed']);
  assert.equal(committed.out, 'committed\nplain\nagain\n');
  assert.deepEqual([...new Set(levels)], [0, 1]);
});

test('a mistake is one line', async (t) => {
  const { port, weir } = await startLocalCluster(t);
  const tool = toolAt(port);
  await weir('cli create-topic -topic orders -partitions 2');
  const consumer = ['console-consumer', '-topic', 'orders'];
  const cases: readonly [words: readonly string[], status: number, err: RegExp][] = [
    [['console-producer'], 2, /-topic is required\n$/],
    [
      ['console-producer', '-topic', 'a', '-property', 'parse.kay=true'],
      2,
      /unknown property; did you mean parse.key\?\n$/,
    ],
    [
      ['console-producer', '-topic', 'a', '-property', 'x'],
      2,
      /-property=x: item 1: name=value is needed\n$/,
    ],
    [[...consumer, '-property', 'print.key=1'], 2, /print.key is true or false\n$/],
    [
      [...consumer, '-group', 'g', '-partition', '0'],
      2,
      /-group=g with -partition=0: the group assigns partitions/,
    ],
    [
      [...consumer, '-group', 'g', '-offset', '5'],
      2,
      /-group=g with -offset=5: a group starts at its committed/,
    ],
    [[...consumer, '-from-beginning', '-offset', '5'], 2, /set one of them\n$/],
    [[...consumer, '-offset', '0'], 1, /offset 0 is a different record in each; add -partition\n$/],
    [['console-consumer', '-topic', 'nope'], 1, /topic nope: UNKNOWN_TOPIC_OR_PARTITION: /],
    [['console-consumer', '-topic', 'nope', '-group', 'g'], 1, /topic nope: UNKNOWN_TOPIC_OR_PARTITION: /],
  ];
  for (const [words, status, err] of cases) {
    const found = await tool(words);
    assert.deepEqual([found.status, found.out], [status, ''], words.join(' '));
    assert.match(found.err, err);
    assert.equal(found.err.indexOf('\n'), found.err.length - 1, found.err);
  }
});
