import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startLocal } from '../brokers/weir-process.ts';
import { blocksOf } from '../readme/blocks.ts';
import { missingShippers, shipper } from './shippers.ts';

const skip = missingShippers();
const flags = ['-logIntakeDefaultTopic', 'logs'];
const local = skip === false ? await startLocal({ after }, flags) : undefined;
const url = () => local!.address('HTTP');

interface ReadRecord {
  readonly key: string | null;
  readonly timestamp: number;
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of a record, which assertions compare
  readonly value: any;
}

/** The records of a topic, all in its first partition. */
async function recordsOf(topic: string): Promise<readonly ReadRecord[]> {
  const answer = await fetch(`${url()}/v1/kafka/fetch`, {
    method: 'POST',
    body: JSON.stringify({
      topics: [{ topic, partitions: [{ partition: 0, fetch_offset: 0, partition_max_bytes: 1 << 24 }] }],
    }),
  });
  const { topics } = (await answer.json()) as {
    topics: { partitions: { records: { key: string | null; timestamp: number; value: string }[] }[] }[];
  };
  const textOf = (base64: string) => Buffer.from(base64, 'base64').toString();
  return topics[0]!.partitions[0]!.records.map(({ key, timestamp, value }) => ({
    key: key === null ? null : textOf(key),
    timestamp,
    value: JSON.parse(textOf(value)),
  }));
}

for (const format of ['http', 'proto'] as const)
  test(`OpenTelemetry's exporter otlp-${format} ships records`, { skip }, async () => {
    const topic = `otlp-${format}`;
    const { OTLPLogExporter } = shipper(`@opentelemetry/exporter-logs-otlp-${format}`);
    const { LoggerProvider, BatchLogRecordProcessor } = shipper('@opentelemetry/sdk-logs');
    const { resourceFromAttributes } = shipper('@opentelemetry/resources');
    const exporter = new OTLPLogExporter({ url: `${url()}/v1/logs?topic=${topic}`, compression: 'gzip' });
    const provider = new LoggerProvider({
      resource: resourceFromAttributes({ 'service.name': 'shop', 'host.name': 'h1' }),
      processors: [processorOf(BatchLogRecordProcessor, exporter)],
    });
    const logger = provider.getLogger('lib', '1.2');
    const timestamp = 1_700_000_000_123;
    for (let number = 0; number < 1_000; number++)
      logger.emit({
        timestamp,
        severityNumber: 13,
        severityText: 'WARN',
        body: { number, nested: ['a', 1.5, true] },
        attributes: { 'http.status': 500, tags: ['x', 'y'] },
      });
    await provider.forceFlush();
    await provider.shutdown();
    const records = await recordsOf(topic);
    assert.equal(records.length, 1_000);
    assert.deepEqual(
      records.map(({ value }) => value.message.number),
      Array.from({ length: 1_000 }, (_, number) => number),
    );
    const { key, timestamp: recorded, value } = records[7]!;
    const { timestamp: time, observed_timestamp: observed, ...rest } = value;
    assert.deepEqual([key, recorded, time], ['shop', timestamp, '2023-11-14T22:13:20.123Z']);
    assert.match(observed, /^\d{4}-\d\d-\d\dT.*Z$/);
    assert.deepEqual(rest, {
      message: { number: 7, nested: ['a', 1.5, true] },
      severity: 'WARN',
      severity_number: 13,
      service: 'shop',
      host: 'h1',
      attributes: { 'http.status': 500, tags: ['x', 'y'] },
      scope: { name: 'lib', version: '1.2' },
      resource: { 'service.name': 'shop', 'host.name': 'h1' },
    });
  });

/** Its constructor takes options since the third major version. */
function processorOf(Processor: new (options: unknown) => unknown, exporter: unknown): unknown {
  return new Processor({ exporter, scheduledDelayMillis: 50 });
}

for (const encoding of ['identity', 'gzip', 'deflate'] as const)
  test(`Datadog's client ships records with ${encoding}`, { skip }, async () => {
    const { client, v2 } = shipper('@datadog/datadog-api-client');
    const baseServer = new client.BaseServerConfiguration(url(), {});
    const api = new v2.LogsApi(
      client.createConfiguration({ baseServer, authMethods: { apiKeyAuth: 'none' } }),
    );
    const body = [
      { ddsource: 'nginx', ddtags: 'env:dev', hostname: 'h1', message: encoding, service: 'shop' },
    ];
    assert.deepEqual(await api.submitLog({ body, contentEncoding: encoding }), {});
    const found = (await recordsOf('logs')).filter(({ value }) => value.message === encoding);
    const { timestamp: _, ...rest } = found[0]!.value;
    assert.deepEqual(
      [found.length, rest],
      [1, { message: encoding, service: 'shop', host: 'h1', source: 'nginx', tags: ['env:dev'] }],
    );
  });

for (const json of [true, false])
  test(`winston ships records to Loki's push as ${json ? 'JSON' : 'protobuf'}`, { skip }, async () => {
    const { createLogger } = shipper('winston');
    const LokiTransport = shipper('winston-loki');
    const topic = `loki-${json}`;
    const failures: unknown[] = [];
    const transport = new LokiTransport({
      host: url(),
      headers: { 'kafka-topic': topic },
      labels: { service_name: 'shop' },
      json,
      batching: true,
      interval: 1,
      gracefulShutdown: false,
      onConnectionError: (failure: unknown) => failures.push(failure),
    });
    // Without snappy it would send JSON.
    assert.equal(transport.batcher.options.json, json);
    const logger = createLogger({ transports: [transport] });
    for (let number = 0; number < 100; number++) logger.info(`line ${number}`);
    await transport.flush();
    await transport.close();
    const records = await recordsOf(topic);
    assert.deepEqual(failures, []);
    assert.equal(records.length, 100);
    const { key, value } = records[3]!;
    assert.equal(key, '{level="info", service_name="shop"}');
    assert.match(value.message, /^line 3/);
    assert.deepEqual([value.service, value.severity], ['shop', 'info']);
  });

test('the commands of the page work', { skip }, async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/guides/log-intake.md'), 'utf8');
  const [block] = blocksOf(page).filter(({ language }) => language === 'sh');
  const commands = block!.text.split('\n').filter((line) => line.startsWith('curl '));
  const ports = new URL(url()).host;
  for (const command of commands)
    execFileSync('sh', ['-c', command.replace('localhost:8080', ports).replace('topic=logs', 'topic=page')], {
      timeout: 30_000,
    });
  const records = await recordsOf('page');
  assert.deepEqual(
    records.map(({ value }) => [value.message, value.service]),
    [
      ['hello', 'shop'],
      ['hello', 'shop'],
      ['hello', 'shop'],
    ],
  );
});
