import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentDescription } from '@weir/cluster';
import { Metrics, silentLog } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { testAgent } from '../../testing/agent.ts';
import { brokerLimits } from '../limits.ts';
import { Page } from '../read-path/page.ts';
import { avoidMs } from './avoided-peers.ts';
import { pageKeepers, pageOwner } from './page-owner.ts';
import type { PageAddress } from './page-path.ts';
import type { PeerClient } from './peer-client.ts';
import { PeerFailure, type PeerFailureReason } from './peer-failure.ts';
import { ZonePages } from './zone-pages.ts';

const pageBytes = 100;
const fileId = '0'.repeat(32);
const agents = ['self', 'one', 'two'].map((agentId) => testAgent(agentId));

/** Other agents with answers from the test. */
class FakePeers {
  readonly requested: string[] = [];
  readonly answers = new Map<string, () => Promise<Page>>();

  async read(url: string, { index }: PageAddress): Promise<Page> {
    const name = new URL(url).hostname.split('.')[0]!;
    this.requested.push(`${name}/${index}`);
    return (await this.answers.get(name)?.()) ?? new Page([Buffer.alloc(pageBytes, index)]);
  }

  fail(name: string, reason: PeerFailureReason): void {
    this.answers.set(name, () => Promise.reject(new PeerFailure(reason, 'on purpose')));
  }
}

function zone(living: readonly AgentDescription[] = agents) {
  const clock = new HandClock();
  const peers = new FakePeers();
  const metrics = new Metrics();
  const lines: string[] = [];
  const log = {
    ...silentLog,
    warn: (line: string) => lines.push(line),
    info: (line: string) => lines.push(line),
  };
  const view = { agents: living };
  const client = peers as unknown as PeerClient;
  const self = { ...testAgent('self') };
  const pages = new ZonePages({ self, agents: () => view.agents, client, pageBytes, clock, log, metrics });
  return { clock, peers, metrics, lines, view, self, lender: pages.lender };
}

/** Returns the first pages whose keeper is the given agent. */
function pagesOf(agentId: string, count: number, among: readonly AgentDescription[] = agents): number[] {
  const keepers = pageKeepers(among, agents[0]!);
  const found: number[] = [];
  for (let index = 0; found.length < count; index++) {
    if (pageOwner(keepers, fileId, index)!.agentId === agentId) found.push(index);
  }
  return found;
}

test('own pages are not requested, and others are requested from their keepers', async () => {
  const { lender, peers } = zone();
  assert.equal(lender(fileId, pagesOf('self', 1)[0]!), undefined);
  for (const name of ['one', 'two']) {
    const [index] = pagesOf(name, 1);
    assert.equal((await lender(fileId, index!)!.read(fileId, index!)).byteLength, pageBytes);
    assert.equal(peers.requested.at(-1), `${name}/${index}`);
  }
});

test('an agent that is alone, or has no list of agents yet, requests nothing', () => {
  for (const living of [[agents[0]!], []]) {
    const { lender } = zone(living);
    for (let index = 0; index < 20; index++) assert.equal(lender(fileId, index), undefined);
  }
});

test('which failures cause an agent to be avoided', async () => {
  const table: [reason: PeerFailureReason, isAvoided: boolean][] = [
    ['unreachable', true],
    ['silent', true],
    ['refused', true],
    ['broken', true],
    ['missing', false],
    ['busy', false],
  ];
  for (const [reason, isAvoided] of table) {
    const { lender, peers, clock, lines, metrics } = zone();
    const [first, second, third, fourth] = pagesOf('one', 4) as [number, number, number, number];
    peers.fail('one', reason);
    await assert.rejects(lender(fileId, first)!.read(fileId, first), PeerFailure);
    const instead = pageOwner(pageKeepers([agents[0]!, agents[2]!], agents[0]!), fileId, second)!.agentId;
    const next = lender(fileId, second);
    if (!isAvoided) {
      await assert.rejects(next!.read(fileId, second), PeerFailure);
      assert.equal(peers.requested.at(-1), `one/${second}`, reason);
      assert.deepEqual(lines, []);
      continue;
    }
    assert.equal(lines.length, 1);
    if (instead === 'self') assert.equal(next, undefined);
    else await next!.read(fileId, second);
    assert.ok(!peers.requested.includes(`one/${second}`), reason);
    assert.match(metrics.render(), new RegExp(`range_outcome\\{outcome="${reason}"\\} 1\\n`));
    assert.match(metrics.render(), /avoided_peers 1\n/);

    // When its time is over one page is tried, and no other until that one has arrived.
    peers.answers.delete('one');
    clock.advance(avoidMs);
    const probe = lender(fileId, third)!;
    assert.notEqual(lender(fileId, fourth), probe);
    await probe.read(fileId, third);
    assert.equal(peers.requested.at(-1), `one/${third}`);
    assert.equal(lender(fileId, fourth), probe);
    assert.equal(lines.length, 2);
    assert.match(metrics.render(), /avoided_peers 0\n/);
  }
});

test('a request that waits for an agent that fails does not wait for it to fail again', async () => {
  const { lender, peers } = zone();
  let fail = () => {};
  const answer = new Promise<Page>((_, reject) => {
    fail = () => reject(new PeerFailure('silent', 'on purpose'));
  });
  peers.answers.set('one', () => answer);
  const wanted = pagesOf('one', brokerLimits.peerPageReadsPerPeerMax + 20);
  const reads = wanted.map((index) => lender(fileId, index)!.read(fileId, index));
  const outcomes = Promise.allSettled(reads);
  await settle();
  assert.equal(peers.requested.length, brokerLimits.peerPageReadsPerPeerMax);
  fail();
  assert.ok((await outcomes).every(({ status }) => status === 'rejected'));
  assert.equal(peers.requested.length, brokerLimits.peerPageReadsPerPeerMax, 'it got no further request');
});

test('a limited number of pages wait for one agent, and others do not wait', async () => {
  const { lender, peers, metrics } = zone();
  let resolvePage = () => {};
  const answer = new Promise<Page>((resolve) => {
    resolvePage = () => resolve(new Page([Buffer.alloc(1)]));
  });
  peers.answers.set('one', () => answer);
  const roomMax = brokerLimits.peerPageReadsPerPeerMax + brokerLimits.peerPageReadsWaitingMax;
  const outcomes = Promise.allSettled(
    pagesOf('one', roomMax + 5).map((index) => lender(fileId, index)!.read(fileId, index)),
  );
  await settle();
  resolvePage();
  const refused = (await outcomes).filter(({ status }) => status === 'rejected');
  assert.equal(refused.length, 5);
  assert.match(metrics.render(), /range_outcome\{outcome="busy"\} 5\n/);
});

test('requests to all other agents together are limited', async () => {
  const many = Array.from({ length: 20 }, (_, number) => testAgent(`peer-${number}`));
  const { lender, peers } = zone(many);
  for (const { agentId } of many) peers.answers.set(agentId, () => new Promise(() => {}));
  for (let index = 0; index < 200; index++)
    void lender(fileId, index)!
      .read(fileId, index)
      .catch(() => {});
  await settle();
  assert.equal(peers.requested.length, brokerLimits.peerPageReadsMax);
});

test('an agent that learns its zone uses the agents of that zone', async () => {
  const far = testAgent('far', { zone: 'zone-far' });
  const { lender, self, peers } = zone([...agents, far]);
  Object.assign(self, { zone: 'zone-far' });
  await lender(fileId, 0)!.read(fileId, 0);
  assert.deepEqual(peers.requested, ['far/0']);
});

test('an agent that is gone, and one that moved', async () => {
  const { lender, peers, view } = zone();
  const [index] = pagesOf('one', 1) as [number];
  peers.fail('one', 'unreachable');
  await assert.rejects(lender(fileId, index)!.read(fileId, index), PeerFailure);
  view.agents = [agents[0]!, agents[2]!];
  await lender(fileId, pagesOf('two', 1, view.agents)[0]!)!.read(fileId, 0);
  // It is back at another address: its earlier failures are forgotten.
  view.agents = [agents[0]!, testAgent('one', { internalUrl: 'http://elsewhere.test:1' }), agents[2]!];
  await lender(fileId, index)!.read(fileId, index);
  assert.equal(peers.requested.at(-1), `elsewhere/${index}`);
});
