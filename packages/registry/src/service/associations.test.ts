import { describe } from 'node:test';
import { requestTable as table } from '../../testing/index.ts';
import type { RegistryService } from './registry-service.ts';

const topic = { resourceName: 'orders', resourceNamespace: 'lkc', resourceId: 'id-1' };
const weak = { subject: 'shop', associationType: 'value', lifecycle: 'WEAK' };
const create =
  (more: object, query = {}) =>
  (service: RegistryService) =>
    service.createAssociations({ ...topic, ...more }, query);
const subjects =
  (query = {}, resourceName = 'orders', resourceNamespace = 'lkc') =>
  async (service: RegistryService) =>
    (await service.listAssociations({ resourceNamespace, resourceName }, query)).map(
      ({ associationType, subject }) => `${associationType} ${subject}`,
    );
const resource = { ...topic, resourceType: 'topic' };

describe('associations', () => {
  table('of a topic with subjects that are there', [
    ['none', subjects(), []],
    ['a subject without versions', create({ associations: [weak] }), 40907],
    ['', async (service) => (await service.register('shop', { schema: 'x' })).id, 1],
    [
      'a trial',
      create({ associations: [weak], resourceId: undefined }, { dryRun: true }),
      { resourceName: 'orders', resourceNamespace: 'lkc', resourceType: 'topic', associations: [] },
    ],
    ['which changes nothing', subjects(), []],
    ['', create({ associations: [weak] }), { ...resource, associations: [{ ...weak, frozen: false }] }],
    ['again', create({ associations: [weak] }), { ...resource, associations: [] }],
    ['by name', subjects(), ['value shop']],
    ['by any name', subjects({}, '-', '-'), ['value shop']],
    ['by another name', subjects({}, 'orders', 'other'), []],
    ['by type', subjects({ associationTypes: ['key'] }), []],
    ['that the caller may see', subjects({ isAllowed: () => false }), []],
    [
      'the whole answer, but for the GUID',
      async (service) => ({ ...(await service.listAssociations({ resourceId: 'id-1' }))[0], guid: '' }),
      { ...weak, guid: '', ...resource, frozen: false, createTs: 1000, updateTs: 1000 },
    ],
    ['by subject', async (service) => (await service.listAssociations({ subject: 'shop' })).length, 1],
    ['', async (service) => (await service.register('other', { schema: 'y' })).id, 2],
    ['another subject', create({ associations: [{ ...weak, subject: 'other' }] }), 40903],
    [
      'a strong one of the same subject',
      create({ resourceId: 'id-2', associations: [{ ...weak, lifecycle: 'STRONG' }] }),
      40904,
    ],
    ['without the right', create({ associations: [weak] }, { isAllowed: () => false }), 40301],
    ['the last version', (service) => service.deleteVersion('shop', '1'), 40907],
    ['the subject', (service) => service.deleteSubject('shop'), 40904],
    ['an unknown resource', (service) => service.deleteAssociations('id-9'), 40410],
    ['', (service) => service.deleteAssociations('id-1', { isAllowed: () => false }), 40301],
    ['', (service) => service.deleteAssociations('id-1', { dryRun: true }), null],
    ['', subjects(), ['value shop']],
    ['', (service) => service.deleteAssociations('id-1'), null],
    ['', subjects(), []],
    ['the subject stays', (service) => service.deleteSubject('shop'), [1]],
  ]);

  table('with schemas of their own', [
    [
      'two new schemas',
      async (service) =>
        (
          await service.createAssociations({
            ...topic,
            associations: [{ associationType: 'key', schema: { schema: 'k' } }, { schema: { schema: 'v' } }],
          })
        ).associations.map(({ subject, lifecycle, frozen, schema }) => [
          subject,
          lifecycle,
          frozen,
          schema?.id,
          schema?.version,
        ]),
      [
        [':.lkc:orders-key', 'STRONG', true, 1, 1],
        [':.lkc:orders-value', 'STRONG', true, 2, 1],
      ],
    ],
    [
      'the same again',
      create({ associations: [{ schema: { schema: 'v' } }] }),
      { ...resource, associations: [] },
    ],
    ['another schema', create({ associations: [{ schema: { schema: 'w' } }] }), 40903],
    ['an invalid schema', create({ resourceId: 'id-2', associations: [{ schema: { schema: '!' } }] }), 42201],
    ['what is frozen', (service) => service.deleteAssociations('id-1'), 40908],
    ['with its subjects', (service) => service.deleteAssociations('id-1', { cascadeLifecycle: true }), null],
    ['', (service) => service.listSubjects({ deleted: true }), []],
    ['an invalid schema of a new subject', create({ associations: [{ schema: { schema: '!' } }] }), 42201],
    ['', (service) => service.listAssociations({ resourceId: 'id-1' }), []],
  ]);

  table('that are refused', [
    ['no name', create({ resourceName: '', associations: [weak] }), 42212],
    ['no id', create({ resourceId: undefined, associations: [weak] }), 42212],
    ['none', create({ associations: [] }), 42212],
    ['another resource', create({ resourceType: 'table', associations: [weak] }), 42212],
    ['another type', create({ associations: [{ ...weak, associationType: 'header' }] }), 42212],
    ['a type twice', create({ associations: [weak, weak] }), 42212],
    ['a weak one without a subject', create({ associations: [{ lifecycle: 'WEAK' }] }), 42212],
    ['a weak one with a schema', create({ associations: [{ ...weak, schema: { schema: 'x' } }] }), 42212],
    [
      'a frozen one of another subject',
      create({ associations: [{ ...weak, lifecycle: 'STRONG', frozen: true }] }),
      42212,
    ],
    ['a list of another type', create({ associations: {} }), 400],
    ['no body', (service) => service.createAssociations(undefined), 422],
  ]);
});
