import { readFileSync } from 'node:fs';
import { Admin, Consumer, Producer, stringDeserializers, stringSerializers } from '@platformatic/kafka';
import { Kafka, logLevel, type SASLOptions } from 'kafkajs';
import type { JavaClient } from '../brokers/java-client.ts';
import { kcat, kcatRead } from '../brokers/kcat.ts';
import type { ClientFiles, SecretFiles } from './secured.ts';

/** How a client connects and authenticates. */
export interface Way {
  /** CA certificates that it trusts; without them it does not use TLS. */
  readonly caFile?: string;
  readonly own?: ClientFiles;
  readonly login?: Login;
  /** How long a Java client tries, which does not take a closed connection for a refusal; 20 s by default. */
  readonly triesMs?: number;
}

export type Login =
  | { readonly mechanism: 'PLAIN' | 'SCRAM-SHA-512'; readonly user: string; readonly password: string }
  | {
      readonly mechanism: 'OAUTHBEARER';
      readonly token: () => Promise<string>;
      /** For clients that fetch their tokens themselves. */
      readonly endpoint: { readonly url: string; readonly clientId: string; readonly clientSecret: string };
    };

/** Enough for a client to get in, if it could: most need less than a second. */
export const refusedTriesMs = 6_000;

/** A third-party client. Each call opens a new connection according to `way`. */
export interface ForeignClient {
  readonly label: string;
  /** Why the client does not support this, as the `skip` of a test. */
  cannot(way: Way): string | false;
  /** Creates a topic with one partition, writes values, and returns what it reads back. */
  writeAndRead(
    broker: string,
    way: Way,
    topic: string,
    values: readonly string[],
  ): Promise<readonly string[]>;
}

export function kcatClient(missing: string | false): ForeignClient {
  const options = (way: Way): readonly string[] => {
    const { caFile, own, login } = way;
    const settings: Record<string, string> = {
      'security.protocol': protocolOf(way),
      ...(caFile === undefined ? {} : { 'ssl.ca.location': caFile }),
      ...(own === undefined
        ? {}
        : { 'ssl.certificate.location': own.certificateFile, 'ssl.key.location': own.keyFile }),
      'message.timeout.ms': '15000',
    };
    if (login !== undefined && login.mechanism !== 'OAUTHBEARER') {
      settings['sasl.mechanism'] = login.mechanism;
      settings['sasl.username'] = login.user;
      settings['sasl.password'] = login.password;
    }
    return Object.entries(settings).flatMap(([name, value]) => ['-X', `${name}=${value}`]);
  };
  return {
    label: 'kcat',
    cannot: ({ login }) =>
      missing || (login?.mechanism === 'OAUTHBEARER' && 'this librdkafka cannot fetch tokens'),
    async writeAndRead(broker, way, topic, values) {
      await kcat(broker, ['-P', '-t', topic, '-p', '0', ...options(way)], values.join('\n'));
      const records = await kcatRead(broker, topic, ['-o', 'beginning', '-p', '0', ...options(way)]);
      return records.map(({ payload }) => payload ?? '');
    },
  };
}

export const kafkajsClient: ForeignClient = {
  label: 'kafkajs',
  cannot: () => false,
  async writeAndRead(broker, { caFile, own, login }, topic, values) {
    const ssl =
      caFile === undefined
        ? undefined
        : { ca: [readFileSync(caFile, 'utf8')], ...(own && { cert: own.certificate, key: own.privateKey }) };
    const kafka = new Kafka({
      clientId: 'judge',
      brokers: [broker],
      logLevel: logLevel.NOTHING,
      retry: { retries: 1 },
      ...(ssl && { ssl }),
      ...(login && { sasl: kafkajsLogin(login) }),
    });
    const admin = kafka.admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }] }).finally(() => admin.disconnect());
    const producer = kafka.producer();
    await producer.connect();
    await producer
      .send({ topic, messages: values.map((value) => ({ value, partition: 0 })) })
      .finally(() => producer.disconnect());
    const consumer = kafka.consumer({ groupId: `readers-of-${topic}` });
    await consumer.connect();
    try {
      await consumer.subscribe({ topic, fromBeginning: true });
      const read: string[] = [];
      const all = Promise.withResolvers<void>();
      await consumer.run({
        async eachMessage({ message }) {
          read.push(`${message.value}`);
          if (read.length === values.length) all.resolve();
        },
      });
      await all.promise;
      return read;
    } finally {
      await consumer.disconnect();
    }
  },
};

function kafkajsLogin(login: Login): SASLOptions {
  if (login.mechanism === 'OAUTHBEARER') {
    return { mechanism: 'oauthbearer', oauthBearerProvider: async () => ({ value: await login.token() }) };
  }
  const { user: username, password } = login;
  return login.mechanism === 'PLAIN'
    ? { mechanism: 'plain', username, password }
    : { mechanism: 'scram-sha-512', username, password };
}

export const platformaticClient: ForeignClient = {
  label: '@platformatic/kafka',
  cannot: () => false,
  async writeAndRead(broker, { caFile, own, login }, topic, values) {
    const client = {
      clientId: 'judge',
      bootstrapBrokers: [broker],
      retries: 1,
      ...(caFile !== undefined && {
        tls: { ca: readFileSync(caFile), ...(own && { cert: own.certificate, key: own.privateKey }) },
      }),
      ...(login && {
        sasl:
          login.mechanism === 'OAUTHBEARER'
            ? { mechanism: login.mechanism, token: await login.token() }
            : { mechanism: login.mechanism, username: login.user, password: login.password },
      }),
    };
    const admin = new Admin(client);
    await admin.createTopics({ topics: [topic], partitions: 1, replicas: 1 }).finally(() => admin.close());
    const producer = new Producer({ ...client, serializers: stringSerializers });
    await producer
      .send({ messages: values.map((value) => ({ topic, partition: 0, value })) })
      .finally(() => producer.close());
    const consumer = new Consumer({
      ...client,
      groupId: `others-of-${topic}`,
      deserializers: stringDeserializers,
    });
    try {
      const stream = await consumer.consume({ topics: [topic], mode: 'earliest' });
      const read: string[] = [];
      for await (const { value } of stream) {
        read.push(value ?? '');
        if (read.length === values.length) break;
      }
      return read;
    } finally {
      await consumer.close(true);
    }
  },
};

export function javaClient(java: JavaClient, files: SecretFiles, missing: string | false): ForeignClient {
  let count = 0;
  return {
    label: "Apache's Java client",
    cannot: () => missing,
    async writeAndRead(broker, way, topic, values) {
      const servers = files.java(`java-${count++}`, javaSettings(broker, way));
      await java.ask('create-topic', servers, topic, 1);
      await java.ask('produce', servers, topic, 1, values.length, 1_700_000_000_000);
      const read = await java.ask<readonly (readonly unknown[])[]>('read', servers, topic);
      // This client writes its own values; only their number is compared.
      return read.length === values.length ? values : read.map(String);
    },
  };
}

/** Returns the settings with which a Java client connects. */
export function javaSettings(broker: string, way: Way): Record<string, string> {
  const { caFile, own, login, triesMs = 20_000 } = way;
  const settings: Record<string, string> = {
    'bootstrap.servers': broker,
    'security.protocol': protocolOf(way),
    'default.api.timeout.ms': `${triesMs}`,
    'request.timeout.ms': `${triesMs * 0.75}`,
    'max.block.ms': `${triesMs}`,
    'delivery.timeout.ms': `${triesMs}`,
  };
  if (caFile !== undefined) {
    settings['ssl.truststore.type'] = 'PEM';
    settings['ssl.truststore.location'] = caFile;
  }
  if (own !== undefined) {
    settings['ssl.keystore.type'] = 'PEM';
    settings['ssl.keystore.location'] = own.bothFile;
  }
  if (login === undefined) return settings;
  settings['sasl.mechanism'] = login.mechanism;
  const modules = 'org.apache.kafka.common.security';
  if (login.mechanism === 'OAUTHBEARER') {
    const { url, clientId, clientSecret } = login.endpoint;
    settings['sasl.oauthbearer.token.endpoint.url'] = url;
    settings['sasl.login.callback.handler.class'] = `${modules}.oauthbearer.OAuthBearerLoginCallbackHandler`;
    settings['sasl.jaas.config'] =
      `${modules}.oauthbearer.OAuthBearerLoginModule required clientId="${clientId}" clientSecret="${clientSecret}" scope="kafka";`;
  } else {
    const module = login.mechanism === 'PLAIN' ? 'plain.PlainLoginModule' : 'scram.ScramLoginModule';
    settings['sasl.jaas.config'] =
      `${modules}.${module} required username="${login.user}" password="${login.password}";`;
  }
  return settings;
}

function protocolOf({ caFile, login }: Way): string {
  const channel = caFile === undefined ? 'PLAINTEXT' : 'SSL';
  return login === undefined ? channel : `SASL_${channel}`;
}
