import { test } from 'node:test';
import { createTopic } from '../brokers/topics.ts';
import { lastFirst, startCluster } from '../brokers/weir-process.ts';

/** Agents that know one control plane, which may be leader or standby. */
test('an agent becomes ready wherever it begins, also after a failover', async (t) => {
  const { addAgent, controlPlanes } = await startCluster(lastFirst(t), { agents: [], controlPlanes: 2 });
  await Promise.all([0, 1].map((controlPlane) => addAgent({ zone: 'zone-a', controlPlane })));
  await controlPlanes[0]!.kill();
  const late = await addAgent({ zone: 'zone-a', controlPlane: 1 });
  await createTopic(late.address('Kafka'), 'orders', 1);
});
