import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Balancer,
  committedOffsets,
  cooperativeStickyBalancer,
  createTopic,
  KafkaCluster,
  type Place,
  rangeBalancer,
  roundRobinBalancer,
} from '@weir/client';
import { silentLog, systemClock } from '@weir/core';
import { openCluster, until } from '../../testing/kafka-cluster.ts';
import { GroupAssignment } from './group-assignment.ts';
import { type AssignedPlace, type PartitionHolder, placeKey } from './partition-holder.ts';
import { sourceOf } from './subscription.ts';

/** Holds partitions and settles a message of each that it has, so that there is something to commit. */
class Holder implements PartitionHolder {
  readonly offsets = new Map<string, AssignedPlace & { readonly offset: number }>();
  /** What was dropped before a commit of it ended. */
  readonly dropped: string[] = [];
  /** Partitions that were assigned, over time. */
  readonly assigned: string[] = [];

  held(): readonly Place[] {
    return [...this.offsets.values()];
  }

  async assign(places: readonly AssignedPlace[]): Promise<void> {
    for (const place of places) {
      this.offsets.set(placeKey(place), { ...place, offset: (place.offset ?? 0) + 1 });
      this.assigned.push(placeKey(place));
    }
  }

  committable(places: readonly Place[]) {
    return places.flatMap((place) => {
      const held = this.offsets.get(placeKey(place));
      assert.ok(held, 'a partition is not committed after it was dropped');
      return [{ topic: held.topic, partition: held.partition, offset: BigInt(held.offset) }];
    });
  }

  committed(): void {}

  drop(places: readonly Place[]): void {
    for (const place of places) {
      this.dropped.push(placeKey(place));
      this.offsets.delete(placeKey(place));
    }
  }
}

const cases: readonly [name: string, balancers: readonly [Balancer, ...Balancer[]]][] = [
  ['cooperative sticky', [cooperativeStickyBalancer]],
  ['range', [rangeBalancer]],
  ['round robin', [roundRobinBalancer, rangeBalancer]],
];

for (const [name, balancers] of cases) {
  test(`members share partitions, hand them over with their offsets, and go on alone: ${name}`, async (t) => {
    const { cluster, port } = await openCluster(t);
    await createTopic(cluster, { name: 'orders', partitions: 5, configs: [] });
    const source = sourceOf(['orders'], false);
    assert.ok('partitionCounts' in source);
    const join = () => {
      const stop = new AbortController();
      const over = new AbortController();
      const own = new KafkaCluster({
        bootstrap: [{ host: '127.0.0.1', port }],
        clientId: 'test',
        timeoutMs: 20_000,
        clock: systemClock,
        stop: over.signal,
      });
      const holder = new Holder();
      const options = {
        groupId: 'g',
        balancers,
        sessionTimeoutMs: 30_000,
        rebalanceTimeoutMs: 30_000,
        heartbeatMs: 20,
        commitPeriodMs: 20,
        metadataMaxAgeMs: 60_000,
      };
      const member = new GroupAssignment(own, options, source, holder, silentLog);
      const running = member.run(stop.signal);
      const leave = async () => {
        stop.abort();
        await member.leave();
        over.abort();
        await running;
        await own.close();
      };
      return { holder, leave };
    };
    const first = join();
    t.after(first.leave);
    await until(() => first.holder.held().length === 5);
    const second = join();
    t.after(second.leave);
    const held = () => [...first.holder.offsets.keys(), ...second.holder.offsets.keys()];
    await until(() => held().length === 5 && second.holder.held().length >= 2);
    assert.deepEqual(held().toSorted(), ['orders:0', 'orders:1', 'orders:2', 'orders:3', 'orders:4']);
    // What the first gave up was committed before, and the second went on from there.
    for (const { offset } of second.holder.offsets.values()) assert.ok(offset >= 2);
    if (balancers[0] === cooperativeStickyBalancer) {
      assert.equal(first.holder.assigned.length, 5, 'it kept the others');
      assert.equal(first.holder.dropped.length, second.holder.held().length);
    }
    await first.leave();
    await until(() => second.holder.held().length === 5);
    const committed = await committedOffsets(cluster, 'g');
    assert.equal(committed.get('orders')?.size, 5);
  });
}
