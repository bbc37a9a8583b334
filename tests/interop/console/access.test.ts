import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Kafka, logLevel } from 'kafkajs';
import { missingChromium } from './chromium.ts';
import { button, dialogOf, field, onPage, undoOf } from './find.ts';
import { kafkaOf } from './kafka.ts';
import { type PageCase, testPages } from './pages.ts';
import { accessibilityProblems, openStage, type Stage } from './stage.ts';

const skip = missingChromium();
const bounded = { skip, timeout: 180_000 };

let stage: Stage;
if (skip === false) {
  stage = await openStage({ after });
  await kafkaOf(stage.local.address('Kafka'), async ({ admin }) => {
    await admin.createTopics({ topics: [{ topic: 'orders' }], waitForLeaders: true });
  });
}

const pages: readonly PageCase[] = [
  { path: '/clusters/{id}/acls', shows: ['ACLs are off: all requests are allowed', 'No ACLs yet'] },
  {
    path: '/clusters/{id}/acls?principal=alice&operation=READ&resource_name=orders',
    shows: ['Allowed', 'The rules would deny it, but ACLs are off.'],
  },
  { path: '/clusters/{id}/credentials', shows: ['Create credential', 'User name'] },
  { path: '/clusters/{id}/workload-identities', shows: ['No federations yet'] },
];

testPages(() => stage, pages);

interface Login {
  readonly username: string;
  readonly password: string;
}

const kafkaAs = (sasl: Login) =>
  new Kafka({
    brokers: [stage.local.address('Kafka')],
    sasl: { mechanism: 'plain', ...sasl },
    logLevel: logLevel.NOTHING,
    retry: { retries: 1 },
  });

function send(sasl: Login): Promise<string> {
  const producer = kafkaAs(sasl).producer();
  return producer
    .connect()
    .then(() => producer.send({ topic: 'orders', messages: [{ value: 'one' }] }))
    .then(
      () => 'sent',
      (error: Error) => error.message,
    )
    .finally(() => producer.disconnect());
}

/** Reads the first record of the topic as a member of a group, once the rules have reached the agent. */
async function readOne(sasl: { readonly username: string; readonly password: string }): Promise<string> {
  const consumer = new Kafka({
    brokers: [stage.local.address('Kafka')],
    sasl: { mechanism: 'plain', ...sasl },
    logLevel: logLevel.NOTHING,
  }).consumer({ groupId: 'readers' });
  for (let attempt = 1; ; attempt++) {
    try {
      await consumer.connect();
      await consumer.subscribe({ topic: 'orders', fromBeginning: true });
      break;
    } catch (error) {
      assert.ok(attempt < 100, String(error));
    }
  }
  try {
    return await new Promise<string>((resolve, reject) => {
      consumer.on('consumer.crash', ({ payload }) => !payload.restart && reject(payload.error));
      consumer.run({ eachMessage: async ({ message }) => resolve(String(message.value)) }).catch(reject);
    });
  } finally {
    await consumer.disconnect();
  }
}

function logIn(sasl: Login): Promise<string> {
  const admin = kafkaAs(sasl).admin();
  return admin
    .connect()
    .then(
      () => 'logged in',
      (error: Error) => error.message,
    )
    .finally(() => admin.disconnect());
}

/** Agents learn of credentials and rules within seconds. */
async function until(outcomeOf: () => Promise<string>, wanted: RegExp): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await outcomeOf();
    if (wanted.test(outcome)) return;
    assert.ok(attempt < 100, outcome);
  }
}

const sendUntil = (sasl: Login, wanted: RegExp) => until(() => send(sasl), wanted);
const logInUntil = (sasl: Login, wanted: RegExp) => until(() => logIn(sasl), wanted);

test('why is this producer denied: credential, denial, tester, rule, allowed', bounded, async () => {
  const page = await stage.open();
  await page.goto(await stage.urlOf('/clusters/{id}/credentials'));
  await button(page, 'Create credential').click();
  const dialog = dialogOf(page);
  await field(dialog, 'Name').fill('a name');
  await button(page, 'Create credential').click();
  await dialog.getByRole('alert').waitFor();
  assert.equal(await field(dialog, 'Name').inputValue(), 'a name', 'what was typed stays');
  await field(dialog, 'Name').fill('bob');
  await button(page, 'Create credential').click();
  await field(dialog, 'Language').selectOption('kafkajs');
  const snippet = await dialog.getByRole('region', { name: 'JavaScript (kafkajs)', exact: true }).innerText();
  assert.deepEqual(await accessibilityProblems(page), []);
  const sasl = JSON.parse(/sasl: (\{.*\}) \}\)/.exec(snippet)![1]!) as { username: string; password: string };
  assert.ok(snippet.includes(stage.local.address('Kafka')), snippet);
  await sendUntil(sasl, /^sent$/);

  // What is said never lies over a sheet, on a phone neither.
  await page.setViewportSize({ width: 360, height: 640 });
  await dialog
    .getByRole('button', { name: /^Copy the command/ })
    .first()
    .click();
  await page.locator('[data-toast]').first().waitFor();
  await page.waitForFunction(
    `document.querySelector('[data-modal]').getBoundingClientRect().bottom <= document.querySelector('[data-toast]').getBoundingClientRect().top`,
  );
  await button(page, 'Done').click();
  await page.setViewportSize({ width: 1440, height: 900 });

  await page
    .getByRole('navigation', { name: 'Sections', exact: true })
    .getByRole('link', { name: 'ACLs', exact: true })
    .click();
  await page.locator('main').getByRole('button', { name: 'Change', exact: true }).click();
  await page.getByRole('menuitem', { name: /^Enforce:/ }).click();
  await onPage(page, 'ACLs are enforced').waitFor();
  await sendUntil(sasl, /not authorized/i);

  await field(page, 'Principal').fill('User:ccn_bob');
  await field(page, 'Resource name').fill('orders');
  await button(page, 'Test').click();
  await onPage(page, 'Denied').waitFor();
  assert.equal(
    new URL(page.url()).searchParams.get('resource_name'),
    'orders',
    'the question can be sent on',
  );
  assert.deepEqual(await accessibilityProblems(page), []);
  await button(page, 'Review and create').click();
  assert.equal(await field(dialog, 'Principal').inputValue(), 'User:bob', 'one name per principal');
  await button(dialog, 'Create ACL').click();
  await onPage(page, 'Allowed').waitFor();
  await onPage(page, '1 rule').waitFor();
  await sendUntil(sasl, /^sent$/);

  await button(page, 'Delete: User:bob may WRITE topic orders').click();
  await onPage(page, 'Denied').waitFor();
  await undoOf(page, 'Deleted: User:bob may WRITE topic orders').click();
  await onPage(page, 'Allowed').waitFor();

  // Roles: rules to review, one changed, one taken out, and all created as one task that can be undone.
  await button(page, 'Grant roles').click();
  await button(dialog, 'Add rules').click();
  await dialog
    .getByRole('alert')
    .getByText(/^Enter a principal/)
    .waitFor();
  await field(dialog, 'Principals').fill('User:bob, User:audit');
  await field(dialog, 'Topics').fill('orders, pay.*');
  await field(dialog, 'Consumer groups').fill('readers');
  await button(dialog, 'Add rules').click();
  await field(dialog, 'Role').selectOption('producer');
  await field(dialog, 'Principals').fill('User:bob');
  await field(dialog, 'Topics').fill('orders');
  await button(dialog, 'Add rules').click();
  const review = dialog.getByRole('region', { name: 'Rules to create', exact: true });
  await review.getByText('12 rules to review', { exact: true }).waitFor();
  await review.getByText('exists already', { exact: true }).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await button(review, 'Remove: User:audit may DESCRIBE topic pay.…').click();
  await button(review, 'Edit: User:audit may READ topic pay.…').click();
  await field(review, 'Resource name').fill('paid.');
  await button(review, 'Change rule').click();
  await review.getByText('User:audit may READ topic paid.…', { exact: true }).waitFor();
  await button(dialog, 'Create 10 rules').click();
  await onPage(page, '11 rules').waitFor();
  assert.equal(await readOne(sasl), 'one');
  const tray = page.getByRole('region', { name: 'Tasks', exact: true });
  await tray.getByText('Created 10 ACLs', { exact: true }).waitFor();
  await button(tray, 'Undo').click();
  await tray.getByText('Deleted 10 ACLs', { exact: true }).waitFor();
  await onPage(page, '1 rule').waitFor();
  await button(tray, 'Clear').click();

  await button(page, 'Import and export').click();
  await page.getByRole('menuitem', { name: 'Export as JSON', exact: true }).click();
  const json = await field(dialog, 'Rules as JSON').inputValue();
  await page.keyboard.press('Escape');
  await button(page, 'Import and export').click();
  await page.getByRole('menuitem', { name: 'Import from JSON', exact: true }).click();
  await field(dialog, 'Rules as JSON').fill('nothing');
  await button(page, 'Import').click();
  await dialog.getByText(/Not valid JSON/).waitFor();
  await field(dialog, 'Rules as JSON').fill(json.replace('"WRITE"', '"READ"'));
  await button(page, 'Import').click();
  await onPage(page, '2 rules').waitFor();
  await page.context().close();
});

test(
  'a password is rotated: both work, the page says when the old one ends, and it is ended',
  bounded,
  async () => {
    const page = await stage.open();
    await page.goto(await stage.urlOf('/clusters/{id}/credentials'));
    await button(page, 'Create credential').click();
    const dialog = dialogOf(page);
    await field(dialog, 'Name').fill('carol');
    await button(page, 'Create credential').click();
    await field(dialog, 'Language').selectOption('kafkajs');
    const snippet = dialog.getByRole('region', { name: 'JavaScript (kafkajs)', exact: true });
    const saslOf = async () =>
      JSON.parse(/sasl: (\{.*\}) \}\)/.exec(await snippet.innerText())![1]!) as {
        username: string;
        password: string;
      };
    const first = await saslOf();
    await button(page, 'Done').click();

    await button(page, 'Rotate the password of ccn_carol').click();
    assert.deepEqual(await accessibilityProblems(page), []);
    await field(dialog, 'Old password').selectOption('Valid for 7 days');
    await button(dialog, 'Rotate password').click();
    await dialog.getByText(/^The old password is valid until/).waitFor();
    const second = await saslOf();
    assert.equal(second.username, first.username);
    assert.notEqual(second.password, first.password);
    await button(page, 'Done').click();
    await onPage(page, /^Old password ends in 6 d 23 h$/).waitFor();
    await logInUntil(second, /^logged in$/);
    await logInUntil(first, /^logged in$/);

    await button(page, 'End the old password of ccn_carol').click();
    assert.deepEqual(await accessibilityProblems(page), []);
    await button(dialog, 'End old password now').click();
    await button(page, 'Rotate the password of ccn_carol').waitFor();
    await logInUntil(first, /Authentication failed/i);
    await logInUntil(second, /^logged in$/);
    await page.context().close();
  },
);
