import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBindings } from './bindings-file.ts';

const good = {
  name: 'eks',
  issuer: 'https://oidc.eks.us-east-1.amazonaws.com/id/1',
  clusterId: 'vci_1',
  claims: [{ path: 'sub', value: 'system:serviceaccount:stream:weir' }],
};

function parse(...bindings: unknown[]) {
  return parseBindings(JSON.stringify(bindings));
}

test('omitted fields have their defaults', () => {
  const [binding] = parse(good);
  assert.deepEqual(
    [binding!.name, binding!.audience, binding!.lifetimeMs],
    ['wif_eks', 'weir://vci_1', 3_600_000],
  );
  const [other] = parse({ ...good, audience: 'sts.amazonaws.com', lifetimeSeconds: 60 });
  assert.deepEqual([other!.audience, other!.lifetimeMs], ['sts.amazonaws.com', 60_000]);
});

test('a binding with other contents has another mark', () => {
  const variants: object[] = [
    { ...good },
    { ...good, name: 'other' },
    { ...good, issuer: `${good.issuer}2` },
    { ...good, clusterId: 'vci_2' },
    { ...good, audience: 'other' },
    { ...good, lifetimeSeconds: 61 },
    { ...good, claims: [{ path: 'sub', value: 'other' }] },
    { ...good, claims: [{ path: 'sub', value: 'system:serviceaccount:stream:weir*' }] },
    { ...good, claims: [...good.claims, ...good.claims] },
  ];
  const marks = variants.map((variant) => parse(variant)[0]!.mark);
  assert.equal(new Set(marks).size, variants.length);
  assert.equal(parse({ ...good, name: 'wif_eks' })[0]!.mark, marks[0], 'with or without the prefix');
});

const refused: [what: string, binding: unknown, message: RegExp][] = [
  ['no object', 'eks', /entry 1 is not a binding/],
  ['no name', { ...good, name: undefined }, /entry 1: name is/],
  ['something else', { ...good, issuerUrl: 'x' }, /wif_eks: issuerUrl is not one of name, issuer/],
  ['http', { ...good, issuer: 'http://issuer' }, /issuer is not an https/],
  ['a password', { ...good, issuer: 'https://:secret@issuer' }, /issuer is not an https/],
  ['no address', { ...good, issuer: 'issuer' }, /issuer is not an https/],
  ['a query', { ...good, issuer: 'https://issuer/?a=b' }, /issuer is not an https/],
  ['no cluster', { ...good, clusterId: 'one' }, /clusterId is not vci_/],
  ['an empty audience', { ...good, audience: '' }, /audience is not a text/],
  ['no claims', { ...good, claims: [] }, /at least one/],
  ['claims that are no list', { ...good, claims: { sub: 'x' } }, /at least one/],
  [
    'a claim that every token has',
    { ...good, claims: [{ path: 'sub', value: '*' }] },
    /claim 1: value is empty or a lone/,
  ],
  ['an invalid claim', { ...good, claims: [null] }, /claim 1: is not an object with path and value/],
  ['a claim without a path', { ...good, claims: [{ value: 'x' }] }, /claim 1: path is not a text/],
  ['too many claims', { ...good, claims: Array(33).fill(good.claims[0]) }, /33 claims; at most 32/],
  ['too short a time', { ...good, lifetimeSeconds: 59 }, /from 60 to 86400/],
  ['too long a time', { ...good, lifetimeSeconds: 86_401 }, /from 60 to 86400/],
  ['half a second', { ...good, lifetimeSeconds: 60.5 }, /from 60 to 86400/],
];

for (const [what, binding, message] of refused) {
  test(`refused: ${what}`, () => {
    assert.throws(() => parse(binding), { message });
  });
}

test('duplicate names are refused', () => {
  assert.throws(() => parse(good, { ...good, name: 'wif_eks' }), /two bindings have the name wif_eks/);
  assert.throws(() => parseBindings('{}'), /not a list/);
  assert.throws(() => parseBindings('['), /not JSON/);
});
