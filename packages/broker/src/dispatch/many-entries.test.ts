import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterPort } from '@weir/cluster';
import { type Clock, systemClock } from '@weir/core';
import { requireShortTurns } from '@weir/core/testing';
import { type Access, fullAccess, openSession } from '@weir/security';
import { apis, layoutOf } from '@weir/wire';
import { countScans } from '../../testing/counted-scans.ts';
import { startLeaderAgent } from '../../testing/leader-agent.ts';
import { type LongList, listPaths, structMaker } from '../../testing/long-lists.ts';
import { answered } from '../../testing/test-agent-server.ts';
import { errorName } from '../../testing/transactional-client.ts';
import { watchedPort } from '../../testing/watched-port.ts';
import { brokerLimits } from '../limits.ts';
import type { ServedApi } from './handler-table.ts';
import { entriesMax, type ListWork, listWork } from './list-work.ts';

/** Lists beyond the limits on length, and lists just below them. */
const rounds = [
  { entries: 25_000, isRepeated: false },
  { entries: 9_999, isRepeated: false },
  { entries: 9_999, isRepeated: true },
] as const;

/** A request with one long list. */
interface LongRequest {
  readonly name: ServedApi;
  readonly version: number;
  /** Path of the list, as `topics[].partitions[]`. */
  readonly path: string;
  readonly body: object;
}

/** Yields every list of every served request, each in the last version that has it. */
function* longRequests(round: Omit<LongList, 'path'>): Iterable<LongRequest> {
  for (const name of servedNames) {
    const api = apis[name];
    const seen = new Set<string>();
    for (const version of [api.highestStableVersion, api.versions.lowest]) {
      const layout = layoutOf(api.request, version);
      for (const path of listPaths(layout)) {
        if (seen.has(path)) continue;
        seen.add(path);
        yield { name, version, path, body: structMaker(layout, { ...round, path })(0) };
      }
    }
  }
}

const servedNames = await (async () => {
  await using agent = await startLeaderAgent();
  return (Object.keys(apis) as ServedApi[]).filter((name) =>
    agent.server.serves(apis[name], apis[name].highestStableVersion),
  );
})();

/** Counts authorization checks, and answers all of them alike. */
function countingAccess(isPermitted: boolean) {
  let questions = 0;
  const ask = () => {
    questions++;
    return isPermitted;
  };
  const all = fullAccess();
  const access: Access = {
    ...all,
    may: ask,
    mayQuietly: ask,
    mayOnSome: ask,
    operationsOn: (...about) => (ask() ? all.operationsOn(...about) : 0),
    as: () => access,
  };
  return { access, questions: () => questions };
}

/** How often each entry may be scanned by any means. */
const scansPerEntryMax = 40;
const questionsPerEntryMax = 4;
/** Limit on calls to the control plane for one request of any length. */
const callsMax = 64;

for (const round of rounds) {
  const { entries, isRepeated } = round;
  const what = `${entries} entries${isRepeated ? ', all the same,' : ''}`;
  test(`${what} in any list of any request cost linear work`, async () => {
    let access: Access = fullAccess();
    let calls = 0;
    await using agent = await startLeaderAgent(
      { 'group.initial.rebalance.delay.ms': '0' },
      {
        accessOf: () => access,
        port: (node) =>
          watchedPort(node, () => {
            calls++;
          }),
      },
    );
    await agent.addTopic('name-0', 1);
    const session = openSession({ remoteAddress: '10.0.0.7', remotePort: 40_000 });
    for (const { name, version, path, body } of longRequests(round)) {
      for (const isPermitted of [false, true]) {
        const label = `${name} v${version} ${path} with ${isPermitted ? 'full access' : 'no access'}`;
        const counting = countingAccess(isPermitted);
        access = counting.access;
        calls = 0;
        using _scans = countScans(scansPerEntryMax * entries);
        try {
          await agent.server.serve({
            api: apis[name],
            apiVersion: version,
            correlationId: 7,
            clientId: 'test',
            body: body as never,
            requestBytes: entries,
            session,
            closed: new AbortController().signal,
          });
        } catch (error) {
          assert.fail(`${label}: ${error}`);
        }
        const questions = counting.questions();
        assert.ok(questions <= questionsPerEntryMax * entries + 16, `${label}: ${questions} questions`);
        assert.ok(calls <= (isPermitted ? callsMax : 1), `${label}: ${calls} calls to the control plane`);
      }
    }
  });
}

/** Requests whose list has so many entries, all the same. */
function* requestsOf(entriesOfWork: (work: ListWork) => number | undefined): Iterable<LongRequest> {
  for (const name of servedNames) {
    const entries = entriesOfWork(listWork[name]);
    if (entries === undefined) continue;
    const api = apis[name];
    const version = api.highestStableVersion;
    const layout = layoutOf(api.request, version);
    for (const path of listPaths(layout)) {
      yield { name, version, path, body: structMaker(layout, { entries, isRepeated: true, path })(0) };
    }
  }
}

/** An agent that counts how often it lets others have their turn, and what it asks. */
async function startCounting() {
  let turns = 0;
  const clock: Clock = Object.assign(Object.create(systemClock) as Clock, {
    after(delayMs: number, run: () => void) {
      if (delayMs === 0) turns++;
      return systemClock.after(delayMs, run);
    },
  });
  const counting = countingAccess(true);
  const agent = await startLeaderAgent({}, { accessOf: () => counting.access, clock });
  const session = openSession({ remoteAddress: '10.0.0.7', remotePort: 40_000 });
  async function serve({ name, version, body }: LongRequest) {
    const before = { turns, questions: counting.questions() };
    const answer = await agent.server.serve({
      api: apis[name],
      apiVersion: version,
      correlationId: 7,
      clientId: 'test',
      body: body as never,
      requestBytes: 0,
      session,
      closed: new AbortController().signal,
    });
    return { answer, turns: turns - before.turns, questions: counting.questions() - before.questions };
  }
  return { serve, [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose]() };
}

test('the table of work for lists says which requests have lists', () => {
  for (const name of servedNames) {
    const { request, versions } = apis[name];
    const layouts = [versions.lowest, apis[name].highestStableVersion].map((one) => layoutOf(request, one));
    const hasLists = layouts.some((layout) => listPaths(layout).length > 0);
    assert.equal(listWork[name] !== 'noList', hasLists, name);
  }
});

test('a request with more entries than its API takes ends the connection, before any permission check', async () => {
  await using agent = await startCounting();
  let requests = 0;
  for (const request of requestsOf((work) => (work === 'noList' ? undefined : entriesMax(work) + 1))) {
    requests++;
    const label = `${request.name} ${request.path}`;
    const { answer, turns, questions } = await agent.serve(request);
    assert.deepEqual({ answer, turns, questions }, { answer: 'close', turns: 0, questions: 0 }, label);
  }
  assert.ok(requests > 50);
});

test('long lists of reading requests are served in turns', async () => {
  await using agent = await startCounting();
  const entries = 9_999;
  const seen = new Set<string>();
  const isInTurns = (work: ListWork) => work === 'turns' || typeof work === 'object';
  for (const { name, version, path, body } of requestsOf((work) => (isInTurns(work) ? entries : undefined))) {
    // Names of configs are looked up in those that there are, and nothing is forgotten without a session.
    if (path.endsWith('configurationKeys[]') || path.startsWith('forgottenTopicsData')) continue;
    const distinct = { ...body };
    const layout = layoutOf(apis[name].request, version);
    Object.assign(distinct, structMaker(layout, { entries, isRepeated: false, path })(0));
    const { answer, turns } = await agent.serve({ name, version, path, body: distinct });
    assert.ok(
      turns >= Math.floor(entries / brokerLimits.entriesPerTurnMax),
      `${name} ${path}: ${turns} turns`,
    );
    const work: ListWork = listWork[name];
    if (typeof work === 'object') {
      const answers = (answer as Record<string, readonly unknown[]>)[work.answers]!;
      assert.equal(answers.length, entries, name);
    }
    seen.add(name);
  }
  assert.deepEqual([...seen].sort(), servedNames.filter((name) => isInTurns(listWork[name])).sort());
});

test('no long list of any request occupies the thread', async () => {
  await using agent = await startCounting();
  for (const { name, version, path } of requestsOf((work) => (work === 'noList' ? undefined : 1))) {
    const entries = Math.min(entriesMax(listWork[name]), 20_000);
    const layout = layoutOf(apis[name].request, version);
    const body = structMaker(layout, { entries, isRepeated: false, path })(0);
    const what = `${name} with ${entries} ${path}`;
    await requireShortTurns(() => agent.serve({ name, version, path, body }), { what });
  }
});

test('the control plane is asked to set configs for parts of a long list, and all are answered in order', async () => {
  const sizes: number[] = [];
  await using agent = await startLeaderAgent(
    {},
    {
      port: (node) =>
        new Proxy<ClusterPort>(node, {
          get(target, name) {
            const member: unknown = Reflect.get(target, name);
            if (typeof member !== 'function') return member;
            return (...args: unknown[]) => {
              if (name === 'createTopics') sizes.push(entriesIn(args[0] as readonly { configs: object }[]));
              if (name === 'alterConfigs')
                sizes.push(changesIn(args[0] as readonly { changes: unknown[] }[]));
              return member.apply(target, args);
            };
          },
        }),
    },
  );
  const entriesIn = (topics: readonly { readonly configs: object }[]) =>
    topics.reduce((sum, { configs }) => sum + 1 + Object.keys(configs).length, 0);
  const changesIn = (resources: readonly { readonly changes: readonly unknown[] }[]) =>
    resources.reduce((sum, { changes }) => sum + 1 + changes.length, 0);
  const configs = Array.from({ length: 19 }, (_, index) => ({ name: `unknown-${index}`, value: '1' }));
  const names = Array.from({ length: 500 }, (_, index) => `topic-${index}`);
  // 20 entries each, in parts that end with the entry that makes them whole.
  const partsMin = (names.length * 20) / (brokerLimits.entriesPerTurnMax + 20);
  const requirePartsOf = (answers: readonly string[], repeated = 0) => {
    assert.deepEqual(answers, names);
    assert.ok(sizes.length >= partsMin, `${sizes.length} calls`);
    assert.ok(Math.max(...sizes) < brokerLimits.entriesPerTurnMax + 20, `${sizes}`);
    assert.equal(
      sizes.splice(0).reduce((sum, size) => sum + size, 0),
      (names.length - repeated) * 20,
    );
  };
  const topics = names.map((name) => ({
    name,
    numPartitions: 1,
    replicationFactor: 1,
    assignments: [],
    configs,
  }));
  for (const validateOnly of [true, false]) {
    const created = answered(await agent.call('CreateTopics', 7, { topics, timeoutMs: 0, validateOnly }));
    requirePartsOf(created.topics.map(({ name }) => name));
    assert.deepEqual(
      [...new Set(created.topics.map(({ errorCode }) => errorName(errorCode)))],
      ['INVALID_CONFIG'],
    );
  }
  const changes = configs.map((config) => ({ ...config, configOperation: 0 }));
  const resources = names.map((resourceName) => ({ resourceType: 32, resourceName, configs: changes }));
  const altered = answered(
    await agent.call('IncrementalAlterConfigs', 1, { resources, validateOnly: false }),
  );
  requirePartsOf(altered.responses.map(({ resourceName }) => resourceName));
  assert.deepEqual(
    [...new Set(altered.responses.map(({ errorCode }) => errorName(errorCode)))],
    ['INVALID_CONFIG'],
  );

  // A resource that is named twice is refused, in whichever part it is.
  const again = answered(
    await agent.call('IncrementalAlterConfigs', 1, {
      resources: [...resources, resources[0]!],
      validateOnly: false,
    }),
  );
  const codes = again.responses.map(({ errorCode }) => errorName(errorCode));
  assert.deepEqual(
    [codes[0], codes[1], codes.at(-1)],
    ['INVALID_REQUEST', 'INVALID_CONFIG', 'INVALID_REQUEST'],
  );
});

test('a resource with more configs than there could be is refused before any call', async () => {
  const calls: string[] = [];
  await using agent = await startLeaderAgent(
    {},
    {
      port: (node) =>
        new Proxy<ClusterPort>(node, {
          get(target, name) {
            if (name === 'createTopics' || name === 'alterConfigs') calls.push(name);
            const member: unknown = Reflect.get(target, name);
            return typeof member === 'function' ? member.bind(target) : member;
          },
        }),
    },
  );
  const configs = Array.from({ length: brokerLimits.configsPerResourceMax + 1 }, (_, index) => ({
    name: `unknown-${index}`,
    value: '1',
    configOperation: 0,
  }));
  const topic = { name: 'topic', numPartitions: 1, replicationFactor: 1, assignments: [], configs };
  const created = answered(await agent.call('CreateTopics', 7, { topics: [topic], timeoutMs: 0 }));
  assert.equal(errorName(created.topics[0]!.errorCode), 'INVALID_CONFIG');
  const resource = { resourceType: 32, resourceName: 'group', configs };
  for (const name of ['AlterConfigs', 'IncrementalAlterConfigs'] as const) {
    const altered = answered(await agent.call(name, 1, { resources: [resource], validateOnly: false }));
    assert.equal(errorName(altered.responses[0]!.errorCode), 'INVALID_REQUEST', name);
  }
  assert.deepEqual(calls, []);
});

test('parts of a list are answered in the order of the request', async () => {
  await using agent = await startLeaderAgent();
  const keys = Array.from({ length: 3 * brokerLimits.entriesPerTurnMax + 1 }, (_, index) => `group-${index}`);
  const found = answered(
    await agent.call('FindCoordinator', 4, { key: '', keyType: 0, coordinatorKeys: keys }),
  );
  assert.deepEqual(
    found.coordinators.map(({ key }) => key),
    keys,
  );
  const described = answered(
    await agent.call('DescribeGroups', 5, { groups: keys, includeAuthorizedOperations: false }),
  );
  assert.deepEqual(
    described.groups.map(({ groupId }) => groupId),
    keys,
  );
  assert.equal(described.throttleTimeMs, 0);
});

test('a request with too many entries is refused as a whole, before any permission check or call', async () => {
  const counting = countingAccess(true);
  const calls: string[] = [];
  await using agent = await startLeaderAgent(
    {},
    {
      accessOf: () => counting.access,
      port: (node) =>
        new Proxy<ClusterPort>(node, {
          get(target, name) {
            if (name === 'createTopics' || name === 'deleteTopics') calls.push(name);
            const member: unknown = Reflect.get(target, name);
            return typeof member === 'function' ? member.bind(target) : member;
          },
        }),
    },
  );
  const names = Array.from({ length: brokerLimits.namedPerRequestMax + 1 }, (_, index) => `topic-${index}`);
  const topics = names.map((name) => ({
    name,
    numPartitions: 1,
    replicationFactor: 1,
    assignments: [],
    configs: [],
  }));
  const created = answered(await agent.call('CreateTopics', 7, { topics, timeoutMs: 0 }));
  assert.deepEqual([...new Set(created.topics.map(({ errorCode }) => errorName(errorCode)))], refused);
  assert.equal(created.topics.length, names.length);
  const deleted = answered(await agent.call('DeleteTopics', 5, { topicNames: names, timeoutMs: 0 }));
  assert.deepEqual([...new Set(deleted.responses.map(({ errorCode }) => errorName(errorCode)))], refused);
  assert.equal(counting.questions(), 0);
  assert.deepEqual(calls, []);
});

const refused = ['INVALID_REQUEST'];
