import type { Address } from '@weir/client';
import { startApache } from '../../../bench/kafka/apache.ts';
import { Lifetime } from '../../../bench/kafka/lifetime.ts';
import { lastFirst, startLocal } from '../brokers/weir-process.ts';
import { buildApacheKafka } from '../connectors/apache-kafka.ts';
import type { Sides } from './pair.ts';
import { Side } from './side.ts';

/**
 * Settings of Apache Kafka beside its defaults: every client may do everything, and groups begin at once. The same is
 * set on Weir where it has another default.
 */
const apacheSettings = [
  'authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  'super.users=User:ANONYMOUS',
  'group.initial.rebalance.delay.ms=0',
  'offsets.topic.num.partitions=1',
  'transaction.state.log.num.partitions=1',
  'share.coordinator.state.topic.num.partitions=1',
];

const weirSettings = { 'group.initial.rebalance.delay.ms': '0' };

/** Starts both servers for as long as the work takes. */
export async function withBothServers<Result>(work: (sides: Sides) => Promise<Result>): Promise<Result> {
  const classPath = buildApacheKafka();
  return Lifetime.during(async (processes) => {
    const cleanUps: (() => Promise<void>)[] = [];
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, async () => {
        Lifetime.endAll();
        for (const cleanUp of cleanUps) await cleanUp();
        process.exit(1);
      });
    }
    const lifetime = lastFirst({ after: (cleanUp) => void cleanUps.push(cleanUp) });
    try {
      const [apache, weir] = await Promise.all([
        startApache(processes, classPath, apacheSettings),
        startLocal(lifetime),
      ]);
      const sides = {
        apache: new Side('apache', addressOf(apache.servers)),
        weir: new Side('weir', addressOf(weir.address('Kafka'))),
      };
      for (const side of [sides.apache, sides.weir]) await side.introduce();
      await configureWeir(sides.weir);
      for (const side of [sides.apache, sides.weir]) await warmUp(side);
      const result = await work(sides);
      for (const side of [sides.apache, sides.weir]) side.close();
      return result;
    } finally {
      for (const cleanUp of cleanUps) await cleanUp();
    }
  });
}

function addressOf(server: string): Address {
  const [host = '', port] = server.split(':');
  return { host, port: Number(port) };
}

async function configureWeir(side: Side): Promise<void> {
  const changed = await side.answer('IncrementalAlterConfigs', 1, {
    resources: [
      {
        resourceType: 4,
        resourceName: '',
        configs: Object.entries(weirSettings).map(([name, value]) => ({ name, configOperation: 0, value })),
      },
    ],
    validateOnly: false,
  });
  if (changed.responses[0]?.errorCode !== 0) throw new Error('Weir did not take the settings of this test');
}

/** Uses each coordinator once: Apache Kafka creates its internal topics for the first who asks. */
async function warmUp(side: Side): Promise<void> {
  for (const keyType of [0, 1, 2]) {
    await side.answer('FindCoordinator', 6, {
      keyType,
      coordinatorKeys: [keyType === 2 ? 'warm-up:AAAAAAAAAAAAAAAAAAAAAQ:0' : 'warm-up'],
    });
  }
  await side.answer('InitProducerId', 5, { transactionalId: 'warm-up', transactionTimeoutMs: 60_000 });
  await side.answer('OffsetCommit', 9, {
    groupId: 'warm-up',
    generationIdOrMemberEpoch: -1,
    memberId: '',
    topics: [],
  });
}
