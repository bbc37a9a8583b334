import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Kafka, logLevel } from 'kafkajs';
import { startCluster } from '../brokers/weir-process.ts';
import { missingChromium } from './chromium.ts';
import { button, field, onPage } from './find.ts';
import { accessibilityProblems, buildConsole, launchBrowser } from './stage.ts';

const skip = missingChromium();

test('first start to first record, and a second person who joins', { skip, timeout: 180_000 }, async (t) => {
  buildConsole();
  const browser = await launchBrowser(t);
  const { controlPlanes, agents } = await startCluster(t, { controlPlanes: 1, agents: [{ zone: 'a' }] });
  const link = /signs up at (\S+)/.exec(controlPlanes[0]!.output.out)![1]!;
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  context.setDefaultTimeout(90_000);
  const page = await context.newPage();
  await page.goto(link);
  await field(page, 'Account').fill('Example');
  assert.equal(new URL(page.url()).hash, '', 'the token left the address bar');
  assert.deepEqual(await accessibilityProblems(page), []);
  await field(page, 'E-mail').fill('not an address');
  await field(page, 'Your name').fill('Ada');
  await field(page, 'Password').fill('correct horse battery');
  await button(page, 'Set up').click();
  await page
    .getByRole('alert')
    .getByText(/valid e-mail address/)
    .waitFor();
  assert.equal(await field(page, 'Your name').inputValue(), 'Ada', 'what was typed stays');
  await field(page, 'E-mail').fill('ada@example.com');
  await button(page, 'Set up').click();
  await onPage(page, 'Your API key akn_first').waitFor();
  await field(page, 'Language').selectOption('kafkajs');
  const snippet = await page.getByRole('region', { name: 'JavaScript (kafkajs)', exact: true }).innerText();
  assert.deepEqual(await accessibilityProblems(page), []);

  const [, brokers, sasl] = /brokers: (\[.*\]), sasl: (\{.*\}) \}\)/.exec(snippet)!;
  assert.deepEqual(JSON.parse(brokers!), [agents[0]!.address('Kafka')]);
  const kafka = new Kafka({
    brokers: JSON.parse(brokers!),
    sasl: JSON.parse(sasl!),
    logLevel: logLevel.NOTHING,
    retry: { retries: 30, initialRetryTime: 100, maxRetryTime: 500 },
  });
  const producer = kafka.producer();
  const consumer = kafka.consumer({ groupId: 'first' });
  await Promise.all([producer.connect(), consumer.connect()]);
  await producer.send({ topic: 'hello', messages: [{ value: 'first record' }] });
  await consumer.subscribe({ topic: 'hello', fromBeginning: true });
  const value = await new Promise<string>((resolve, reject) => {
    consumer.run({ eachMessage: async ({ message }) => resolve(String(message.value)) }).catch(reject);
  });
  assert.equal(value, 'first record');
  // Before the cluster ends, because they would go on trying to reach it.
  await Promise.all([producer.disconnect(), consumer.disconnect()]);

  await page.goto(`${controlPlanes[0]!.address('control plane')}/team`);
  await button(page, 'Invite member').click();
  await field(page, 'E-mail').fill('grace@example.com');
  await field(page, 'Role').selectOption({ label: 'Read-only' });
  await button(page, 'Invite').click();
  const invitation = await page.getByText(/\/join#/).innerText();
  const otherContext = await browser.newContext({ reducedMotion: 'reduce' });
  otherContext.setDefaultTimeout(90_000);
  const other = await otherContext.newPage();
  await other.goto(invitation.trim());
  await field(other, 'Your name').fill('Grace');
  await field(other, 'Password').fill('another horse battery');
  await button(other, 'Join').click();
  await other.waitForURL(/\/clusters$/);

  // Who may not do something sees which right is missing and who gives it.
  await other.goto(`${controlPlanes[0]!.address('control plane')}/team`);
  await other
    .getByTitle(/admin role .* ask an account administrator/)
    .first()
    .waitFor();
  assert.ok(await button(other, 'Invite member').isDisabled());
});
