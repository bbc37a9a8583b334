import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { openJournals } from '@weir/journal';
import { Members } from './members.ts';

test('a process replaces what was announced at its address before', async (t) => {
  const clock = new HandClock();
  const hub = openJournals(`memory://${randomUUID()}`, { clock, log: silentLog });
  const members = new Members({ hub, onRefresh: () => {}, clock, log: silentLog });
  t.after(() => members.stop());
  await hub.announce({ id: 'killed', url: 'http://a' });
  await hub.announce({ id: 'other', url: 'http://b' });
  await members.start({ id: 'started again', url: 'http://a' });
  assert.deepEqual(
    members.living.map(({ id }) => id),
    ['other', 'started again'],
  );

  // Two processes with one address, against the manual: neither removes the other again and again.
  await hub.announce({ id: 'second', url: 'http://a' });
  await clock.pass(2_000);
  assert.deepEqual(
    members.living.map(({ id }) => id),
    ['other', 'started again', 'second'],
  );
});

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
  assert.deepEqual(
    [...asAnnounced, 'http://e'].map((url) => members.regionOf(url)),
    ['west', 'east', undefined, 'east', undefined],
  );
  await hub.withdraw('b');
  await members.refresh();
  assert.deepEqual(members.urls('west'), ['http://c', 'http://d', 'http://a']);
  assert.deepEqual(
    members.living.map(({ region }) => region),
    ['east', undefined, 'east'],
  );
});
