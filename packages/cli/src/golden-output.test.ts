/** Every tool against one live cluster: its table word for word, and the fields of its JSON. */

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createClient } from '@weir/api';
import type { Clock } from '@weir/core';
import { leapingClock, type RunOptions } from '../testing/command-run.ts';
import { startLocalCluster } from '../testing/local-cluster.ts';
import { type CommandName, commandNames, commandRow } from './commands/catalogue.ts';
import { migrationTools, servers, tableTools } from './flags/rows/takers.ts';
import { stoppedStatus } from './handler.ts';

/** One tool. A tool that changes something has another line for each form. */
interface Step {
  readonly table?: string;
  readonly json?: string;
  /** Lines of the table that are compared, of tables that grow with the product. */
  readonly keeps?: RegExp;
  /** Whether numbers depend on time or on the machine. */
  readonly hasMeasures?: true;
  /** Whether fields of the JSON depend on time, so that it only has to be JSON. */
  readonly hasOptionalFields?: true;
  /** Standard input. */
  readonly input?: string;
  /** The exit status; 0 if absent. */
  readonly status?: number;
  /** The tool has no end: it is stopped when it has printed this, and the rest is cut. */
  readonly until?: RegExp;
  readonly clock?: Clock;
}

/** The same line in both forms. */
function both(line: string, rest: Omit<Step, 'table' | 'json'> = {}): Step {
  return { table: line, json: line, ...rest };
}

const acl = '-resource-type TOPIC -resource-name orders -principal User:alice -operation READ';
const someConfigs = /^CONFIG|^retention\.ms |^auto\.create\.topics\.enable /;

/** A benchmark that takes longer than a second prints lines before its result. */
const ofBenchmark: Omit<Step, 'table' | 'json'> = {
  hasMeasures: true,
  hasOptionalFields: true,
  keeps: /^metrics at|^RECORDS|^LATENCY/,
};

const steps: readonly Step[] = [
  both('version'),
  { table: 'cli create-topic -topic orders -partitions 2', json: 'cli create-topic -topic payments' },
  both('cli list-topics'),
  both('cli produce -topic orders -partition 0 -key k -records one,,two'),
  both('cli describe-topic -topic orders'),
  both('cli file-reader -bucketURL BUCKET -log-file LOG_FILE -show-records', { hasMeasures: true }),
  both('cli fetch -topic orders -max-records 2'),
  both('kcmd -type fetch -topic orders -max-records 2'),
  both('cli console-producer -topic orders -property parse.key=true -property key.separator=:', {
    input: 'k:three\nk:four\n',
  }),
  both('cli console-consumer -topic orders -from-beginning -max-messages 2 -property print.key=true'),
  both('cli alter-topic-configs -topic orders -config retention.ms=1000000'),
  both('cli describe-topic-configs -topic orders', { keeps: someConfigs }),
  both('cli delete-topic-config -topic orders -config-name retention.ms'),
  both('cli alter-broker-configs -config auto.create.topics.enable=false'),
  both('cli describe-broker-configs', { keeps: someConfigs }),
  both('cli delete-broker-config -config-name auto.create.topics.enable'),
  both(`cli create-acls ${acl}`),
  both('cli describe-acls'),
  both('cli alter-quotas -quota-user shop -quota producer_byte_rate=10MiB'),
  both('cli describe-quotas'),
  both('cli who-may -topic orders'),
  { table: 'cli delete-acls -principal User:alice' },
  { json: `cli create-acls ${acl}` },
  { json: 'cli delete-acls -principal User:alice' },
  {
    table: 'cli drill -topic payments -drill-for 1s -- true',
    json: 'cli drill -topic payments -drill-for 1s',
    hasMeasures: true,
    keeps: /^found|^command|^result/,
  },
  both('cli benchmark-producer -topic payments -num-records 2 -record-size 10 -metrics-port 0', ofBenchmark),
  both('cli benchmark-consumer -topic orders -num-records 2 -num-clients 1 -metrics-port 0', ofBenchmark),
  {
    hasOptionalFields: true,
    json: 'cli benchmark-consumer -topic orders -group readers -num-records 4 -num-clients 1 -metrics-port 0',
  },
  both('cli describe-groups'),
  both('cli describe-groups -group readers'),
  both('cli consumer-group-lag -group readers'),
  both('cli reset-offsets -group readers -topic orders -to-earliest'),
  both('cli describe-log-dirs -topic orders', { hasMeasures: true }),
  both('cli diagnose-connection -topic orders', {
    hasOptionalFields: true,
    keeps: /^Bootstrap|^Brokers|OK +(?:TCP|topic)|^Clients/,
  }),
  both('cli diagnose-record -topic orders -partition 0 -offset 1', { keeps: /^(?:topic|offset|result) / }),
  both('cli register-schema -subject orders-value -schema-file FILE'),
  both('cli list-subjects'),
  both('cli describe-schema -subject orders-value'),
  both('cli check-schema -subject orders-value -schema-file FILE'),
  both('cli schema-config -subject orders-value'),
  {
    table: 'cli delete-schema -subject orders-value',
    json: 'cli delete-schema -subject orders-value -permanent',
  },
  both('cli events enable -types acl_logs'),
  both('cli events search -types acl_logs', { hasMeasures: true, hasOptionalFields: true }),
  both('cli events fields -types acl_logs', { hasMeasures: true, hasOptionalFields: true }),
  both('cli events tail -last 1h -types cluster_metrics -filter data.metric_name=="service_topics_count"', {
    hasMeasures: true,
    hasOptionalFields: true,
    until: /cluster_metrics.*\n/,
  }),
  both('cli events disable'),
  both('cli plan-capacity -write-rate 10MiB -consumer-groups 3'),
  both('cli storage-costs', { hasMeasures: true, hasOptionalFields: true, keeps: /^LEVEL|^BUCKET|^COST/ }),
  {
    table: 'cli clone-topic -from orders -to orders-debug',
    json: 'cli clone-topic -from orders -to orders-copy',
  },
  { table: 'cli create-key -keyName one -keyKind application_read_only' },
  { json: 'cli create-key -keyName two -keyKind application_read_only' },
  { table: 'cli rotate-credential -credential shop' },
  { table: 'cli end-rotation -credential shop' },
  { json: 'cli rotate-credential -credential shop' },
  { json: 'cli end-rotation -credential shop' },
  { table: 'secret create -secretName one', input: 'horse\n' },
  { json: 'secret create -secretName two -allowExporters', input: 'horse\n' },
  both('secret rotate -secretName two', { input: 'battery\n' }),
  both('secret list'),
  { table: 'secret delete -secretName one', json: 'secret delete -secretName two' },
  both('cli mcp-config', { keeps: /mcpServers/ }),
  both('cli validate-pipeline-config -config-file PIPELINE'),
  both('cli validate-pipeline-config -config-file - -pipeline-type bento', {
    input: 'input: {}\nbuffer: none\n',
    status: 1,
  }),
  both('apply -f CLUSTER_FILE -dry-run'),
  { table: 'apply -f CLUSTER_FILE' },
  { json: 'apply -f CLUSTER_FILE' },
  { table: 'cli delete-topic -topic payments', json: 'cli delete-topic -topic orders-copy' },
  { table: 'cli delete-all-topics-unsafe -confirm-delete-all-topics -sleep-between-batch 0s' },
  { json: 'cli create-topic -topic last' },
  { json: 'cli delete-all-topics-unsafe -confirm-delete-all-topics -sleep-between-batch 0s' },
  {
    table: 'cli clone-cluster -cluster vcn_default -cloneName one',
    json: 'cli clone-cluster -cluster vcn_default -cloneName two',
  },
];

const restore =
  'control-plane restore -bucketURL BUCKET -defaultVirtualClusterID CLUSTER -metadataBackupInterval 1s';

/** Those that need a cluster that has stopped. */
const stepsAfterStop: readonly Step[] = [
  // At the end all metadata is in the backup.
  both('cli file-scrubber -bucketURL BUCKET -defaultVirtualClusterID CLUSTER', { hasMeasures: true }),
  {
    hasMeasures: true,
    // A restore waits for a control plane that might still serve the cluster.
    clock: leapingClock(1_000),
    table: `${restore} -dataDir FOLDER/one`,
    json: `${restore} -dataDir FOLDER/two`,
  },
];

/** Commands that serve, print help or a script, or pass messages on, which have tests of their own. */
const withoutResult: ReadonlySet<CommandName> = new Set([
  ...servers,
  ...(['help', 'cli', 'cli-old', 'cli events', 'cli blobl', 'cli run-pipeline', 'secret'] as const),
  // These need a data lake cluster; their own test has a server of examples.
  ...(['cli tables', ...tableTools] as const),
  // These need a source; their own test has such a server too.
  ...migrationTools,
  ...(['completion', 'completion bash', 'completion zsh', 'completion fish'] as const),
]);

/** Identifiers, addresses and times differ from run to run, and so do the widths of their columns. */
function normalised(text: string, { keeps, hasMeasures }: Step): string {
  return text
    .split('\n')
    .filter((line) => keeps === undefined || keeps.test(line))
    .map((line) =>
      line
        .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
        .replaceAll(/\b(?:vci|aki|aks|ccp|wi|sci)_\w+/g, '<id>')
        .replaceAll(/\b[\da-f]{2}\/[\da-f]{32}\b/g, '<file>')
        .replaceAll(/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g, '<uuid>')
        .replaceAll(/(?<=\s|^)(?=[\w-]*[\dA-Z])[\w-]{22}(?=\s|$|,)/g, '<topic id>')
        .replaceAll(/\b(localhost|127\.0\.0\.1):\d+/g, '$1:<port>')
        .replaceAll(/(?<![\w.])\d+(?= \((?:localhost|127))|(?<=node )\d+/g, '<node>')
        .replaceAll(/\b\d[\d,.]*\b/g, (number) => (hasMeasures === true ? '<n>' : number))
        .replaceAll(/ {2,}/g, '  ')
        .trimEnd(),
    )
    .join('\n')
    .trimEnd();
}

/** `[{ topic: string, partitions: number }]`: the fields of JSON without their values. */
function shapeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `[${[...new Set(value.map(shapeOf))].sort().join(' | ')}]`;
  if (typeof value !== 'object') return typeof value;
  const fields = Object.entries(value).map(([name, field]) => `${name}: ${shapeOf(field)}`);
  return `{ ${fields.join(', ')} }`;
}

const schema = '{"type":"record","name":"Order","fields":[{"name":"id","type":"long"}]}';
const pipeline = 'input: { generate: { mapping: root = 1 } }\noutput: { drop: {} }\n';
const clusterFile = `version: 1
virtual_clusters:
  - name: default
    topics: [{ name: applied, partition_count: 3, config: { retention.ms: 1000 } }]
`;

test('every tool prints what it printed before, as a table and as JSON', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-golden-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const dataDir = join(folder, 'data');
  const { apiUrl, apiKey, registryUrl, run, stop } = await startLocalCluster(t, [], dataDir);
  const environment = {
    SERVICE_API_URL: apiUrl,
    SERVICE_API_KEY: apiKey,
    SERVICE_SCHEMA_REGISTRY_URL: registryUrl,
  };
  const api = createClient({ baseUrl: apiUrl, fetch, headers: { 'service-api-key': apiKey } });
  const { virtual_clusters } = await api.call('list_virtual_clusters', {});
  await api.call('create_virtual_cluster_credentials', {
    virtual_cluster_id: virtual_clusters[0]!.id,
    credentials_name: 'shop',
  });
  const bucket = join(dataDir, 'bucket');
  /** What the words in capitals of a line stand for. */
  const meant: Readonly<Record<string, () => string>> = {
    FOLDER: () => folder,
    FILE: () => file('order.avsc', schema),
    PIPELINE: () => file('pipeline.yaml', pipeline),
    CLUSTER_FILE: () => file('weir.yaml', clusterFile),
    BUCKET: () => pathToFileURL(bucket).href,
    CLUSTER: () => JSON.parse(readFileSync(join(dataDir, 'identity.json'), 'utf8')).clusterId,
    LOG_FILE: () => logFile,
  };
  /** The file with the first records; it may lie in a segment. */
  let logFile = '';
  const findLogFile = async () => {
    const line = 'cli diagnose-record -topic orders -partition 0 -offset 0 -output json';
    const { out } = await run(line, { environment });
    return JSON.parse(out).range.file_id as string;
  };
  const weir = async (line: string, { input, until, clock, status: expected = 0 }: Step) => {
    if (line.includes('LOG_FILE')) logFile ||= await findLogFile();
    const words = line.replaceAll(/\b[A-Z_]+\b/g, (word) => meant[word]?.() ?? word);
    const stopping = new AbortController();
    let printed = '';
    const options: RunOptions = {
      environment,
      input: input === undefined ? [] : [input],
      stop: stopping.signal,
      ...(clock === undefined ? {} : { clock }),
      onOut: (text) => {
        printed += text;
        if (until?.test(printed)) stopping.abort();
      },
    };
    const { status, out, err } = await run(words, options);
    assert.equal(status, until === undefined ? expected : stoppedStatus, `${line}: ${err}`);
    const cut = until?.exec(out);
    const kept = cut ? out.slice(0, cut.index + cut[0].length) : out;
    return kept.replaceAll(folder, '<folder>');
  };

  const printed: string[] = [];
  const seen = { table: new Set<string>(), json: new Set<string>() };
  const toolOf = (line: string) => line.split(' -')[0]!;
  const take = async (step: Step) => {
    const lines: string[] = [];
    if (step.table !== undefined) {
      const out = await weir(step.table, step);
      seen.table.add(toolOf(step.table));
      lines.push(`$ weir ${step.table}`, normalised(out, step));
    }
    if (step.json !== undefined) {
      const out = await weir(`${step.json} -output json`, step);
      seen.json.add(toolOf(step.json));
      const values: unknown[] = out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      const shapes = step.hasOptionalFields === true ? ['{ … }'] : values.map(shapeOf);
      lines.push(`$ weir ${step.json} -output json`, ...new Set(shapes));
    }
    printed.push(`${lines.filter((line) => line !== '').join('\n')}\n`);
  };
  for (const step of steps) await take(step);
  await stop();
  for (const step of stepsAfterStop) await take(step);

  const tools = commandNames.filter(
    (name) => commandRow(name).status === 'available' && !withoutResult.has(name),
  );
  for (const form of ['table', 'json'] as const)
    assert.deepEqual(
      tools.filter((name) => !seen[form].has(name)),
      [],
      `tools without a golden output as ${form}`,
    );

  const golden = new URL('./golden-output.txt', import.meta.url);
  const found = printed.join('\n');
  // To accept a change, delete the file, run the test twice, and review the difference.
  if (!existsSync(golden)) {
    writeFileSync(golden, found);
    assert.fail('there was no golden output; it is written now and has to be reviewed');
  }
  assert.equal(found, readFileSync(golden, 'utf8'));
});
