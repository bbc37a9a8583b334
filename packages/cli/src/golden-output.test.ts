/** Every tool against one live cluster: its table word for word, and the fields of its JSON. */

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startLocalCluster } from '../testing/local-cluster.ts';
import { commandRow } from './commands/catalogue.ts';
import { resultPrinters } from './flags/rows/takers.ts';

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
  both('cli fetch -topic orders -max-records 2'),
  both('kcmd -type fetch -topic orders -max-records 2'),
  both('cli alter-topic-configs -topic orders -config retention.ms=1000000'),
  both('cli describe-topic-configs -topic orders', { keeps: someConfigs }),
  both('cli delete-topic-config -topic orders -config-name retention.ms'),
  both('cli alter-broker-configs -config auto.create.topics.enable=false'),
  both('cli describe-broker-configs', { keeps: someConfigs }),
  both('cli delete-broker-config -config-name auto.create.topics.enable'),
  both(`cli create-acls ${acl}`),
  both('cli describe-acls'),
  both('cli who-may -topic orders'),
  { table: 'cli delete-acls -principal User:alice' },
  { json: `cli create-acls ${acl}` },
  { json: 'cli delete-acls -principal User:alice' },
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
    keeps: /^Bootstrap|^Brokers|OK +(?:TCP|topic)|^A client/,
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
  both('cli events disable'),
  both('cli storage-costs', { hasMeasures: true, hasOptionalFields: true, keeps: /^LEVEL|^BUCKET|^COST/ }),
  {
    table: 'cli clone-topic -from orders -to orders-debug',
    json: 'cli clone-topic -from orders -to orders-copy',
  },
  { table: 'cli create-key -keyName one -keyKind application_read_only' },
  { json: 'cli create-key -keyName two -keyKind application_read_only' },
  both('cli mcp-config', { keeps: /mcpServers/ }),
  { table: 'cli delete-topic -topic payments', json: 'cli delete-topic -topic orders-copy' },
  { table: 'cli delete-all-topics-unsafe -confirm-delete-all-topics -sleep-between-batch 0s' },
  { json: 'cli create-topic -topic last' },
  { json: 'cli delete-all-topics-unsafe -confirm-delete-all-topics -sleep-between-batch 0s' },
];

/** Tools whose outputs other tests compare: they have no end, or need a bucket, a file or a second cluster. */
const elsewhere: readonly string[] = [
  'apply',
  'control-plane restore',
  'cli file-reader',
  'cli file-scrubber',
  'cli events tail',
  'cli clone-cluster',
  'cli validate-pipeline-config',
  'cli console-producer',
  'cli console-consumer',
];

/** Identifiers, addresses and times differ from run to run, and so do the widths of their columns. */
function normalised(text: string, { keeps, hasMeasures }: Step): string {
  return text
    .split('\n')
    .filter((line) => keeps === undefined || keeps.test(line))
    .map((line) =>
      line
        .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
        .replaceAll(/\b(?:vci|aki|aks|wi)_\w+/g, '<id>')
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

test('every tool prints what it printed before, as a table and as JSON', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-golden-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'order.avsc');
  writeFileSync(file, '{"type":"record","name":"Order","fields":[{"name":"id","type":"long"}]}');
  const { apiUrl, apiKey, registryUrl, run } = await startLocalCluster(t);
  const environment = {
    SERVICE_API_URL: apiUrl,
    SERVICE_API_KEY: apiKey,
    SERVICE_SCHEMA_REGISTRY_URL: registryUrl,
  };
  const weir = (line: string) => run(line.replace('FILE', file), { environment });

  const printed: string[] = [];
  const seen = { table: new Set<string>(), json: new Set<string>() };
  const toolOf = (line: string) => line.split(' -')[0]!;
  for (const step of steps) {
    const lines: string[] = [];
    if (step.table !== undefined) {
      const { status, out, err } = await weir(step.table);
      assert.equal(status, 0, `${step.table}: ${err}`);
      seen.table.add(toolOf(step.table));
      lines.push(`$ weir ${step.table}`, normalised(out, step));
    }
    if (step.json !== undefined) {
      const { status, out, err } = await weir(`${step.json} -output json`);
      assert.equal(status, 0, `${step.json}: ${err}`);
      seen.json.add(toolOf(step.json));
      const values: unknown[] = out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      const shapes = step.hasOptionalFields === true ? ['{ … }'] : values.map(shapeOf);
      lines.push(`$ weir ${step.json} -output json`, ...new Set(shapes));
    }
    printed.push(`${lines.filter((line) => line !== '').join('\n')}\n`);
  }

  const tools = resultPrinters.filter((name) => commandRow(name).status === 'available');
  for (const form of ['table', 'json'] as const)
    assert.deepEqual(
      tools.filter((name) => !seen[form].has(name) && !elsewhere.includes(name)),
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
