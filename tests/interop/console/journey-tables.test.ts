import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pipelineTemplates } from '@weir/api/pipeline-templates';
import { missingChromium } from './chromium.ts';
import { replaceText } from './editor.ts';
import { button, dialogOf, field, onPage } from './find.ts';
import { kafkaOf } from './kafka.ts';
import { accessibilityProblems, openStage, type Stage } from './stage.ts';

const skip = missingChromium();
const long = { skip, timeout: 180_000 };

let stage: Stage;
if (skip === false) stage = await openStage({ after });

test('a data lake is made, and a pipeline from the template, in parts', long, async () => {
  const page = await stage.open();
  const click = (name: string) => button(page, name).click();
  await page.goto(`${stage.url}/clusters?show=create`);
  await button(dialogOf(page), 'Data lake').click();
  await field(page, 'Name').fill('lake');
  await button(dialogOf(page), 'Create cluster').click();
  await dialogOf(page)
    .getByText(/weir agent .*-defaultVirtualClusterID vci_dl_/s)
    .waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await dialogOf(page).getByRole('link', { name: 'Open lake', exact: true }).click();

  const pages = page.locator('aside').getByRole('navigation', { name: 'Pages' });
  await pages.getByRole('link', { name: 'Tables', exact: true }).click();
  assert.equal(await pages.getByRole('link', { name: 'Topics', exact: true }).count(), 0);
  await onPage(page, 'No tables yet').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  const listUrl = page.url();
  await page.getByRole('link', { name: 'Create pipeline', exact: true }).click();
  await field(page, 'Name').fill('orders');
  await button(dialogOf(page), 'Create pipeline').click();
  await click('Write a JSON topic to a table');
  await onPage(page, 'Valid configuration').waitFor();

  await click('Split into parts');
  await click('Add part');
  await replaceText(page.getByRole('textbox', { name: 'Part part-2', exact: true }), 'table: []\n');
  const problems = page.getByRole('list', { name: 'Problems', exact: true });
  await problems.getByRole('button', { name: 'part-2 1:1', exact: true }).click();
  await click('Remove part part-2');
  await onPage(page, 'Valid configuration').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await click('Review and deploy');
  await click('Deploy');
  await onPage(page, 'version 1 deployed').waitFor();
  await page.getByRole('link', { name: 'Activity', exact: true }).click();
  await onPage(page, 'No tables yet').waitFor();
  await page.goto(`${listUrl}/main__orders`);
  await onPage(page, 'Table not found').waitFor();

  await pages.getByRole('link', { name: 'Query', exact: true }).click();
  await replaceText(page.getByRole('textbox', { name: 'SQL', exact: true }), 'SELECT 1');
  await click('Run');
  // No agent runs it: the page says so, and keeps the text.
  await page.getByRole('alert').getByText('Failed to run the query').waitFor();
  assert.equal(new URL(page.url()).searchParams.get('sql'), 'SELECT 1');
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.context().close();
});

test('a topic becomes a table, which is listed, described and queried', long, async () => {
  const { hostname, port } = new URL(`kafka://${stage.local.address('Kafka')}`);
  await kafkaOf(`${hostname}:${port}`, async ({ admin, producer }) => {
    await admin.createTopics({ topics: [{ topic: 'orders', numPartitions: 1 }], waitForLeaders: true });
    const value = (id: number) => JSON.stringify({ id, customer: `customer ${id}`, total: id * 1.5 });
    await producer.send({
      topic: 'orders',
      messages: [{ value: value(1) }, { value: value(2) }, { value: '{' }],
    });
  });
  const page = await stage.open();
  const click = (name: string) => button(page, name).click();
  await page.goto(`${stage.url}/clusters`);
  // The data lake that every local process has.
  await page.getByRole('link', { name: 'tables', exact: true }).click();
  const pages = page.locator('aside').getByRole('navigation', { name: 'Pages' });
  await pages.getByRole('link', { name: 'Tables', exact: true }).click();
  await page.getByRole('link', { name: 'Create pipeline', exact: true }).click();
  await field(page, 'Name').fill('orders');
  await button(dialogOf(page), 'Create pipeline').click();
  await onPage(page, 'Write a JSON topic to a table').waitFor();
  const { yaml } = pipelineTemplates.find(({ type }) => type === 'data_lake')!;
  await replaceText(
    page.getByRole('textbox', { name: 'Configuration', exact: true }),
    yaml
      .replace('hostname: localhost', `hostname: ${hostname}`)
      .replace('port: 9092', `port: ${port}`)
      .replace('dlq_mode: keep', 'commit_interval: 1s\n    dlq_mode: keep'),
  );
  await onPage(page, 'Valid configuration').waitFor();
  await click('Review and deploy');
  await click('Deploy');
  await onPage(page, 'version 1 deployed').waitFor();
  await click('Start');

  await pages.getByRole('link', { name: 'Tables', exact: true }).click();
  const row = page.getByRole('grid', { name: 'Tables' }).getByRole('row', { name: /main__orders.*healthy/ });
  await row.waitFor();
  await row.getByRole('link', { name: 'main__orders' }).click();
  // A chart with the samples of the leader.
  const charts = page.getByRole('region', { name: 'Charts', exact: true });
  await charts.getByText('rows committed').waitFor();
  for (const [tab, shown] of [
    ['Schema', 'kafka_offset'],
    ['Snapshots', 'append'],
    ['Files', /\.parquet$/],
    ['Failed records', 'decode'],
  ] as const) {
    await page.getByRole('link', { name: tab, exact: true }).click();
    await onPage(page, shown).first().waitFor();
  }
  await page.getByRole('link', { name: 'Query', exact: true }).last().click();
  await click('Run');
  await page.getByRole('grid', { name: 'Result' }).getByText('customer 2', { exact: true }).waitFor();
  await page.context().close();
});
