import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pause } from '../brokers/waiting.ts';
import { startLocal, type WeirProcess } from '../brokers/weir-process.ts';
import { missingChromium } from './chromium.ts';
import { button, dialogOf, message, onPage } from './find.ts';
import { kafkaOf } from './kafka.ts';
import { deployMigration } from './migration.ts';
import { assertFitsPhone } from './phone.ts';
import { accessibilityProblems, openStage, type Stage } from './stage.ts';

const skip = missingChromium();
const desk = { width: 1440, height: 900 };
const long = { skip, timeout: 400_000 };

let stage: Stage;
let source: WeirProcess;
if (skip === false) {
  stage = await openStage({ after });
  source = await startLocal({ after });
}

test(
  'the page of the cut-over says what holds a topic back, and goes on once that has ended',
  long,
  async () => {
    const broker = source.address('Kafka');
    const write = (to: string, topic: string, value: string) =>
      kafkaOf(to, async ({ producer }) => {
        await producer.send({ topic, messages: [{ value }] });
      });
    await kafkaOf(broker, async ({ admin }) => {
      const topics = ['orders', 'bills'].map((topic) => ({ topic, numPartitions: 1 }));
      await admin.createTopics({ topics, waitForLeaders: true });
    });
    await write(broker, 'orders', 'first');
    const page = await stage.open();
    await deployMigration(stage, page, broker);
    await button(page, 'Start').click();
    await page.getByRole('link', { name: 'Cut-over', exact: true }).click();

    const steps = page.getByRole('list', { name: 'Steps', exact: true });
    const countOf = (step: number, count: string) =>
      steps.getByRole('listitem').nth(step).getByText(count, { exact: true });
    const held = page.getByRole('list', { name: 'Topics that are held back', exact: true });
    const heldBack = (topic: string) =>
      held.locator('> li').filter({ has: page.getByRole('link', { name: topic, exact: true }) });
    const confirm = async (name: string, said: string) => {
      await button(page, name).click();
      await button(dialogOf(page), name).click();
      await message(page, said).waitFor();
    };
    await countOf(0, '2').waitFor();
    for (const topic of ['orders', 'bills'])
      await heldBack(topic)
        .getByText(/start forwarding, and point producers here/)
        .waitFor();
    await confirm('Start forwarding', 'Agents forward writes now');
    await countOf(1, '2').waitFor();

    // A producer that was forgotten writes to the source, past the agents, until it is found.
    let isForgotten = true;
    const forgotten = (async () => {
      while (isForgotten) {
        await write(broker, 'orders', 'past the agents');
        await pause(500);
      }
    })();
    forgotten.catch(() => undefined);
    try {
      const pastAgents = heldBack('orders').getByText(/the source got \d+ records past the agents/);
      await Promise.race([pastAgents.waitFor(), forgotten]);
      await confirm('Cut over', 'The cut-over is initiated');
      await onPage(page, '2 topics are being cut over.').waitFor();
      await heldBack('orders').getByText('proxy, cutting over', { exact: true }).waitFor();
      // The other topic waits, because they go together.
      await heldBack('bills')
        .getByText(/waits for topics of the same cut-over/)
        .waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);
      await assertFitsPhone(page);
      await page.setViewportSize(desk);
      // The page of the topic says the same.
      await heldBack('orders').getByRole('link', { name: 'orders', exact: true }).click();
      await page
        .getByRole('list', { name: 'What holds back the cut-over', exact: true })
        .getByText(/the source got \d+ records past the agents/)
        .waitFor();
      await page.goBack();

      await confirm('Abort', 'Agents forward writes again');
      await onPage(page, '2 topics are being cut over.').waitFor({ state: 'hidden' });
      await countOf(1, '2').waitFor();
      await pastAgents.waitFor();
    } finally {
      isForgotten = false;
    }
    await forgotten;

    await confirm('Cut over', 'The cut-over is initiated');
    await onPage(page, 'All 2 topics that can be copied are migrated.').waitFor();
    await countOf(3, '2').waitFor();
    await held.waitFor({ state: 'hidden' });
    // Clients write here behind all that the source got, past the agents or not.
    let end = '';
    await kafkaOf(broker, async ({ admin }) => {
      end = (await admin.fetchTopicOffsets('orders'))[0]!.high;
    });
    await kafkaOf(stage.local.address('Kafka'), async ({ producer }) => {
      const [written] = await producer.send({ topic: 'orders', messages: [{ value: 'here' }] });
      assert.equal(written!.baseOffset, end);
    });
    await page.context().close();
  },
);
