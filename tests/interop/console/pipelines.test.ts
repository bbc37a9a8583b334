import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { missingChromium } from './chromium.ts';
import { replaceText } from './editor.ts';
import { button, dialogOf, field, onPage } from './find.ts';
import { testPages } from './pages.ts';
import { openStage, type Stage } from './stage.ts';

const skip = missingChromium();

let stage: Stage;
if (skip === false) stage = await openStage({ after });

testPages(
  () => stage,
  [
    {
      path: '/clusters/{id}/pipelines',
      shows: ['No pipelines yet', 'No secrets yet'],
    },
    { path: '/clusters/{id}/pipelines/missing', shows: ['Failed to describe the pipeline'] },
  ],
);

const yamlTo = (topic: string) =>
  `input:\n  kafka_franz_service: { topics: [orders], consumer_group: cleaner }\noutput:\n  kafka_franz_service: { topic: ${topic} }\n`;

const long = { skip, timeout: 180_000 };

async function openPipelines() {
  const page = await stage.open();
  await page.goto(await stage.urlOf('/clusters/{id}/pipelines'));
  return { page, click: (name: string) => button(page, name).click() };
}

test('a pipeline is made, broken, fixed, deployed, rolled back and deleted', long, async () => {
  const { page, click } = await openPipelines();
  await click('Create pipeline');
  await field(page, 'Name').fill('clean orders');
  await click('Create pipeline');
  await page.getByRole('heading', { name: 'clean orders', exact: true }).waitFor();

  const editor = page.getByRole('textbox', { name: 'Configuration', exact: true });
  await replaceText(editor, yamlTo('clean').replace('output:', 'outputs:'));
  const problems = page.getByRole('list', { name: 'Problems', exact: true });
  await problems
    .getByRole('button', { name: /^\d+:\d+$/ })
    .first()
    .click();

  for (const [topic, version] of [
    ['clean', 1],
    ['cleaner', 2],
  ] as const) {
    await replaceText(editor, yamlTo(topic));
    await onPage(page, 'Valid configuration').waitFor();
    await click('Review and deploy');
    await click('Deploy');
    await onPage(page, `version ${version} deployed`).waitFor();
  }

  await page.getByRole('link', { name: 'Versions', exact: true }).click();
  await page.getByRole('button', { name: /^Version 1/ }).click();
  await click('Deploy version 1');
  await onPage(page, 'version 1 deployed').waitFor();

  await page.getByRole('link', { name: 'Logs', exact: true }).click();
  await onPage(page, 'Events are disabled').waitFor();

  await click('Delete');
  await field(page, 'Type clean orders to confirm').fill('clean orders');
  await click('Delete pipeline');
  await onPage(page, 'No pipelines yet').waitFor();
  await page.context().close();
});

test('sample messages go through a configuration, and every step shows its result', long, async () => {
  const { page, click } = await openPipelines();
  await click('Create pipeline');
  await field(page, 'Name').fill('tried');
  await click('Create pipeline');
  const editor = page.getByRole('textbox', { name: 'Configuration', exact: true });
  const processors = '[{mapping: root.id = this.id}, {mapping: root = this.id.uppercase()}]';
  await replaceText(
    editor,
    `input: {generate: {mapping: root = 1}}\npipeline: {processors: ${processors}}\noutput: {drop: {}}\n`,
  );
  await onPage(page, 'Valid configuration').waitFor();
  await replaceText(page.getByRole('textbox', { name: /^Sample messages/ }), '{"id": 7, "name": "x"}');
  await click('Try');
  const steps = page.getByRole('list', { name: 'Steps', exact: true });
  await steps.getByText('{"id":7}').first().waitFor();
  await steps.getByText(/expected string value, got number/).waitFor();
  await page.context().close();
});

test('a running pipeline shows what it reads and writes, and its errors lead to events', long, async () => {
  const { page, click } = await openPipelines();
  await click('Create pipeline');
  await field(page, 'Name').fill('counting');
  await click('Create pipeline');
  await replaceText(
    page.getByRole('textbox', { name: 'Configuration', exact: true }),
    [
      "input: {generate: {mapping: 'root.n = 1', interval: 20ms}}",
      'pipeline: {processors: [{mapping: root = throw("refused it")}]}',
      'output: {drop: {}}',
      'error_handling: {log: {enabled: true}}',
      '',
    ].join('\n'),
  );
  await onPage(page, 'Valid configuration').waitFor();
  await click('Review and deploy');
  await click('Deploy');
  await onPage(page, 'version 1 deployed').waitFor();
  await click('Start');
  await page.getByRole('link', { name: 'Activity', exact: true }).click();
  const instances = page.getByRole('grid', { name: 'Instances', exact: true });
  await instances
    .getByText(/^\d[\d.,]*\/s · [1-9]/)
    .first()
    .waitFor();
  const errors = page.getByRole('list', { name: 'Last errors', exact: true });
  await errors.getByText(/refused it/).waitFor();
  await errors.getByText(/root\.pipeline\.processors\.0 \(line 2, column \d+\)/).waitFor();
  await page.getByRole('img', { name: /^Messages per second/ }).waitFor();
  await errors.getByRole('link', { name: 'Events', exact: true }).click();
  await onPage(page, 'Events are disabled').waitFor();
  assert.match(
    new URL(page.url()).searchParams.get('filter') ?? '',
    /data\.stage == "root\.pipeline\.processors\.0"/,
  );
  await click('Pause');
  await page.context().close();
});

test('a secret is made, rotated and deleted, and its value is not on the page', long, async () => {
  const { page, click } = await openPipelines();
  await click('New secret');
  await field(page, 'Name').fill('registry-password');
  await field(page, 'Value').fill('correct-horse');
  await click('Create the secret');
  const secrets = page.getByRole('region', { name: 'Secrets', exact: true });
  await secrets.getByText('version 1').waitFor();
  await click('Rotate registry-password');
  await field(page, 'Value').fill('battery-horse');
  await click('Set the new value');
  await secrets.getByText('version 2').waitFor();
  assert.doesNotMatch(await page.content(), /-horse/);
  await click('Delete registry-password');
  await button(dialogOf(page), 'Delete registry-password').click();
  await onPage(page, 'No secrets yet').waitFor();
  await page.context().close();
});
