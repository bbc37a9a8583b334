import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lightClient, missingGo } from './compare/light-client.ts';
import { Lifetime } from './kafka/lifetime.ts';
import { openNodeLoad } from './kafka/node-load.ts';
import { startLocal } from './kafka/weir.ts';

const skip = missingGo() && 'there is no Go on PATH';

test('the light client reads what it wrote, and says in one line why a server refused it', { skip }, () =>
  Lifetime.during(async (lifetime) => {
    const broker = await startLocal(lifetime, { profileFolder: undefined });
    const run = lightClient();
    const at = ['--server', broker.servers, '--partitions', '3'];
    await openNodeLoad().createTopics(broker.servers, ['light'], 3);

    const bytes = 20 * 2 * 4 * 1100;
    const work = ['--topic', 'light', '--batches', '2', '--records', '4', '--connections', '2'];
    const written = await run(['produce', ...at, ...work, '--bytes', String(bytes)]);
    assert.ok(written.bytes > 0 && written.bytes <= bytes, `${written.bytes} of ${bytes} bytes`);
    assert.equal(written.requests % 2, 0);
    assert.ok(written.p50Ms > 0 && written.p50Ms <= written.p999Ms);

    const read = await run(['fetch', ...at, '--topic', 'light', '--bytes', String(written.bytes)]);
    assert.equal(read.bytes, written.bytes);

    // command; what stderr says
    const refused: [command: string, topic: string, line: RegExp][] = [
      ['produce', 'missing', /^light-client: produce to missing-\d failed with error code 3\n$/],
      ['fetch', 'missing', /^light-client: fetch of missing-\d failed with error code 17\n$/],
    ];
    for (const [command, topic, line] of refused) {
      await assert.rejects(run([command, ...at, '--topic', topic]), ({ stderr }: { stderr: string }) => {
        assert.match(stderr, line);
        return true;
      });
    }
    await broker.stop();
  }),
);
