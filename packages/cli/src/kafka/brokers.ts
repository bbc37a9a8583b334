import type { Broker, KafkaCluster } from './cluster.ts';
import type { KafkaConnection } from './connection.ts';

/** How many brokers are asked concurrently. */
const askedAtOnce = 16;

/** Sends the same request to every broker of the cluster, and returns the answers in the order of the broker ids. */
export async function askBrokers<Answer>(
  cluster: KafkaCluster,
  ask: (connection: KafkaConnection) => Promise<Answer>,
): Promise<readonly { readonly broker: Broker; readonly answer: Answer }[]> {
  const { brokers } = await cluster.retrying(() => cluster.metadata([]));
  const sorted = brokers.toSorted((a, b) => a.nodeId - b.nodeId);
  const answers: { broker: Broker; answer: Answer }[] = [];
  for (let at = 0; at < sorted.length; at += askedAtOnce) {
    answers.push(
      ...(await Promise.all(
        sorted.slice(at, at + askedAtOnce).map(async (broker) => ({
          broker,
          answer: await cluster.retrying(async () => ask(await cluster.connectionTo(broker))),
        })),
      )),
    );
  }
  return answers;
}
