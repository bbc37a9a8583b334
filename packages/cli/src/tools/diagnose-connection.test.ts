import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { errors } from '@weir/wire';
import { runLine } from '../../testing/command-run.ts';
import { FakeKafka, type FakeKafkaOptions } from '../../testing/fake-kafka.ts';

async function cluster(t: TestContext, options: FakeKafkaOptions = {}) {
  const fake = await FakeKafka.start(options);
  t.after(() => fake.stop());
  const at = `-bootstrap-host 127.0.0.1 -bootstrap-port ${fake.port()}`;
  return { fake, weir: (line: string) => runLine(`${line} ${at}`) };
}

/** A port on which nothing listens any more. */
async function deadPort(): Promise<number> {
  const fake = await FakeKafka.start();
  const port = fake.port();
  await fake.stop();
  return port;
}

const refusedAdvice =
  'connection refused; the machine answers, and nothing listens on that port; check that the broker runs and that the ' +
  'port is the one of its Kafka listener';

test('a cluster that can be reached is listed with its coordinator', async (t) => {
  const { fake, weir } = await cluster(t, { brokers: 2 });
  const expected = {
    status: 0,
    out: [
      'Bootstrap',
      `  127.0.0.1:${fake.port(1)}  ACCESSIBLE`,
      'Brokers',
      `  127.0.0.1:${fake.port(1)}  node 1  [service-fake-rack]  ACCESSIBLE`,
      `  127.0.0.1:${fake.port(2)}  node 2  [service-fake-rack]  ACCESSIBLE`,
      'Group coordinator',
      `  127.0.0.1:${fake.port(1)}  node 1  [service-fake-rack]  ACCESSIBLE`,
      '',
    ].join('\n'),
    err: '',
  };
  assert.deepEqual(await weir('cli diagnose-connection'), expected);
  assert.deepEqual(await weir('kcmd -type diagnose-connection'), expected);
});

test('a broker that cannot be reached is told with what to do', async (t) => {
  const port = await deadPort();
  const { fake, weir } = await cluster(t, { ghosts: [{ nodeId: 7, host: '127.0.0.1', port }] });
  const { status, out, err } = await weir('cli diagnose-connection');
  assert.deepEqual({ status, err }, { status: 1, err: '' });
  assert.deepEqual(out.split('\n').slice(2), [
    'Brokers',
    `  127.0.0.1:${fake.port()}  node 1  [service-fake-rack]  ACCESSIBLE`,
    `  127.0.0.1:${port}  node 7  [service-fake-rack]  NOT ACCESSIBLE: connection refused`,
    'Group coordinator',
    `  127.0.0.1:${fake.port()}  node 1  [service-fake-rack]  ACCESSIBLE`,
    'What is wrong',
    `  127.0.0.1:${port}: ${refusedAdvice}`,
    '',
  ]);
  const json = JSON.parse((await weir('cli diagnose-connection -output json')).out);
  assert.deepEqual(
    json.brokers.map(({ nodeId, accessible, problem }: Record<string, unknown>) => [
      nodeId,
      accessible,
      problem,
    ]),
    [
      [1, true, null],
      [7, false, 'connection refused'],
    ],
  );
});

test('a bootstrap address that is wrong is all there is to tell', async () => {
  const port = await deadPort();
  assert.deepEqual(
    await runLine(`cli diagnose-connection -bootstrap-host 127.0.0.1 -bootstrap-port ${port}`),
    {
      status: 1,
      out: [
        'Bootstrap',
        `  127.0.0.1:${port}  NOT ACCESSIBLE: connection refused`,
        'What is wrong',
        `  127.0.0.1:${port}: ${refusedAdvice}`,
        '',
      ].join('\n'),
      err: '',
    },
  );
  const { status, out, err } = await runLine(
    `cli list-topics -bootstrap-host 127.0.0.1 -bootstrap-port ${port}`,
  );
  assert.deepEqual(
    { status, out, err },
    { status: 1, out: '', err: `weir cli list-topics: 127.0.0.1:${port}: ${refusedAdvice}\n` },
  );
});

test('a coordinator that cannot be found is told, after a while', async (t) => {
  const { weir, fake } = await cluster(t, {
    script: {
      FindCoordinator: ({ coordinatorKeys: [key] }, { earlier }) => ({
        coordinators: [
          {
            key: key!,
            nodeId: -1,
            host: '',
            port: -1,
            errorCode:
              earlier === 0 ? errors.COORDINATOR_NOT_AVAILABLE.code : errors.GROUP_AUTHORIZATION_FAILED.code,
            errorMessage: null,
          },
        ],
      }),
    },
  });
  const { status, out } = await weir('cli diagnose-connection');
  assert.equal(status, 1);
  assert.match(
    out,
    /\nWhat is wrong\n {2}group coordinator: GROUP_AUTHORIZATION_FAILED: No permission to do this with the group\.\n$/,
  );
  assert.equal(fake.count('FindCoordinator'), 2);
});

test('an old broker names the coordinator in the old way', async (t) => {
  const { weir } = await cluster(t, { versions: { FindCoordinator: [0, 2] } });
  assert.match((await weir('cli diagnose-connection')).out, /Group coordinator\n .* node 1 .* ACCESSIBLE\n$/);
});
