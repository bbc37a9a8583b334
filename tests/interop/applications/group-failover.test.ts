import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { missingTool } from '../apache/tools.ts';
import { lastFirst, startCluster } from '../brokers/weir-process.ts';
import { openApplications } from './application.ts';
import { Member, untilRead, untilShared } from './members.ts';

/**
 * Group members during a control-plane failover and the death of an agent: they keep their assignment and read
 * everything once.
 */
const skip = missingTool();
const lifetime = lastFirst({ after });
const java = skip ? undefined! : openApplications(lifetime);

const protocols = [
  { name: 'classic', settings: { 'group.protocol': 'classic', 'session.timeout.ms': '45000' } },
  { name: 'consumer', settings: { 'group.protocol': 'consumer' } },
] as const;

const partitionCount = 4;
const batchCount = 40;

describe('groups outlive their servers', { skip }, () => {
  test('a killed leader and a killed agent cause no rebalance', { timeout: 180_000 }, async () => {
    const cluster = await startCluster(lifetime, {
      agents: [{ zone: 'zone-a' }, { zone: 'zone-a' }, { zone: 'zone-b' }],
      controlPlanes: 2,
    });
    const servers = cluster.agents.map((agent) => agent.address('Kafka')).join();
    await java.ask('create-topic', { servers, topic: 'lasting', partitions: partitionCount });
    let written = 0;
    const write = async () => {
      const place = { servers, topic: 'lasting', partitions: partitionCount };
      await java.ask('produce', { ...place, first: written, count: batchCount });
      written += batchCount;
    };

    const groups = await Promise.all(
      protocols.map(async ({ name, settings }) => {
        const join = (number: number) =>
          Member.join(java, `${name}-${number}`, { servers, group: `g-${name}`, topic: 'lasting', settings });
        const members = [await join(1), await join(2)];
        await untilShared(members, partitionCount);
        return members;
      }),
    );
    await write();
    for (const members of groups) await untilRead(members, written);
    const all = groups.flat();
    const before = await Promise.all(all.map((member) => member.state()));

    // The first process started is the leader.
    await cluster.controlPlanes[0]!.kill();
    await write();
    for (const members of groups) await untilRead(members, written);
    await cluster.restartControlPlane(0);
    await cluster.agents[0]!.kill();
    await write();
    for (const members of groups) await untilRead(members, written);

    const later = await Promise.all(all.map((member) => member.state()));
    for (const [index, { assigned, assignments, revoked, lost, failure }] of later.entries()) {
      const { name } = all[index]!;
      assert.deepEqual(
        { name, assigned, revoked, lost, failure },
        {
          ...{ name, assigned: before[index]!.assigned, revoked: before[index]!.revoked },
          ...{ lost: [], failure: null },
        },
      );
      assert.equal(assignments, before[index]!.assignments, `${name} was assigned anew`);
    }
    for (const members of groups) {
      const states = await Promise.all(members.map((member) => member.stop()));
      const values = states.flatMap(({ read }) => read.map(([, , , value]) => Number(value)));
      assert.deepEqual(
        values.toSorted((a, b) => a - b),
        Array.from({ length: written }, (_, n) => n),
      );
    }
  });
});
