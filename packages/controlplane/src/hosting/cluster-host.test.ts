import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { Metrics, silentLog, systemClock } from '@weir/core';
import { type Journal, type JournalHub, openJournals } from '@weir/journal';
import { until } from '../../testing/until.ts';
import { clusterCalled } from '../../testing/virtual-cluster.ts';
import type { VirtualCluster } from '../accounts/workspaces/virtual-clusters.ts';
import { ClusterHost, type ClusterHostOptions } from './cluster-host.ts';

function journalsOf(t: TestContext, database: string): JournalHub {
  const hub = openJournals(database, { clock: systemClock, log: silentLog });
  t.after(() => hub.close());
  return hub;
}

/** The object with some methods replaced; the others are called on the object itself. */
function overriding<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(name in methods ? methods : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function startHost(t: TestContext, options: Pick<ClusterHostOptions, 'list'> & Partial<ClusterHostOptions>) {
  const host = new ClusterHost({
    hub: options.hub ?? journalsOf(t, `memory://${randomUUID()}`),
    self: () => ({ id: 'one', url: 'http://one' }),
    clock: systemClock,
    log: silentLog,
    metrics: new Metrics(),
    ...options,
  });
  t.after(() => host.stop());
  return host;
}

test('every cluster of the registry has a node, and no other', async (t) => {
  let registry: readonly VirtualCluster[] = [clusterCalled('a'), clusterCalled('b')];
  const host = startHost(t, { list: async () => registry });
  assert.equal(host.isReady, false);
  await host.start();
  assert.equal(host.isReady, true);
  await until(() => host.leading().length === 2);

  registry = [clusterCalled('b'), clusterCalled('c')];
  await host.refresh();
  assert.deepEqual(
    host.all().map(({ cluster }) => cluster.id),
    ['vci_b', 'vci_c'],
  );
  assert.equal(host.node('vci_a'), undefined);
  const before = host.node('vci_b');
  registry = [{ ...clusterCalled('b'), name: 'vcn_renamed' }];
  await host.refresh();
  assert.equal(host.cluster('vci_b')?.name, 'vcn_renamed');
  assert.equal(host.node('vci_b'), before, 'a renamed cluster is not restarted');
});

test('a standby has caught up once the journals of its clusters are read', async (t) => {
  const database = `memory://${randomUUID()}`;
  const list = async () => [clusterCalled('a'), clusterCalled('b')];
  const leader = startHost(t, { hub: journalsOf(t, database), list });
  await leader.start();
  await until(() => leader.leading().length === 2);
  assert.equal(leader.hasCaughtUp, true);

  const reading = Promise.withResolvers<void>();
  const hub = journalsOf(t, database);
  const journal = (clusterId: string) => {
    const opened = hub.journal(clusterId);
    const loadSnapshot: Journal['loadSnapshot'] = async (positionMax) => {
      if (clusterId === 'vci_b') await reading.promise;
      return opened.loadSnapshot(positionMax);
    };
    return overriding(opened, { loadSnapshot });
  };
  const standby = startHost(t, {
    hub: overriding(hub, { journal }),
    self: () => ({ id: 'two', url: 'http://two' }),
    list,
  });
  assert.equal(standby.hasCaughtUp, false, 'it has not listed them');
  await standby.start();
  await until(() => standby.node('vci_a')?.hasCaughtUp === true);
  assert.equal(standby.hasCaughtUp, false, 'one of two is behind');
  assert.equal(standby.isReady, true, 'but it is alive');
  reading.resolve();
  await until(() => standby.hasCaughtUp);
});

test('a restored cluster gets a node when its last one has ended, and retains its data', async (t) => {
  let registry: readonly VirtualCluster[] = [clusterCalled('a')];
  const ends = Promise.withResolvers<void>();
  const attached: string[] = [];
  const host = startHost(t, {
    list: async () => registry,
    attach: (_node, { id }) => {
      attached.push(id);
      return () => ends.promise;
    },
  });
  await host.start();
  await until(() => host.leading().length === 1);
  await host
    .node('vci_a')!
    .createTopics([{ name: 'orders', partitionCount: 1, configs: {} }], { validateOnly: false });
  registry = [];
  await host.refresh();
  registry = [clusterCalled('a')];
  await host.refresh();
  assert.equal(host.node('vci_a'), undefined, 'the last one has not ended yet');
  ends.resolve();
  await until(async () => {
    await host.refresh();
    return host.leading().length === 1;
  });
  assert.deepEqual(attached, ['vci_a', 'vci_a']);
  const names = await new Promise<string[]>((resolve) => {
    host.node('vci_a')!.follow({
      onSnapshot: ({ topics }) => resolve(topics.map(({ name }) => name)),
      onChanges: () => {},
    });
  });
  assert.deepEqual(names, ['orders']);
});

test('an unreadable registry does not stop a cluster', async (t) => {
  let isAway = false;
  const host = startHost(t, {
    list: async () => {
      if (isAway) throw new Error('away');
      return [clusterCalled('a')];
    },
  });
  await host.start();
  isAway = true;
  await host.refresh();
  assert.notEqual(host.node('vci_a'), undefined);
});

test('concurrent refreshes share one that began after the calls', async (t) => {
  const queries: PromiseWithResolvers<readonly VirtualCluster[]>[] = [];
  const host = startHost(t, {
    list: () => {
      const question = Promise.withResolvers<readonly VirtualCluster[]>();
      queries.push(question);
      return question.promise;
    },
  });
  const first = host.refresh();
  await until(() => queries.length === 1);
  const others = [host.refresh(), host.refresh(), host.refresh()];
  queries[0]!.resolve([]);
  await first;
  await until(() => queries.length === 2);
  assert.equal(host.node('vci_new'), undefined);
  queries[1]!.resolve([clusterCalled('new')]);
  await Promise.all(others);
  assert.notEqual(host.node('vci_new'), undefined);
  assert.equal(queries.length, 2);
});
