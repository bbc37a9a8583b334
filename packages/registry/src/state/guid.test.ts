import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { fingerprint, guidText, parseGuid, type SchemaIdentity } from './guid.ts';

const texts = {
  AVRO: '"string"',
  JSON: '{"type":"object"}',
  PROTOBUF: 'syntax = "proto3";\nmessage M {}\n',
};

const references = [
  { name: 'n.ä', subject: 's', version: 258 },
  { name: 'b', subject: 't', version: 1 },
];
const referenceBytes = 'n.äs\0\0\x01\x02bt\0\0\0\x01';

const metadata = {
  tags: { z: ['b', 'a', 'b'], a: ['c'] },
  properties: { q: '2', p: '1' },
  sensitive: ['s2', 's1'],
};
const metadataBytes = '\x01acz' + 'ab' + 'p1q2' + 's1s2';

const ruleSet = {
  migrationRules: [{ name: 'm', mode: 'UPGRADE', type: 'JSONATA' }],
  domainRules: [
    {
      name: 'd',
      doc: 'doc',
      kind: 'CONDITION',
      mode: 'WRITE',
      type: 'CEL',
      tags: ['y', 'x'],
      params: { k2: 'v2', k1: 'v1' },
      expr: 'e',
      onSuccess: 'NONE',
      onFailure: 'ERROR',
      disabled: true,
    },
    { name: 'd2', disabled: false },
  ],
  encodingRules: [{ name: 'e' }],
  enableAt: 'CLIENT',
};
const ruleSetBytes =
  '\x01mUPGRADEJSONATA' + 'ddocCONDITIONWRITECELxyk1v1k2v2eNONEERROR\x01' + 'd2' + 'e' + 'CLIENT';

describe('GUIDs', () => {
  for (const [type, text] of Object.entries(texts)) {
    for (let combination = 0; combination < 8; combination += 1) {
      const parts: [keyof SchemaIdentity, unknown, string][] = [
        ['references', references, referenceBytes],
        ['metadata', metadata, metadataBytes],
        ['ruleSet', ruleSet, ruleSetBytes],
      ];
      const present = parts.filter((_, bit) => (combination >> bit) & 1);
      const names = present.map(([name]) => name).join(', ') || 'nothing';
      it(`${type} with ${names}`, () => {
        const identity = { text, ...Object.fromEntries(present.map(([name, value]) => [name, value])) };
        const bytes = text + present.map(([, , expected]) => expected).join('');
        const expected = createHash('md5').update(Buffer.from(bytes, 'utf8')).digest();
        assert.deepEqual(fingerprint(identity), expected);
      });
    }
  }

  it('known digests, as written by other programs', () => {
    // md5sum of "string" with its quotation marks, and of the same with metadata that has nothing in it.
    assert.equal(guidText(fingerprint({ text: '"string"' })), '095d71cf-1255-6b9d-5e33-0ad575b3df5d');
    assert.equal(
      guidText(fingerprint({ text: '"string"', metadata: {} })),
      'cecc02e2-232b-87f1-1b0c-aa0e70dbb74d',
    );
  });

  it('texts of GUIDs', () => {
    const guid = '095d71cf-1255-6b9d-5e33-0ad575b3df5d';
    assert.equal(guidText(parseGuid(guid)!), guid);
    assert.equal(guidText(parseGuid(guid.replaceAll('-', ''))!), guid);
    assert.equal(parseGuid('095d71cf'), undefined);
    assert.equal(parseGuid(`${guid}0`), undefined);
  });
});
