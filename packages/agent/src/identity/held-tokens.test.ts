import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeldTokens } from './held-tokens.ts';

const at = (region: string | undefined, url = 'http://a/') => ({ url, region });
const byRegion = { own: 'east', tokens: new Map(['east', 'west'].map((name) => [name, `agt_${name}`])) };
const held = () => new HeldTokens({ text: 'agt_east', lifetimeMs: 1_000, byRegion }, 5);

test('each region has its token, and a region without one has none', () => {
  const tokens = held();
  assert.deepEqual(
    ['east', 'west', 'north'].map((region) => tokens.at(at(region))),
    ['agt_east', 'agt_west', undefined],
  );
  assert.deepEqual(tokens.missing(['north', 'west']), ['north']);
  assert.equal(tokens.endMs, 1_005);
  assert.equal(tokens.refuse('agt_west', at('west')), true, 'no other token is for that region');
  assert.equal(tokens.at(at('west')), 'agt_west');
});

test('where the region is not known, each token is tried once', () => {
  const tokens = held();
  const unknown = at(undefined);
  assert.equal(tokens.at(unknown), 'agt_east', 'that of the region which answered');
  assert.equal(tokens.refuse('agt_west', unknown), false, 'it was not tried');
  assert.equal(tokens.refuse('agt_east', unknown), false);
  assert.equal(tokens.at(unknown), 'agt_west');
  assert.equal(tokens.at(at(undefined, 'http://b/')), 'agt_east', 'at another address it may be accepted');
  assert.equal(tokens.refuse('agt_west', unknown), true);
  assert.equal(tokens.at(unknown), undefined);
  assert.equal(tokens.at(at('east')), 'agt_east', 'the region of the address is known meanwhile');
});

test('a token without a region serves in all', () => {
  const tokens = new HeldTokens({ text: 'agt_all', lifetimeMs: 1_000 }, 0);
  for (const place of [undefined, at(undefined), at('east')]) assert.equal(tokens.at(place), 'agt_all');
  assert.deepEqual([tokens.regions, tokens.missing(['east'])], [[], []]);
  assert.equal(tokens.refuse('agt_old', at('east')), false);
  assert.equal(tokens.refuse('agt_all', at('east')), true);
});
