import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type Clock, systemClock } from '@weir/core';
import type { JournalHub } from '../src/journal.ts';

/** What journals do whose processes may be in several regions. */
export function regionsContract(driver: string, open: (clock: Clock) => JournalHub): void {
  test(`${driver}: members have regions, which change with an announcement`, async () => {
    const hub = open(systemClock);
    const suffix = randomUUID();
    const one = { id: `1-${suffix}`, url: 'http://one', region: 'us-east-1' };
    const two = { id: `2-${suffix}`, url: 'http://two' };
    const ours = async () => (await hub.members()).filter(({ id }) => id.endsWith(suffix));
    await hub.announce(one);
    await hub.announce(two);
    assert.deepEqual(await ours(), [one, two]);
    await hub.announce({ ...one, region: 'us-west-2' });
    await hub.announce({ ...two, region: 'us-east-1' });
    assert.deepEqual(await ours(), [
      { ...one, region: 'us-west-2' },
      { ...two, region: 'us-east-1' },
    ]);
    await hub.withdraw(one.id);
    await hub.withdraw(two.id);
    await hub.close();
  });
}
