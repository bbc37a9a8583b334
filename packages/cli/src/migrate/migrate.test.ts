import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { catalogue, type OperationName, parseJson, printJson } from '@weir/api';
import { runArguments } from '../../testing/command-run.ts';
import type { Described, MigratedTopic } from './own-migration.ts';

const example = catalogue['orbit/describe_migration'].example.output as unknown as Described;
const exampleTopic = example.topics[0]!;

/** A server that answers every operation with its example, unless a test says otherwise. */
async function start(t: TestContext) {
  const [cluster] = catalogue.list_virtual_clusters.example.output.virtual_clusters;
  const scene = {
    /** Absent for a cluster without one; one for each question, the last for all that follow. */
    migrations: [example] as Described[],
    canStart: true,
    asked: [] as { readonly name: OperationName; readonly input: Record<string, unknown> }[],
  };
  const answerOf = (name: OperationName): unknown => {
    const { output } = catalogue[name].example;
    if (name === 'list_virtual_clusters') return { virtual_clusters: [cluster] };
    if (name === 'orbit/preflight') return { ...output, is_ready: scene.canStart };
    if (name !== 'orbit/describe_migration') return output;
    return scene.migrations.length > 1 ? scene.migrations.shift() : scene.migrations[0];
  };
  const server = createServer(async (request, response) => {
    const name = request.url!.replace('/api/v1/', '') as OperationName;
    const body = Buffer.concat(await request.toArray()).toString();
    scene.asked.push({ name, input: (body === '' ? {} : parseJson(body)) as Record<string, unknown> });
    const answer = answerOf(name);
    response.setHeader('content-type', 'application/json');
    response.statusCode = answer === undefined ? 404 : 200;
    response.end(
      printJson(answer ?? { error: 'not_found', message: 'The cluster has no migration; create one.' }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const run = (...words: readonly string[]) =>
    runArguments(['cli', 'migrate', ...words], {
      environment: { SERVICE_API_URL: `http://127.0.0.1:${port}`, SERVICE_API_KEY: `aks_${'1'.repeat(64)}` },
      input: ['source_bootstrap_brokers: []\n'],
    });
  const inputOf = (name: OperationName) => scene.asked.findLast((one) => one.name === name)?.input;
  return { scene, run, inputOf };
}

function migrationWith(topic: Partial<MigratedTopic>, rest: Partial<Described> = {}): Described {
  const state = topic.state ?? exampleTopic.state;
  const none = { waiting: 0, refused: 0, replicating: 0, proxy: 0, blocked: 0, migrated: 0 };
  return {
    ...example,
    topics: [{ ...exampleTopic, ...topic }],
    topics_by_state: { ...none, [state]: 1 },
    ...rest,
  };
}

const cuttingOver = { state: 'proxy', cut_over_requested: true } as const;

// biome-ignore format: a table
const steps: readonly (readonly [Described | undefined, message: RegExp, command: string])[] = [
  [undefined,                                                          /has no migration/,              'weir cli migrate preflight -config-file migration.yaml'],
  [migrationWith({}),                                                  /1 topics are copied/,           'weir cli migrate forward'],
  [migrationWith({}, { pipeline_state: 'paused' }),                    /is paused/,                     'weir cli migrate resume'],
  [migrationWith({}, { errors: ['h:1: refused'] }),                    /is stuck: h:1: refused/,         'weir cli migrate status'],
  [migrationWith({ stopped_partitions: 1 }),                           /orders are stopped until/,      'weir cli migrate status -topic orders'],
  [migrationWith({ state: 'proxy', holds: [] }),                       /cut over/,                      'weir cli migrate cut-over -watch'],
  [migrationWith(cuttingOver),                                         /under way/,                     'weir cli migrate status -watch'],
  [migrationWith({ state: 'blocked', cut_over_requested: true }),      /under way/,                     'weir cli migrate status -watch'],
  [migrationWith({ state: 'migrated' }),                               /All 1 topics/,                  'weir cli migrate pause'],
];

test('a person is led from step to step', async (t) => {
  const { scene, run } = await start(t);
  for (const [migration, message, command] of steps) {
    scene.migrations = migration === undefined ? [] : [migration];
    const { status, out, err } = await run();
    assert.equal(status, 0, err);
    assert.match(out, message);
    assert.match(out, new RegExp(`Next: ${command}\n$`));
    const { next } = JSON.parse((await run('-output', 'json')).out) as { next: { command: string } };
    assert.equal(next.command, command);
  }
});

test('status, changes and a dry run are printed', async (t) => {
  const { scene, run, inputOf } = await start(t);
  assert.match(
    (await run('status')).out,
    /^from-old-kafka is running: 1 replicating\n500 MiB, 99 %, lag 120, 50\.0 MiB\/s, ETA 1s\n\nTOPIC +STATE .*\norders +replicating +12 +500 MiB +120 +50\.0 MiB\/s +1s +not_forwarding\n$/,
  );
  scene.migrations = [
    {
      ...example,
      partitions: [
        {
          partition: 0,
          first_offset: 0,
          next_offset: 5,
          last_stable_offset: 5,
          is_stopped: true,
          error: 'truncated',
        },
      ],
    },
  ];
  assert.match(
    (await run('status', '-topic', 'orders')).out,
    /not_forwarding: agents do not forward[\s\S]*\nPARTITION .*\n0 +0 +5 +- +- +truncated\n$/,
  );
  assert.equal(inputOf('orbit/describe_migration')?.topic_name, 'orders');
  assert.match(
    (await run('forward', '-topics', 'orders,a')).out,
    /^TOPIC +BEFORE +NOW +DEADLINE\norders +replicating +proxy +-\n/,
  );
  assert.deepEqual(inputOf('orbit/auto_migration/start_forwarding')?.topics, ['orders', 'a']);
  assert.match(
    (await run('cut-over', '-dryRun', '-cutOverTimeout', '90s')).out,
    /WOULD BE[\s\S]*proxy, cutting over[\s\S]*Nothing was changed/,
  );
  const initiated = inputOf('orbit/auto_migration/initiate');
  assert.deepEqual([initiated?.validate_only, initiated?.timeout_seconds], [true, 90]);
  assert.match(
    (await run('abort')).out,
    /orders +blocked +proxy[\s\S]*Agents pass writes on to the source again/,
  );
  assert.match((await run('abort', '-rollBack')).out, /Point producers at the source again/);
  assert.equal(inputOf('orbit/auto_migration/abort')?.to, 'replicating');
  assert.match((await run('pause')).out, /is paused/);
  assert.equal(inputOf('change_pipeline_state')?.desired_state, 'paused');
  assert.match((await run('recopy', '-topic', 'orders')).out, /The copy of orders is deleted/);
});

test('topics are handed over only when that is confirmed', async (t) => {
  const { run, inputOf } = await start(t);
  const refused = await run('hand-over', '-topics', 'orders');
  assert.equal(refused.status, 1);
  assert.match(refused.err, /it is final; add -confirmHandOver/);
  assert.equal(inputOf('orbit/hand_over'), undefined);
  assert.match((await run('hand-over', '-topics', 'orders', '-confirmHandOver')).out, /for good/);
  assert.equal(inputOf('orbit/hand_over')?.validate_only, false);
  assert.match((await run('hand-over')).err, /-topics is required/);
});

test('a cut-over is watched until it ends', async (t) => {
  const { scene, run } = await start(t);
  scene.migrations = [
    migrationWith({ state: 'blocked', cut_over_requested: true }),
    migrationWith({ state: 'migrated', holds: [] }),
  ];
  const good = await run('cut-over', '-watch');
  assert.equal(good.status, 0, good.err);
  assert.match(good.out, /1 topics are migrated/);
  assert.match(good.err, /0 of 1 migrated; orders is blocked, held back: agents do not/);
  scene.migrations = [
    migrationWith({ ...cuttingOver }),
    migrationWith({ state: 'proxy', reason: 'it took too long' }),
  ];
  const bad = await run('cut-over', '-watch');
  assert.equal(bad.status, 1);
  assert.match(
    bad.err,
    /ended without success, and agents forward to the source again: orders: it took too long/,
  );
});

test('a migration starts after its preflight', async (t) => {
  const { scene, run, inputOf } = await start(t);
  const given = ['-config-file', '-'];
  const seen = await run('preflight', ...given);
  assert.equal(seen.status, 0, seen.err);
  assert.match(
    seen.out,
    /^The migration can start: 1 topics, 12 partitions, 1200000 offsets, 500 MiB; 1 groups, 0 ACLs; 3 brokers\n/,
  );
  assert.match(seen.out, /warning +the source +the password is sent in clear text/);
  scene.migrations = [];
  scene.canStart = false;
  assert.equal((await run('preflight', ...given)).status, 1);
  assert.match(
    (await run('start', ...given)).err,
    /stands in the way; mend it, or start with -ignorePreflight/,
  );
  assert.equal(inputOf('create_pipeline'), undefined);
  const started = await run('start', ...given, '-ignorePreflight', '-migrationName', 'move');
  assert.match(started.out, /1 topics with 12 partitions are copied from now on/);
  assert.deepEqual(
    [inputOf('create_pipeline')?.pipeline_name, inputOf('create_pipeline')?.pipeline_type],
    ['move', 'orbit'],
  );
  assert.equal(inputOf('change_pipeline_state')?.desired_state, 'running');
});
