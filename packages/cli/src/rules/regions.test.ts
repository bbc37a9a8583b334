import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRegions } from './regions.ts';

test('what several regions need', () => {
  const groups = [{ name: 'us', regions: ['us-east-1', 'us-west-2'] }];
  const none = { multiregion: false, region: undefined, regionGroups: [], databaseURL: undefined };
  const multi = { ...none, multiregion: true, region: 'us-east-1', databaseURL: 'postgres://db/weir' };
  const cases: readonly [
    command: 'agent' | 'control-plane',
    values: Parameters<typeof checkRegions>[0],
    broken: string | undefined,
  ][] = [
    ['control-plane', none, undefined],
    ['control-plane', multi, undefined],
    ['control-plane', { ...multi, regionGroups: groups }, undefined],
    ['control-plane', { ...multi, databaseURL: 'PostgreSQL://db/weir' }, undefined],
    ['control-plane', { ...multi, databaseURL: undefined }, 'missing databaseURL'],
    ['control-plane', { ...multi, databaseURL: '/var/weir.db' }, 'forbidden multiregion databaseURL'],
    ['control-plane', { ...multi, region: undefined }, 'missing region'],
    ['control-plane', { ...none, region: 'us-east-1' }, 'forbidden region'],
    ['control-plane', { ...none, regionGroups: groups }, 'forbidden regionGroups'],
    ['agent', { ...none, multiregion: true }, 'missing region'],
    ['agent', { ...none, multiregion: true, region: 'us-east-1' }, undefined],
    ['agent', { ...none, region: 'us-east-1' }, undefined],
  ];
  for (const [command, values, broken] of cases) {
    const found = checkRegions(values, command);
    const shown = found && [found.kind, ...found.flags].join(' ');
    assert.equal(shown, broken, `${command} ${JSON.stringify(values)}`);
  }
});
