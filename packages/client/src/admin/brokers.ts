import type { Broker, KafkaCluster } from '../cluster.ts';
import type { KafkaConnection } from '../connection.ts';

/** How many brokers are asked concurrently. */
const brokersAtOnce = 16;

/** Sends the same request to every broker of the cluster, and returns the answers in the order of the broker ids. */
export async function requestFromBrokers<Answer>(
  cluster: KafkaCluster,
  request: (connection: KafkaConnection) => Promise<Answer>,
): Promise<readonly { readonly broker: Broker; readonly answer: Answer }[]> {
  const { brokers } = await cluster.retrying(() => cluster.metadata([]));
  const sorted = brokers.toSorted((a, b) => a.nodeId - b.nodeId);
  const answers: { broker: Broker; answer: Answer }[] = [];
  for (let at = 0; at < sorted.length; at += brokersAtOnce) {
    answers.push(
      ...(await Promise.all(
        sorted.slice(at, at + brokersAtOnce).map(async (broker) => ({
          broker,
          answer: await cluster.retrying(async () => request(await cluster.connectionTo(broker))),
        })),
      )),
    );
  }
  return answers;
}
