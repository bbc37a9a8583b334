import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { missingKcat } from '../brokers/kcat.ts';
import { pythonWith } from '../python/venv.ts';
import { missingChromium } from './chromium.ts';
import { button, dialogOf, field } from './find.ts';
import { assertFitsPhone } from './phone.ts';
import { accessibilityProblems, openStage, type Stage } from './stage.ts';

const skip = missingChromium();
const bounded = { skip, timeout: 240_000 };
const root = join(import.meta.dirname, '../../..');

let stage: Stage;
let page: Page;
if (skip === false) {
  stage = await openStage({ after });
  page = await stage.open();
  await page.goto(await stage.urlOf('/clusters/{id}/credentials'));
  await button(page, 'Create credential').click();
  await field(dialogOf(page), 'Name').fill('snippets');
  await button(dialogOf(page), 'Create credential').click();
}

type Run = (snippet: string) => readonly [command: string, args: readonly string[]];

/** Snippets call `weir`, as it is where it is installed. */
const shell: Run = (snippet) => ['sh', ['-c', `PATH=${join(root, 'bin')}:$PATH\n${snippet}`]];
const node: Run = (snippet) => [process.execPath, ['--input-type=module', '-e', snippet]];
const python =
  (name: 'confluent-kafka' | 'kafka-python'): Run =>
  (snippet) => [pythonWith(name).python!, ['-B', '-c', snippet]];

const cases: readonly [language: string, missing: () => string | false, run: Run][] = [
  ['weir', () => false, shell],
  ['kcat', missingKcat, shell],
  ['kafkajs', () => false, node],
  ['platformatic', () => false, node],
  ['python', () => pythonWith('confluent-kafka').missing, python('confluent-kafka')],
  ['kafka-python', () => pythonWith('kafka-python').missing, python('kafka-python')],
];

/** Runs a snippet until it ends, or until it has printed what is wanted. */
async function outputOf(
  [command, args]: ReturnType<Run>,
  { signal }: TestContext,
  wanted?: string,
): Promise<string> {
  const child = spawn(command, args, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // The shell and what it started.
  const end = () => process.kill(-child.pid!, 'SIGKILL');
  signal.addEventListener('abort', end);
  let out = '';
  let all = '';
  let isEnough = false;
  const take = (text: string, isOut: boolean) => {
    all += text;
    if (isOut) out += text;
    if (wanted === undefined || isEnough || !out.includes(wanted)) return;
    isEnough = true;
    end();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => take(text, true));
  child.stderr.setEncoding('utf8').on('data', (text: string) => take(text, false));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  signal.removeEventListener('abort', end);
  assert.ok(isEnough || code === 0, `ended with ${code}: ${all}`);
  return out;
}

for (const [language, missing, run] of cases) {
  const reason = skip === false ? missing() : skip;
  test(`the snippets of ${language} write a record and read it`, { ...bounded, skip: reason }, async (t) => {
    const dialog = dialogOf(page);
    await field(dialog, 'Language').selectOption(language);
    await field(dialog, 'Topic of the snippet').fill(`hello-${language}`);
    const title = await field(dialog, 'Language').locator('option:checked').innerText();
    const snippet = () =>
      dialog.getByRole('region', { name: title, exact: true }).locator('code').innerText();
    await button(dialog, 'Produce').click();
    await outputOf(run(await snippet()), t);
    await button(dialog, 'Consume').click();
    await field(dialog, 'Group of the snippet').fill(`readers-${language}`);
    assert.match(await outputOf(run(await snippet()), t, 'first record'), /first record/);
  });
}

test('pages of topics, groups and credentials have snippets', bounded, async () => {
  assert.deepEqual(await accessibilityProblems(page), []);
  await button(page, 'Done').click();
  const dialog = dialogOf(page);
  const snippet = (title: string) => dialog.getByRole('region', { name: title, exact: true }).locator('code');
  await page.getByRole('button', { name: /^Connect as (?:ccn_)?snippets$/ }).click();
  await field(dialog, 'Language').selectOption('java');
  await snippet('Java')
    .getByText(/username=\\"ccun_[^"]*\\" password=\\"PASSWORD\\"/)
    .waitFor();
  await field(dialog, 'Security').selectOption('SASL_SSL');
  await snippet('Java')
    .getByText(/SASL_SSL/)
    .waitFor();
  await page.goto(await stage.urlOf('/clusters/{id}/topics/hello-weir'));
  await button(page, 'Connect').click();
  assert.equal(await field(dialog, 'Language').inputValue(), 'java', 'the language is remembered');
  await field(dialog, 'Language').selectOption('go');
  await snippet('Go (franz-go)')
    .getByText(/Topic: "hello-weir"/)
    .waitFor();
  await assertFitsPhone(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(await stage.urlOf('/clusters/{id}/consumer-groups/readers-weir'));
  await button(page, 'Connect').click();
  await snippet('Go (franz-go)')
    .getByText(/kgo\.ConsumerGroup\("readers-weir"\)/)
    .waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.context().close();
});
