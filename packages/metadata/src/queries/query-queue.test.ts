import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ClaimedQuery,
  NotLeader,
  type QueryOutcome,
  type QueryReport,
  queryLimitMsMax,
  querySilenceMsMax,
} from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { HandClock, settle } from '@weir/core/testing';
import fc from 'fast-check';
import { metadataLimits } from '../limits.ts';
import { QueryQueue } from './query-queue.ts';

/** A queue whose agents and callers the test plays. */
function stage(livingAgents: readonly string[] = ['a', 'b', 'c']) {
  const clock = new HandClock();
  const loads = new Map(livingAgents.map((agentId) => [agentId, 0.5]));
  const outcomes: string[] = [];
  let activeCount = 0;
  const queue = new QueryQueue({
    clock,
    agents: { cpuLoadOf: (agentId) => loads.get(agentId) },
    metrics: {
      began: () => activeCount++,
      moved: () => outcomes.push('moved'),
      ended(outcome) {
        activeCount--;
        outcomes.push(outcome);
      },
    },
  });
  return {
    clock,
    loads,
    queue,
    outcomes,
    activeCount: () => activeCount,
    run: (queryId: string, limitMs = 30_000) =>
      queue.run({ queryId, request: Buffer.from(`ask ${queryId}`), limitMs }),
    take: (agentId: string, waitMs = 20_000) => queue.take({ agentId, waitMs }),
    report: (agentId: string, queryId: string, state: QueryReport['state'], answer?: string) =>
      queue.report({
        agentId,
        queryId,
        state,
        answer: answer === undefined ? null : Buffer.from(answer),
        message: state === 'failed' ? 'the bucket is away' : '',
      }),
  };
}

function summaryOf(outcome: QueryOutcome): string {
  if (outcome.kind === 'refused') return outcome.refusal;
  return `${Buffer.from(outcome.answer)} by ${outcome.agentId}${outcome.isLast ? '' : ', so far'}`;
}

test('a query goes to a polling agent, and its answer is returned', async () => {
  const { run, take, report, outcomes, activeCount } = stage();
  const taken = take('a');
  const outcome = run('q1', 10_000);
  const query = (await taken)!;
  assert.deepEqual([query.queryId, String(query.request), query.limitMs], ['q1', 'ask q1', 10_000]);
  assert.equal(report('a', 'q1', 'running'), true);
  assert.equal(report('a', 'q1', 'done', 'found'), false);
  assert.equal(summaryOf(await outcome), 'found by a');
  assert.deepEqual([outcomes, activeCount()], [['answered'], 0]);
});

test('the order of poll and query does not matter', async () => {
  const { run, take, report } = stage();
  const outcome = run('q1');
  assert.equal((await take('a'))!.queryId, 'q1');
  report('a', 'q1', 'done', 'found');
  assert.equal(summaryOf(await outcome), 'found by a');
});

test('the agent with the fewest queries gets the next one, and on a tie the one with the lower load', async () => {
  const { run, take, loads, clock } = stage();
  loads.set('b', 0.1);
  const first = take('a');
  const second = take('b');
  void run('q1');
  assert.equal((await second)!.queryId, 'q1', 'the lower load');
  const third = take('b');
  void run('q2');
  assert.equal((await first)!.queryId, 'q2', 'fewer queries, whatever the load');
  void run('q3');
  assert.equal((await third)!.queryId, 'q3', 'the one that waits');
  await clock.pass(0);
});

test('an agent polls again after a timeout, and a new poll ends the old one', async () => {
  const { take, clock } = stage();
  const old = take('a', 1_000);
  const newer = take('a', 1_000);
  assert.equal(await old, null);
  await clock.pass(1_000);
  assert.equal(await newer, null);
});

test('a repeated query id waits for the same answer', async () => {
  const { run, take, report } = stage();
  const taken = take('a');
  const both = [run('q1'), run('q1')];
  await taken;
  report('a', 'q1', 'done', 'found');
  assert.deepEqual((await Promise.all(both)).map(summaryOf), ['found by a', 'found by a']);
});

test('without an engine a query waits briefly, and is then refused', async () => {
  const { run, take, clock } = stage();
  void run('q1');
  await clock.pass(2_000);
  assert.equal((await take('a'))!.queryId, 'q1');
  const { run: runAlone, clock: alone } = stage();
  const unlucky = runAlone('q2');
  await alone.pass(3_500);
  assert.equal(summaryOf(await unlucky), 'noEngine');
});

test('queries beyond the limit of all agents are refused at once', async () => {
  const { run, take, report } = stage(['a']);
  const running: Promise<QueryOutcome>[] = [];
  for (let count = 0; count < clusterLimits.queriesPerAgentMax; count++) {
    const taken = take('a');
    running.push(run(`q${count}`));
    await taken;
  }
  assert.equal(summaryOf(await run('one more')), 'tooMany');
  report('a', 'q0', 'done', 'found');
  const taken = take('a');
  void run('another');
  assert.equal((await taken)!.queryId, 'another');
});

test('a request that is too long is refused', async () => {
  const { queue } = stage();
  const request = Buffer.alloc(metadataLimits.queryRequestBytesMax + 1);
  assert.equal(summaryOf(await queue.run({ queryId: 'q', request, limitMs: 1 })), 'tooLarge');
});

test('an answer that is too long fails the query', async () => {
  const { run, take, queue } = stage();
  const outcome = run('q1');
  await take('a');
  const answer = Buffer.alloc(metadataLimits.queryAnswerBytesMax + 1);
  queue.report({ agentId: 'a', queryId: 'q1', state: 'done', answer, message: '' });
  assert.equal(summaryOf(await outcome), 'failed');
});

test('the error of an agent is returned unchanged', async () => {
  const { run, take, report } = stage();
  const outcome = run('q1');
  await take('a');
  report('a', 'q1', 'failed');
  assert.deepEqual(await outcome, { kind: 'refused', refusal: 'failed', message: 'the bucket is away' });
});

const losses: readonly [what: string, lose: (world: ReturnType<typeof stage>) => Promise<unknown>][] = [
  ['is silent', ({ clock }) => clock.pass(querySilenceMsMax + 500)],
  [
    'dies',
    async ({ clock, loads }) => {
      loads.delete('a');
      await clock.pass(500);
    },
  ],
  [
    'stops',
    async ({ report }) => {
      report('a', 'q1', 'givenUp');
    },
  ],
];

for (const [what, lose] of losses) {
  test(`a query whose agent ${what} goes to another`, async () => {
    const world = stage();
    const { run, take, report, outcomes } = world;
    const outcome = run('q1');
    await take('a');
    await lose(world);
    assert.equal((await take('b'))!.queryId, 'q1');
    assert.equal(report('a', 'q1', 'running'), false, 'the first one need not go on');
    report('b', 'q1', 'done', 'found');
    assert.equal(summaryOf(await outcome), 'found by b');
    assert.deepEqual(outcomes, ['moved', 'answered']);
  });
}

test('the loss of a second agent ends the query with partial results', async () => {
  for (const [found, end] of [
    ['half', 'half by a, so far'],
    [undefined, 'noAnswer'],
  ] as const) {
    const { run, take, report, clock } = stage();
    const outcome = run('q1');
    await take('a');
    report('a', 'q1', 'running', found);
    await clock.pass(querySilenceMsMax + 500);
    await take('b');
    await clock.pass(querySilenceMsMax + 500);
    assert.equal(summaryOf(await outcome), end);
  }
});

test('at its deadline a query ends with partial results', async () => {
  for (const [found, end] of [
    ['half', 'half by a, so far'],
    [undefined, 'noAnswer'],
  ] as const) {
    const { run, take, report, clock } = stage();
    const outcome = run('q1', 1_000);
    await take('a');
    report('a', 'q1', 'running', found);
    await clock.pass(3_500);
    assert.equal(summaryOf(await outcome), end);
    assert.equal(report('a', 'q1', 'done', 'late'), false);
  }
});

test('a caller cannot exceed the maximum duration of a query', async () => {
  const { run, take } = stage();
  const taken = take('a');
  void run('q1', 1e9);
  assert.equal((await taken)!.limitMs, queryLimitMsMax);
});

test('a cancelled query ends at once, and its agent is notified', async () => {
  const { run, take, report, queue } = stage();
  const outcome = run('q1');
  await take('a');
  queue.cancel('q1');
  queue.cancel('unknown');
  assert.equal(summaryOf(await outcome), 'cancelled');
  assert.equal(report('a', 'q1', 'running'), false);
});

test('a closing queue sends callers and agents to the next leader', async () => {
  const { run, take, queue, activeCount } = stage();
  const waiting = take('a');
  const lost = assert.rejects(run('q1'), NotLeader);
  await waiting;
  const idle = take('b');
  queue.close('the lease is over');
  await lost;
  assert.equal(await idle, null);
  await assert.rejects(take('a'), NotLeader);
  await assert.rejects(run('q2'), NotLeader);
  assert.equal(activeCount(), 0);
});

test('every query ends, and no agent gets more than its limit, under any order of events', async () => {
  const agent = fc.constantFrom('a', 'b', 'c');
  const step = fc.oneof(
    fc.record({ kind: fc.constant('run' as const), limitMs: fc.integer({ min: 0, max: 40_000 }) }),
    fc.record({ kind: fc.constant('take' as const), agent, waitMs: fc.integer({ min: 0, max: 30_000 }) }),
    fc.record({
      kind: fc.constant('report' as const),
      pick: fc.nat(),
      state: fc.constantFrom('running' as const, 'done' as const, 'failed' as const, 'givenUp' as const),
      answer: fc.option(fc.string({ maxLength: 20 }), { nil: undefined }),
    }),
    fc.record({ kind: fc.constant('cancel' as const), pick: fc.nat() }),
    fc.record({ kind: fc.constant('die' as const), agent }),
    fc.record({ kind: fc.constant('revive' as const), agent }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 8_000 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const { run, take, report, queue, clock, loads, activeCount } = stage();
      /** The queries that each agent got and has not ended, from its own view: as if none was ever lost. */
      const held = new Map<string, Set<string>>();
      const given: { readonly agentId: string; readonly queryId: string }[] = [];
      let started = 0;
      let ended = 0;
      const note = (agentId: string) => (query: ClaimedQuery | null) => {
        if (query === null) return;
        const mine = held.get(agentId) ?? new Set();
        held.set(agentId, mine.add(query.queryId));
        given.push({ agentId, queryId: query.queryId });
      };
      for (const one of steps) {
        if (one.kind === 'run') {
          void run(`q${started++}`, one.limitMs).then(({ kind }) => {
            assert.ok(kind === 'answered' || kind === 'refused');
            ended++;
          });
        } else if (one.kind === 'take') {
          // An agent polls only below its limit.
          if ((held.get(one.agent)?.size ?? 0) < clusterLimits.queriesPerAgentMax)
            void take(one.agent, one.waitMs).then(note(one.agent));
        } else if (one.kind === 'report' && given.length > 0) {
          const { agentId, queryId } = given[one.pick % given.length]!;
          const isWanted = report(agentId, queryId, one.state, one.answer);
          assert.ok(one.state === 'running' || !isWanted);
          if (!isWanted) held.get(agentId)?.delete(queryId);
        } else if (one.kind === 'cancel') queue.cancel(`q${one.pick % (started + 1)}`);
        else if (one.kind === 'die') loads.delete(one.agent);
        else if (one.kind === 'revive') loads.set(one.agent, 0.2);
        else if (one.kind === 'pass') await clock.pass(one.ms);
        await settle();
        assert.ok(activeCount() <= 3 * clusterLimits.queriesPerAgentMax + metadataLimits.queriesWaitingMax);
        for (const mine of held.values()) assert.ok(mine.size <= clusterLimits.queriesPerAgentMax);
      }
      await clock.pass(queryLimitMsMax + 5_000);
      assert.deepEqual([ended, activeCount()], [started, 0]);
    }),
    { numRuns: 200 },
  );
});
