import { apis, errorByCode } from '@weir/wire';
import { connect } from './stored.ts';

interface NewTopic {
  readonly configs?: Readonly<Record<string, string>>;
  readonly replicas?: number;
}

/** Creates a topic for clients that cannot do it themselves. */
export async function createTopic(
  broker: string,
  name: string,
  numPartitions: number,
  { configs = {}, replicas = 1 }: NewTopic = {},
): Promise<void> {
  const connection = await connect(broker);
  const configsOfTopic = Object.entries(configs).map(([name, value]) => ({ name, value }));
  try {
    const { topics } = await connection.request(
      apis.CreateTopics,
      {
        topics: [
          { name, numPartitions, replicationFactor: replicas, assignments: [], configs: configsOfTopic },
        ],
        timeoutMs: 30_000,
      },
      { timeoutMs: 60_000 },
    );
    const { errorCode, errorMessage } = topics[0]!;
    if (errorCode !== 0)
      throw new Error(`CreateTopics of ${name}: ${errorByCode(errorCode)?.name} ${errorMessage}`);
  } finally {
    connection.close();
  }
}

/** Returns distinct values that compress well enough for every client to compress them. */
export function numberedValues(count: number, name = 'value'): readonly string[] {
  return Array.from({ length: count }, (_, number) => `${name} ${number} ${'weir '.repeat(20)}`);
}
