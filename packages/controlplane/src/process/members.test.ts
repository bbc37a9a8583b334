import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { openJournals } from '@weir/journal';
import { Members } from './members.ts';

test('agents get the addresses of their region first', async (t) => {
  const clock = new HandClock();
  const hub = openJournals(`memory://${randomUUID()}`, { clock, log: silentLog });
  const members = new Members({ hub, onRefresh: () => {}, clock, log: silentLog });
  t.after(() => members.stop());
  await hub.announce({ id: 'b', url: 'http://b', region: 'west' });
  await hub.announce({ id: 'c', url: 'http://c', region: 'east' });
  await hub.announce({ id: 'd', url: 'http://d' });
  await members.start({ id: 'a', url: 'http://a', region: 'east' });
  const asAnnounced = ['http://b', 'http://c', 'http://d', 'http://a'];
  assert.deepEqual(members.urls(), asAnnounced);
  assert.deepEqual(members.urls('east'), ['http://c', 'http://a', 'http://b', 'http://d']);
  assert.deepEqual(members.urls('west'), ['http://b', 'http://c', 'http://d', 'http://a']);
  assert.equal(members.urls('nowhere'), members.urls(), 'names of regions that agents invent take no memory');
  assert.equal(members.urls('east'), members.urls('east'));
  await hub.withdraw('b');
  await members.refresh();
  assert.deepEqual(members.urls('west'), ['http://c', 'http://d', 'http://a']);
  assert.deepEqual(
    members.living.map(({ region }) => region),
    ['east', undefined, 'east'],
  );
});
