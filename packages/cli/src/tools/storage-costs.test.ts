import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogue } from '@weir/api';
import { runArguments } from '../../testing/command-run.ts';
import { startTestApi } from '../../testing/test-api.ts';
import { costsText } from './storage-costs.ts';

test('costs are printed with their rates, levels and prices', () => {
  const { output } = catalogue.describe_storage_costs.example;
  assert.equal(
    costsText(output),
    `measured over 1h: 1.0 MiB/s ingested, 1.1 MiB/s written by compactions, write amplification 1.10

LEVEL  FILES  SIZE
0      310    82.0 MiB
1      12     307 MiB
dead   32     8.0 MiB

BUCKET        PUT/S  GET/S  LIST/S  DELETE/S
s3://records  4.300  6.100  0.001   0.030

COST      PER MONTH  PER GIB INGESTED
requests  $62.93     $0.0245
storage   $0.0089    -
both      $62.94     $0.0245

Kafka with 3 replicas in 3 zones, network and disks only: $137.03 per month (replication $102.66, producers $34.22, disks $0.15); docs/operate/costs.md has the assumptions

Prices are approximate and not verified with the provider; override them with -prices.
`,
  );
  const { write_amplification: _, ...rest } = output;
  const idle = costsText({ ...rest, measured_seconds: 0, requests: [] });
  assert.match(idle, /^nothing measured yet\n/);
});

test('the tool asks the API with the prices of the flags', async (t) => {
  const { url, key, client } = await startTestApi(t);
  await client.call('create_virtual_cluster', {
    virtual_cluster_name: 'orders',
    virtual_cluster_type: 'byoc',
    virtual_cluster_region: 'us-east-1',
    virtual_cluster_cloud_provider: 'aws',
  });
  const run = (...words: readonly string[]) =>
    runArguments(['cli', 'storage-costs', ...words], {
      environment: { SERVICE_API_URL: url, SERVICE_API_KEY: key },
    });
  const shown = await run('-output', 'json', '-price-list', 'gcs', '-prices', 'put=0.1,storage=0.5');
  assert.equal(shown.status, 0, shown.err);
  const { prices } = JSON.parse(shown.out) as { prices: Record<string, number> };
  assert.deepEqual([prices.put, prices.storage, prices.get], [0.1, 0.5, 0.0004]);
  assert.match((await run()).out, /^(measured over|nothing was measured)/);
  const unknown = await run('-prices', 'puts=1');
  assert.equal(unknown.status, 1);
  assert.match(unknown.err, /-prices puts=1: unknown price puts; names are storage, put, /);
  assert.match((await run('-prices', 'put=much')).err, /-prices put=much: use a number of dollars/);
});
