import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { FakeKafka, type FakeKafkaOptions } from '@weir/client/testing';
import { errors } from '@weir/wire';
import { runLine } from '../../testing/command-run.ts';
import { startLocalCluster } from '../../testing/local-cluster.ts';

interface Line {
  readonly kind: 'interval' | 'total';
  readonly records: number;
  readonly bytes: number;
  readonly failures: number;
  readonly lastFailure?: string;
  readonly latenciesMs: Readonly<Record<string, { p50: number; p99: number; max: number } | null>>;
}

function linesOf(out: string): readonly Line[] {
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The last line, with the totals. */
function totalOf(out: string): Line {
  const total = linesOf(out).at(-1)!;
  assert.equal(total.kind, 'total');
  return total;
}

const producerTable = 'cli benchmark-producer -topic orders -metrics-port 0';
const producer = `${producerTable} -output json`;
const consumer = 'cli benchmark-consumer -topic orders -metrics-port 0 -output json';

test('produced records are consumed, by assignment and by a group that continues at its committed offsets', async (t) => {
  const { weir } = await startLocalCluster(t);
  await weir('cli create-topic -topic orders -partitions 4');
  const produced = await weir(`${producer} -num-records 500 -record-size 100 -producer-max-bytes 5000`);
  assert.equal(produced.status, 0, produced.err);
  const total = totalOf(produced.out);
  assert.deepEqual([total.records, total.bytes, total.failures], [500, 50_000, 0]);
  assert.ok(total.latenciesMs.produce!.p50 <= total.latenciesMs.produce!.max);
  const { partitions } = JSON.parse((await weir('cli describe-topic -topic orders -output json')).out);
  const latest = partitions.map(({ latestOffset }: { latestOffset: number }) => latestOffset);
  assert.equal(
    latest.reduce((sum: number, one: number) => sum + one),
    500,
  );

  for (const group of ['', '-group readers']) {
    const consumed = await weir(`${consumer} ${group} -num-records 500 -num-clients 2`);
    assert.equal(consumed.status, 0, consumed.err);
    const read = totalOf(consumed.out);
    assert.deepEqual([read.records, read.failures], [500, 0], group);
    assert.ok(read.latenciesMs.fetch!.max >= 0);
  }
  const lag = JSON.parse((await weir('cli consumer-group-lag -group readers -output json')).out);
  assert.deepEqual([lag.state, lag.totalLag], ['Empty', 0]);

  await weir('cli produce -topic orders -partition 2 -records new');
  const more = await weir(`${consumer} -group readers -num-records 1`);
  assert.equal(totalOf(more.out).records, 1);
});

test('a producer auto-creates a missing topic if the cluster allows that', async (t) => {
  const { weir } = await startLocalCluster(t);
  assert.equal((await weir('cli produce -topic fresh -records a')).status, 0);
  assert.equal((await weir(`${producer} -num-records 1`)).status, 0);
  await weir('cli alter-broker-configs -config auto.create.topics.enable=false');
  const refused = await weir('cli produce -topic other -records a');
  assert.deepEqual([refused.status, refused.out], [1, '']);
  assert.match(refused.err, /topic other: UNKNOWN_TOPIC_OR_PARTITION/);
});

test('a consumer creates no topic', async (t) => {
  const seen: boolean[] = [];
  const { weir } = await cluster(t, {
    topics: { orders: 1 },
    script: {
      Metadata({ allowAutoTopicCreation }) {
        seen.push(allowAutoTopicCreation);
        return undefined;
      },
    },
  });
  await weir('cli fetch -topic orders');
  assert.ok(!seen.includes(true));
  await weir('cli produce -topic orders -records a');
  assert.ok(seen.includes(true));
});

async function cluster(t: TestContext, options: FakeKafkaOptions) {
  const fake = await FakeKafka.start(options);
  t.after(() => fake.stop());
  const at = `-bootstrap-host 127.0.0.1 -bootstrap-port ${fake.port()}`;
  return {
    fake,
    weir: (line: string, run?: Parameters<typeof runLine>[1]) => runLine(`${line} ${at}`, run),
  };
}

/** A script that answers the first Produce requests with an error. */
function failing(times: number, code: number): NonNullable<FakeKafkaOptions['script']> {
  return {
    Produce: ({ topicData: [topic] }, { earlier }) =>
      earlier >= times
        ? undefined
        : {
            responses: [
              {
                topicId: topic!.topicId,
                partitionResponses: topic!.partitionData.map(({ index }) => ({
                  index,
                  errorCode: code,
                  baseOffset: -1n,
                })),
              },
            ],
          },
  };
}

test('transient failures are counted, and the benchmark continues', async (t) => {
  const script = failing(1, errors.REQUEST_TIMED_OUT.code);
  const { weir } = await cluster(t, { topics: { orders: 1 }, script });
  const line = `${producer} -num-clients 1 -num-records 20 -record-size 10 -producer-max-bytes 100`;
  const { status, out, err } = await weir(line);
  assert.equal(status, 1);
  const total = totalOf(out);
  assert.equal(total.failures, 1);
  assert.ok(total.records > 0 && total.records < 20);
  assert.match(total.lastFailure!, /REQUEST_TIMED_OUT/);
  assert.match(
    err,
    /^weir cli benchmark-producer: 1 requests failed; the last: .*REQUEST_TIMED_OUT[^\n]*\n$/,
  );
});

test('a permanent failure ends the benchmark', async (t) => {
  const script = failing(Number.POSITIVE_INFINITY, errors.MESSAGE_TOO_LARGE.code);
  const { weir } = await cluster(t, { topics: { orders: 1 }, script });
  const { status, out, err } = await weir(producer);
  assert.equal(status, 1);
  assert.equal(totalOf(out).records, 0);
  assert.match(err, /^weir cli benchmark-producer: topic orders, partition 0: MESSAGE_TOO_LARGE[^\n]*\n$/);
  const missing = await weir('cli benchmark-consumer -topic nope -metrics-port 0');
  assert.equal(missing.status, 1);
  assert.match(missing.err, /topic nope: UNKNOWN_TOPIC_OR_PARTITION/);
});

test('a leader that has moved is looked up again, and no record is lost', async (t) => {
  const { fake, weir } = await cluster(t, {
    topics: { orders: 1 },
    script: failing(1, errors.NOT_LEADER_OR_FOLLOWER.code),
  });
  const { status, out } = await weir(`${producer} -num-clients 1 -num-records 3`);
  assert.deepEqual([status, totalOf(out).records, totalOf(out).failures], [0, 3, 0]);
  assert.equal(fake.topics.get('orders')!.partitions[0]!.end, 3n);
});

/** Returns to the beginning of the line, and clears it. */
const lineAnew = '\r\u001b[K';

test('on a terminal, progress is one line and the result a table', async (t) => {
  const { fake, weir } = await cluster(t, { topics: { orders: 1 } });
  const stop = new AbortController();
  let seen = '';
  const { status, out, err } = await weir(`${producerTable} -record-size 10 -max-records-per-second 10`, {
    isErrTerminal: true,
    stop: stop.signal,
    onErr(text) {
      seen += text;
      if (seen.split(lineAnew).length > 2) stop.abort();
    },
  });
  assert.equal(status, 130);
  assert.match(err.split(lineAnew)[1]!, /^\d+ records .* {2}1 s {2}\d+ records\/s/);
  assert.ok(err.endsWith(lineAnew), err);
  assert.match(out, /^metrics at http:\/\/localhost:\d+\/metrics\n/);
  assert.match(out, /\nRECORDS +SECONDS +RECORD RATE [^\n]*\n[^\n]*\n\nLATENCY +P50 [^\n]*\nproduce /);
  assert.ok(fake.topics.get('orders')!.partitions[0]!.end > 0n);
});

test('the metrics are served while it runs', async (t) => {
  const { weir } = await cluster(t, { topics: { orders: 1 } });
  const stop = new AbortController();
  let scraped: Promise<readonly string[]> | undefined;
  await weir(`${producerTable} -record-size 10 -max-records-per-second 50`, {
    stop: stop.signal,
    onOut(text) {
      const url = /metrics at (\S+)/.exec(text)?.[1];
      if (url !== undefined)
        scraped = scrape(url.replace('localhost', '127.0.0.1')).finally(() => stop.abort());
    },
  });
  const [metrics, elsewhere, posted] = await scraped!;
  assert.match(metrics!, /^200 .*# TYPE service_benchmark_records counter/s);
  assert.match(
    metrics!,
    /service_benchmark_latency_bucket\{release="v\d+",latency="produce",le="\+Inf"\} \d+/,
  );
  assert.match(elsewhere!, /^404 /);
  assert.match(posted!, /^405 /);
});

async function scrape(url: string): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const [path, method] of [
    ['', 'GET'],
    ['/deeper', 'GET'],
    ['', 'POST'],
  ] as const) {
    const answer = await fetch(url + path, { method });
    answers.push(`${answer.status} ${await answer.text()}`);
  }
  return answers;
}

test('flags are checked before anything is sent', async (t) => {
  const { fake, weir } = await cluster(t, { topics: { orders: 1 } });
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, resolve));
  t.after(() => taken.close());
  const { port } = taken.address() as { port: number };
  const cases: readonly [line: string, status: number, err: RegExp][] = [
    ['cli benchmark-producer', 2, /-topic is required/],
    [`${consumer} -offset 5`, 2, /-offset=5: a benchmark reads all partitions/],
    [
      `cli benchmark-consumer -topic orders -metrics-port ${port}`,
      1,
      new RegExp(`port ${port} is in use; set another with -metrics-port`),
    ],
  ];
  for (const [line, status, err] of cases) {
    const found = await weir(line);
    assert.deepEqual([found.status, found.out], [status, ''], line);
    assert.match(found.err, err);
  }
  assert.equal(fake.requests.length, 0);
});
