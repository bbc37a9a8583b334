import { describe } from 'node:test';
import { requestTable as table } from '../../testing/index.ts';
import type { RegistryService } from './registry-service.ts';

const only =
  (...subjects: string[]) =>
  (subject: string) =>
    subjects.includes(subject);
const add = (subject: string, schema: string, more: object = {}) =>
  [
    `${subject} has ${schema}`,
    async (service: RegistryService) => (await service.register(subject, { schema, ...more })).version,
    1,
  ] as const;
const alias = (subject: string, target: string) =>
  [
    `${subject} stands for ${target}`,
    async (service: RegistryService) => (await service.putConfig(subject, { alias: target })).alias,
    target,
  ] as const;

describe('callers with rights on some subjects', () => {
  table('find the same name in other contexts only with the right there', [
    add(':.eu:orders', 'x'),
    ['all rights', async (service) => (await service.version('orders', '1')).subject, ':.eu:orders'],
    ...[
      (service: RegistryService) => service.version('orders', '1', { isAllowed: only('orders') }),
      (service: RegistryService) => service.versionText('orders', 'latest', { isAllowed: only('orders') }),
      (service: RegistryService) => service.referencedBy('orders', '1', { isAllowed: only('orders') }),
      (service: RegistryService) => service.modifyTags('orders', '1', {}, { isAllowed: only('orders') }),
      (service: RegistryService) =>
        service.lookUpSchema('orders', { schema: 'x' }, { isAllowed: only('orders') }),
    ].map((ask, index) => [`no right there, ${index}`, ask, 40401] as const),
    [
      'the right there',
      async (service) =>
        (await service.version('orders', '1', { isAllowed: only('orders', ':.eu:orders') })).subject,
      ':.eu:orders',
    ],
  ]);

  table('change what an alias stands for only with the right on it', [
    add('payroll', 'x'),
    alias('mine', 'payroll'),
    ...[
      (service: RegistryService) => service.register('mine', { schema: 'x y?' }, { isAllowed: only('mine') }),
      (service: RegistryService) => service.modifyTags('mine', '1', {}, { isAllowed: only('mine') }),
      (service: RegistryService) => service.deleteVersion('mine', '1', { isAllowed: only('mine') }),
      (service: RegistryService) => service.deleteSubject('mine', { isAllowed: only('mine') }),
    ].map((ask, index) => [`no right on it, ${index}`, ask, 40301] as const),
    ['the version is there', (service) => service.listVersions('payroll'), [1]],
    [
      'the right on it',
      (service) => service.deleteSubject('mine', { isAllowed: only('mine', 'payroll') }),
      [1],
    ],
  ]);

  table('are shown no subjects without the right', [
    add('a', 'x'),
    add('b', 'x'),
    add('c', 'z'),
    alias('secret', 'b'),
    [
      'pages count what the caller may see',
      (service) => service.listSubjects({ offset: 1, limit: 1, isAllowed: only('b', 'c') }),
      ['c'],
    ],
    [
      'schemas',
      async (service) =>
        [...(await service.listSchemas({ aliases: true, isAllowed: only('b') }))].map(
          ({ subject, aliases }) => [subject, aliases ?? 'no aliases'],
        ),
      [['b', 'no aliases']],
    ],
    ['uses of an id', (service) => service.subjectsOfId(1, { isAllowed: only('a') }), ['a']],
    [
      'the subject of an id',
      async (service) => (await service.schemaById(1, { subject: ':.:', isAllowed: only('a') })).subject,
      'a',
    ],
  ]);

  table('read a GUID where they have the right: its references differ between contexts', [
    add('part', 'x'),
    add(':.eu:part', 'x y?'),
    add('whole', 'w', { references: [{ name: 'p', subject: 'part', version: 1 }] }),
    add(':.eu:whole', 'w', { references: [{ name: 'p', subject: 'part', version: 1 }] }),
    [
      'contexts',
      async (service) => {
        const { guid } = await service.version('whole', '1');
        const ids = await service.idsOfGuid(guid!, { isAllowed: only(':.eu:whole') });
        return ids.map(({ context }) => context);
      },
      ['.eu'],
    ],
  ]);
});
