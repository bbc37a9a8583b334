import { type Admin, Kafka, logLevel, type Producer } from 'kafkajs';

interface Clients {
  readonly admin: Admin;
  readonly producer: Producer;
  /** Reads one record of a topic as a member of a group, and leaves. */
  consumer(group: string, topic: string): Promise<void>;
  /** Stays a member of a group while something is done. */
  member(group: string, topic: string, act: () => Promise<void>): Promise<void>;
}

/** An admin client whose requests are sent once, for what ACLs deny. */
export async function asDenied(broker: string, use: (admin: Admin) => Promise<void>): Promise<void> {
  const kafka = new Kafka({
    clientId: 'denied',
    brokers: [broker],
    logLevel: logLevel.NOTHING,
    retry: { retries: 0 },
  });
  const admin = kafka.admin();
  await admin.connect();
  await use(admin);
  await admin.disconnect();
}

/** Lets a test fill a cluster as clients do. */
export async function kafkaOf(broker: string, use: (clients: Clients) => Promise<void>): Promise<void> {
  const kafka = new Kafka({ clientId: 'console-test', brokers: [broker], logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  const producer = kafka.producer();
  await Promise.all([admin.connect(), producer.connect()]);
  try {
    await use({
      admin,
      producer,
      consumer: (group, topic) => readOne(kafka, group, topic),
      member: (group, topic, act) => readOne(kafka, group, topic, act),
    });
  } finally {
    await Promise.all([admin.disconnect(), producer.disconnect()]);
  }
}

async function readOne(
  kafka: Kafka,
  groupId: string,
  topic: string,
  act: () => Promise<void> = async () => {},
): Promise<void> {
  const consumer = kafka.consumer({ groupId });
  await consumer.connect();
  try {
    await consumer.subscribe({ topic, fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      consumer.run({ eachMessage: async () => resolve() }).catch(reject);
    });
    await act();
    await consumer.stop();
  } finally {
    await consumer.disconnect();
  }
}
