import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { missingTool } from '../apache/tools.ts';
import { openJavaClient } from './java-client.ts';
import { lastFirst, startCluster } from './weir-process.ts';

/** Apache's share consumers, 4.3.1, while the control plane that coordinates them is killed. */
const skip = missingTool();
const java = skip ? undefined! : openJavaClient({ after });
const pollMs = 500;

test('members on two agents lose nothing, and get nothing twice, when the control plane fails over', {
  skip,
  timeout: 180_000,
}, async (t) => {
  const cluster = await startCluster(lastFirst(t), {
    agents: [{ zone: 'a' }, { zone: 'b' }],
    controlPlanes: 2,
  });
  const servers = cluster.agents.map((agent) => agent.address('Kafka'));
  const on = <Answer>(index: number, command: string, ...args: readonly (string | number)[]) =>
    java.ask<Answer>(command, servers[index]!, ...args);
  await on(0, 'create-topic', 'survivors', 1);
  await on(0, 'share-config', 'survivors-group', 'share.auto.offset.reset=earliest');
  await on(0, 'produce', 'survivors', 1, 200, 1_700_000_000_000);
  for (const [index, member] of ['survivor-a', 'survivor-b'].entries()) {
    const settings = [
      'share.acknowledgement.mode=explicit',
      'max.poll.records=20',
      'share.acquire.mode=record_limit',
    ];
    await on(index, 'share-join', member, 'survivors-group', 'survivors', ...settings);
  }
  const read = new Set<string>();
  const accepted = new Set<string>();
  /** Reads and commits once with each member. Whether a commit with a lost answer took effect shows later. */
  const round = async () => {
    for (const [index, member] of ['survivor-a', 'survivor-b'].entries()) {
      const records = await on<readonly string[]>(index, 'share-poll', member, pollMs, 'accept');
      const places = records.map((record) => record.split('#')[0]!);
      for (const place of places) {
        assert.ok(!accepted.has(place), `${place} was accepted before`);
        read.add(place);
      }
      const outcome = await on<Readonly<Record<string, string>>>(index, 'share-commit', member);
      if (outcome['survivors-0'] === 'OK') for (const place of places) accepted.add(place);
    }
  };
  while (accepted.size < 60) await round();
  await cluster.controlPlanes[0]!.kill();
  const isDone = async () => {
    const { 'survivors-0': where } = await on<Readonly<Record<string, string>>>(
      1,
      'share-offsets',
      'survivors-group',
    );
    return where === '200 lag 0';
  };
  while (!(await isDone())) await round();
  assert.equal(read.size, 200, 'nothing was lost');
  for (const member of ['survivor-a', 'survivor-b']) await on(0, 'share-close', member);
});
