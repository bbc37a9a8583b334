import type { OutputOf } from '@weir/api';
import type { Page } from 'playwright-core';
import { pause } from '../brokers/waiting.ts';
import { callOf } from './call.ts';
import { replaceText } from './editor.ts';
import { button, dialogOf, field, onPage } from './find.ts';
import type { Stage } from './stage.ts';

/** Creates a migration of all topics of a broker on the pages of pipelines. It is not started. */
export async function deployMigration(stage: Stage, page: Page, broker: string): Promise<void> {
  const [hostname, port] = broker.split(':');
  const click = (name: string) => button(page, name).click();
  await page.goto(await stage.urlOf('/clusters/{id}/pipelines'));
  await click('Create pipeline');
  await field(page, 'Name').fill('move');
  await field(page, 'Type').selectOption({ label: 'Replication from Kafka' });
  await button(dialogOf(page), 'Create pipeline').click();
  await click('Move from another Kafka cluster');
  const editor = page.getByRole('textbox', { name: 'Configuration', exact: true });
  await replaceText(
    editor,
    `source_bootstrap_brokers: [{hostname: ${hostname}, port: ${port}}]\ntopic_mappings: [{source_regex: ".*"}]\n`,
  );
  await onPage(page, 'Valid configuration').waitFor();
  await click('Review and deploy');
  await click('Deploy');
  await onPage(page, 'version 1 deployed').waitFor();
}

/** Remembers the copy of a topic. What it returns waits until there is another one. */
export async function untilCopiedAgain(stage: Stage, name: string): Promise<() => Promise<void>> {
  const call = await callOf(stage);
  const copy = async () => {
    const { topics } = (await call('orbit/describe_migration', {})) as OutputOf<'orbit/describe_migration'>;
    return topics.find(({ topic, state }) => topic === name && state === 'replicating')?.topic_id;
  };
  const before = await copy();
  return async () => {
    for (let now = await copy(); now === undefined || now === before; now = await copy()) await pause(200);
  };
}
