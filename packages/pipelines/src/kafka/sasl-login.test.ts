import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeKafka, type FakeKafkaOptions } from '@weir/client/testing';
import { Collected, catalogueWith, testServices } from '../../testing/run-pipeline.ts';
import { Resources } from '../component/resources.ts';
import { readConfiguration } from '../config/read-configuration.ts';
import { foreignCluster, loginOf, loginOfList } from './cluster-connection.ts';
import type { SaslListValues, SaslValues } from './sasl-fields.ts';

const keys = 'aws: { region: eu-west-1, credentials: { id: AK, secret: SK, token: TK } }';

// biome-ignore format: a table
const logins: readonly [login: string, ofList: string, sasl: Partial<FakeKafkaOptions['sasl']> & { mechanisms: string[] }][] = [
  ['mechanism: PLAIN, user: ann, password: pw', 'mechanism: PLAIN, username: ann, password: pw', { mechanisms: ['PLAIN'], users: { ann: 'pw' } }],
  ['mechanism: SCRAM-SHA-512, user: ann, password: pw', 'mechanism: SCRAM-SHA-512, username: ann, password: pw', { mechanisms: ['SCRAM-SHA-512'], users: { ann: 'pw' } }],
  ['mechanism: OAUTHBEARER, access_token: tok', 'mechanism: OAUTHBEARER, token: tok', { mechanisms: ['OAUTHBEARER'], tokens: new Set(['tok']) }],
  [`mechanism: AWS_MSK_IAM, ${keys}`, `mechanism: AWS_MSK_IAM, ${keys}`, { mechanisms: ['AWS_MSK_IAM'], acceptsSigned: isSigned }],
];

/** What MSK requires; that signatures are those of AWS is tested beside the function. */
function isSigned(message: string): boolean {
  const fields = JSON.parse(message) as Record<string, string>;
  return (
    fields.version === '2020_10_22' &&
    fields.host === '127.0.0.1' &&
    fields.action === 'kafka-cluster:Connect' &&
    /^AK\/\d{8}\/eu-west-1\/kafka-cluster\/aws4_request$/.test(fields['x-amz-credential']!) &&
    fields['x-amz-security-token'] === 'TK' &&
    /^[0-9a-f]{64}$/.test(fields['x-amz-signature']!)
  );
}

/** The values of the field `sasl` of an input of a managed pipeline. */
function saslOf(input: string): unknown {
  const yaml = `input:\n  ${input}\noutput:\n  collect: {}\n`;
  const catalogue = catalogueWith(new Collected().spec);
  const { config, problems } = readConfiguration(yaml, { catalogue, isLocal: false });
  assert.ok(config, JSON.stringify(problems));
  return (config.input.values as { readonly sasl: unknown }).sasl;
}

for (const [login, ofList, options] of logins)
  test(`kafka and kafka_franz log in by ${options.mechanisms[0]}`, async (t) => {
    const kafka = await FakeKafka.start({ topics: { orders: 1 }, sasl: { isRequired: true, ...options } });
    t.after(() => kafka.stop());
    const address = `127.0.0.1:${kafka.port()}`;
    const services = { ...testServices(), resources: new Resources(), connection() {} };
    const usual = `kafka: { addresses: ["${address}"], topics: [orders], consumer_group: g, sasl: { ${login} } }`;
    const listed = `kafka_franz: { seed_brokers: ["${address}"], topics: [orders], sasl: [{ ${ofList} }] }`;
    for (const given of [
      await loginOf(saslOf(usual) as SaslValues, services),
      await loginOfList(saslOf(listed) as SaslListValues, services),
    ]) {
      const open = await foreignCluster(
        { addresses: [address], tls: { enabled: false } as never, login: given, clientId: 'test' },
        services,
      );
      const cluster = open(new AbortController().signal);
      t.after(() => cluster.close());
      assert.deepEqual(
        (await cluster.metadata(['orders'])).topics.map(({ name }) => name),
        ['orders'],
      );
    }
  });
