import { describe } from 'node:test';
import { requestTable as table } from '../../testing/index.ts';

const kek = { name: 'k1', kmsType: 'aws-kms', kmsKeyId: 'arn:1' };
const storedKek = { ...kek, shared: false, ts: 1000 };
const dek = { subject: 's', encryptedKeyMaterial: 'bytes' };
const storedDek = {
  kekName: 'k1',
  subject: 's',
  version: 1,
  algorithm: 'AES256_GCM',
  encryptedKeyMaterial: 'bytes',
  ts: 1000,
};

describe('key-encryption keys', () => {
  table('are stored and returned', [
    ['none', (service) => service.keys.listKeks(), []],
    ['an unknown one', (service) => service.keys.kek('k1'), 40470],
    ['', (service) => service.keys.createKek(kek), storedKek],
    ['the same again', (service) => service.keys.createKek(kek), 40971],
    [
      'a service in other words',
      (service) => service.keys.createKek({ ...kek, name: 'k9', kmsType: 'AWS' }),
      { ...storedKek, name: 'k9' },
    ],
    ['a test of one that is not shared', (service) => service.keys.testKek('k1'), 42271],
    ['another of its name', (service) => service.keys.createKek({ ...kek, kmsKeyId: 'arn:2' }), 40971],
    ['', (service) => service.keys.kek('k1'), storedKek],
    [
      'an update',
      (service) => service.keys.updateKek('k1', { doc: 'd', shared: true }),
      { ...storedKek, doc: 'd', shared: true },
    ],
    ['of an unknown one', (service) => service.keys.updateKek('k2', {}), 40470],
    ['a test needs a key-management service', (service) => service.keys.testKek('k1'), 50070],
    ['no name', (service) => service.keys.createKek({ ...kek, name: undefined }), 42271],
    ['a name with a slash', (service) => service.keys.createKek({ ...kek, name: 'a/b' }), 42271],
    ['no type', (service) => service.keys.createKek({ ...kek, name: 'k2', kmsType: '' }), 42271],
    ['no body', (service) => service.keys.createKek(null), 422],
  ]);

  table('are marked, then removed', [
    ['', (service) => service.keys.createKek(kek), storedKek],
    ['at once', (service) => service.keys.deleteKek('k1', { permanent: true }), 40471],
    ['', (service) => service.keys.createDek('k1', undefined, dek), storedDek],
    ['one with keys', (service) => service.keys.deleteKek('k1'), 42272],
    ['', (service) => service.keys.deleteDek('k1', 's', undefined), null],
    ['', (service) => service.keys.deleteKek('k1'), null],
    ['it is hidden', (service) => service.keys.kek('k1'), 40470],
    ['', (service) => service.keys.kek('k1', { deleted: true }), { ...storedKek, deleted: true }],
    ['', (service) => service.keys.listKeks({ deleted: true }), ['k1']],
    ['another of its name', (service) => service.keys.createKek({ ...kek, kmsKeyId: 'arn:2' }), 40971],
    ['created as it was', (service) => service.keys.createKek(kek), storedKek],
    ['', (service) => service.keys.deleteKek('k1'), null],
    ['a key of it', (service) => service.keys.undeleteDek('k1', 's', undefined), 40472],
    ['one with marked keys', (service) => service.keys.deleteKek('k1', { permanent: true }), 42272],
    ['back', (service) => service.keys.undeleteKek('k1'), null],
    ['', (service) => service.keys.kek('k1'), storedKek],
    ['its key too', (service) => service.keys.undeleteDek('k1', 's', '1'), null],
    ['', (service) => service.keys.dek('k1', 's', undefined), storedDek],
    ['', (service) => service.keys.deleteDek('k1', 's', '1'), null],
    ['', (service) => service.keys.deleteDek('k1', 's', '1', { permanent: true }), null],
    ['', (service) => service.keys.deleteKek('k1'), null],
    ['', (service) => service.keys.deleteKek('k1', { permanent: true }), null],
    ['', (service) => service.keys.listKeks({ deleted: true }), []],
  ]);
});

describe('data-encryption keys', () => {
  table('are stored and returned', [
    ['of an unknown KEK', (service) => service.keys.createDek('k1', 's', dek), 40470],
    ['', (service) => service.keys.createKek(kek), storedKek],
    ['', (service) => service.keys.createDek('k1', 's', dek), storedDek],
    ['the same again', (service) => service.keys.createDek('k1', 's', dek), 40971],
    ['', (service) => service.keys.deleteDek('k1', 's', '1'), null],
    ['created as it was', (service) => service.keys.createDek('k1', 's', dek), storedDek],
    ['a version of 0', (service) => service.keys.createDek('k1', 's', { ...dek, version: 0 }), 42202],
    [
      'another one',
      (service) => service.keys.createDek('k1', 's', { ...dek, encryptedKeyMaterial: 'other' }),
      40971,
    ],
    [
      'a version',
      (service) => service.keys.createDek('k1', 's', { ...dek, version: 3 }),
      { ...storedDek, version: 3 },
    ],
    [
      'another algorithm',
      (service) => service.keys.createDek('k1', 's', { ...dek, algorithm: 'AES256_SIV' }),
      { ...storedDek, algorithm: 'AES256_SIV' },
    ],
    ['an unknown one', (service) => service.keys.createDek('k1', 's', { ...dek, algorithm: 'ROT13' }), 42271],
    ['no material', (service) => service.keys.createDek('k1', 's', {}), 42271],
    [
      'no subject',
      (service) => service.keys.createDek('k1', undefined, { encryptedKeyMaterial: 'x' }),
      42271,
    ],
    [
      'a subject with a slash',
      (service) => service.keys.createDek('k1', 'a/b', dek),
      { ...storedDek, subject: 'a/b' },
    ],
    [
      'a subject with a control character',
      (service) => service.keys.createDek('k1', undefined, { ...dek, subject: 'a\r\nb' }),
      42271,
    ],
    ['a subject that is no text', (service) => service.keys.createDek('k1', 'a\ud800', dek), 42271],
    ['a subject that is too long', (service) => service.keys.createDek('k1', 's'.repeat(1025), dek), 42271],
    ['a context alone', (service) => service.keys.createDek('k1', ':.eu:', dek), 42271],
    [
      'an alias of a subject with a control character',
      async (service) => {
        await service.putConfig('other', { aliasForDeks: 'a\u0000' });
        return service.keys.createDek('k1', 'other', dek);
      },
      42271,
    ],
    ['subjects', (service) => service.keys.listDekSubjects('k1'), ['a/b', 's']],
    ['versions', (service) => service.keys.listDekVersions('k1', 's'), [1, 3]],
    [
      'of an algorithm',
      (service) => service.keys.listDekVersions('k1', 's', { algorithm: 'AES256_SIV' }),
      [1],
    ],
    ['the latest', (service) => service.keys.dek('k1', 's', 'latest'), { ...storedDek, version: 3 }],
    ['the first', (service) => service.keys.dek('k1', 's', undefined), storedDek],
    ['an unknown version', (service) => service.keys.dek('k1', 's', '2'), 40470],
    ['an invalid version', (service) => service.keys.dek('k1', 's', 'x'), 42202],
    ['KEKs of a prefix', (service) => service.keys.listKeks({ subjectPrefixes: ['a'] }), ['k1']],
    ['KEKs of another', (service) => service.keys.listKeks({ subjectPrefixes: ['z'] }), []],
    [
      'an alias',
      (service) => service.putConfig('t', { alias: 'x', aliasForDeks: 's' }),
      { alias: 'x', aliasForDeks: 's' },
    ],
    ['', (service) => service.keys.listDekVersions('k1', 't'), [1, 3]],
    ['at once', (service) => service.keys.deleteDek('k1', 's', '3', { permanent: true }), 40471],
    [
      'a shared KEK, without material',
      async (service) => {
        await service.keys.updateKek('k1', { shared: true });
        return service.keys.createDek('k1', 'u', {});
      },
      50070,
    ],
  ]);
});
