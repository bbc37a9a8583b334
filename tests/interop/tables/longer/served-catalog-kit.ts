/** The catalog of a control plane, held to the compatibility kit that Iceberg has for servers of its protocol. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { missingTool } from '../../apache/tools.ts';
import { lastFirst, startLocal } from '../../brokers/weir-process.ts';
import { clientOf, dataLakeOf, produceIds, startTables, tableYaml, untilTable } from '../written-tables.ts';
import { CatalogOverAnother } from './catalog-over-another.ts';
import { IcebergCatalogServer } from './catalog-server.ts';
import { type KitResult, runCompatibilityKit } from './compatibility-kit.ts';

const bounded = { skip: missingTool(), timeout: 900_000 };

/** Tests that ask about what there is not. All others create something first. */
const readingTests = [
  'testListNonExistingNamespace()',
  'testLoadMissingTable()',
  'testLoadTableWithNonExistingNamespace()',
];

/** The kit of this version has 106, of which Iceberg's server passes 89. */
const testsMin = 85;

const namesOf = (results: ReadonlyMap<string, KitResult>, outcome: KitResult['outcome']) =>
  [...results.values()]
    .filter((result) => result.outcome === outcome)
    .map(({ test: name }) => name)
    .sort();

test('the kit reads, and is refused by one kind of error where it writes', bounded, async (t) => {
  const endings = lastFirst(t);
  const weir = await startLocal(endings, ['-tableflowInternalHTTPPort', '0']);
  const kafkaPort = Number(weir.address('Kafka').split(':').at(-1));
  await produceIds({ kafkaPort, topic: 'orders' }, 1);
  const token = /API key\s+(\S+)/.exec(weir.output.out)![1]!;
  const url = weir.address('control plane');
  const client = clientOf(url, token);
  const lakeId = await dataLakeOf(client);
  await startTables(client, lakeId, tableYaml({ kafkaPort, topic: 'orders' }));
  await untilTable(client, lakeId, ({ rows }) => rows === 1);

  const uri = `${url}/catalogs/iceberg/${lakeId}`;
  const results = await runCompatibilityKit({ uri, token, createsNamespaces: false });
  assert.deepEqual(namesOf(results, 'successful'), readingTests);
  const failed = [...results.values()].filter(({ outcome }) => outcome === 'failed');
  assert.ok(failed.length >= testsMin - readingTests.length, `${failed.length} tests`);
  // The client knows from the list of endpoints what it need not try.
  for (const { test: name, reason } of failed)
    assert.match(reason, /Server does not support endpoint: (?:POST|DELETE) /, name);
});

/**
 * The file of a table is read by the harness here and by an agent otherwise: what is said of one that is missing is not
 * what the catalog says.
 */
const ofTheHarness = ['testLoadTableWithMissingMetadataFile(Path)'];

test("readers of what Iceberg's server wrote get what it would answer", bounded, async (t) => {
  const startIceberg = async () => {
    const warehouse = mkdtempSync(join(tmpdir(), 'weir-kit-'));
    t.after(() => rmSync(warehouse, { recursive: true, force: true }));
    const server = await IcebergCatalogServer.start(warehouse);
    t.after(() => server.close());
    return server.uri;
  };
  const alone = await runCompatibilityKit({ uri: await startIceberg(), createsNamespaces: true });
  // Another one, because tests leave tables behind.
  const catalog = new CatalogOverAnother(await startIceberg());
  const uri = await catalog.start();
  t.after(() => catalog.close());
  const results = await runCompatibilityKit({ uri, createsNamespaces: true });

  const passed = namesOf(alone, 'successful').filter((name) => !ofTheHarness.includes(name));
  t.diagnostic(`${passed.length} tests, ${catalog.answered} answers`);
  t.diagnostic(`Iceberg's server fails of ${namesOf(alone, 'failed')}`);
  const worse = passed.map((name) => results.get(name)!).filter(({ outcome }) => outcome !== 'successful');
  assert.deepEqual(worse, []);
  assert.ok(passed.length >= testsMin, `${passed.length} tests`);
  assert.ok(catalog.answered > passed.length, `${catalog.answered} answers`);
});
