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
const put =
  (associations: object[], more: object = {}, query = {}) =>
  (service: RegistryService) =>
    service.putAssociations('id-1', { ...topic, ...more, associations }, query);
type BatchResult = Awaited<ReturnType<RegistryService['batchGetAssociations']>>['results'][number];
const outcome = (one: BatchResult) => {
  if ('error' in one) return one.error.error_code;
  const { resourceName, resourceId, associations } = one.result;
  const list = associations.map(({ associationType, subject, schema }) =>
    ` ${associationType} ${subject} ${schema?.schema ?? ''}`.trimEnd(),
  );
  return `${resourceName} ${resourceId}:${list.join(',')}`;
};
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
      42212,
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

  table('that are put', [
    ['', async (service) => (await service.register('shop', { schema: 'x' })).id, 1],
    ['a new one', put([weak]), { ...resource, associations: [{ ...weak, frozen: false }] }],
    ['again, with the subject of before', put([{ lifecycle: 'WEAK' }]), { ...resource, associations: [] }],
    ['the id of another resource', put([weak], { resourceId: 'id-2' }), 42212],
    ['another subject', put([{ ...weak, subject: 'other' }]), 42212],
    ['a strong one of a weak one', put([{ lifecycle: 'STRONG' }]), 42212],
    ['a schema of a weak one', put([{ schema: { schema: 'y' } }]), 42212],
    ['a new one with a schema', put([{ associationType: 'key', schema: { schema: 'y' } }]), 42212],
    ['a new strong one', put([{ associationType: 'key', lifecycle: 'STRONG' }]), 42212],
    ['without the right', put([{}], {}, { isAllowed: () => false }), 40301],
    [
      'in a read-only subject',
      (service) => service.putMode('shop', { mode: 'READONLY' }),
      { mode: 'READONLY' },
    ],
    ['', put([weak]), 42205],
    ['', (service) => service.deleteMode('shop'), { mode: 'READONLY' }],
    ['', (service) => service.deleteAssociations('id-1'), null],
    [
      'a strong one',
      (service) =>
        service
          .createAssociations({ ...topic, associations: [{ schema: { schema: 'x' } }] })
          .then(() => null),
      null,
    ],
    ['which gets a version', put([{ schema: { schema: 'x y?' } }]), { ...resource, associations: [] }],
    ['', (service) => service.listVersions(':.lkc:orders-value'), [1, 2]],
    [
      'a schema that refers to it',
      (service) => {
        const references = [{ name: 'r', subject: ':.lkc:orders-value', version: 1 }];
        return service.register('refers', { schema: 's', references });
      },
      42205,
    ],
    ['a weak one beside it', put([{ ...weak, associationType: 'key' }]), 42212],
    [
      'a subject to which others refer',
      async (service) => {
        const references = [{ name: 'r', subject: ':.lkc:pay-value', version: 1 }];
        await service.register(':.lkc:pay-value', { schema: 'r' });
        await service.register(':.lkc:uses-it', { schema: 's', references });
        const associations = [{ schema: { schema: 'r' } }];
        return await service.createAssociations({
          ...topic,
          resourceName: 'pay',
          resourceId: 'id-3',
          associations,
        });
      },
      42206,
    ],
  ]);

  const op = (opType: string, more: object = {}) => ({ opType, ...more });
  const batch =
    (requests: object[], query = {}) =>
    async (service: RegistryService) =>
      (await service.batchMutateAssociations({ requests }, query)).results.map(outcome);
  const get =
    (requests: object[], query = {}) =>
    async (service: RegistryService) =>
      (await service.batchGetAssociations({ requests }, query)).results.map(outcome);
  const second = { ...topic, resourceName: 'pay', resourceId: 'id-2' };

  table('in batches', [
    ['', async (service) => (await service.register('shop', { schema: 'x' })).id, 1],
    ['none', batch([]), 42212],
    ['an unknown operation', batch([{ ...topic, associations: [op('MERGE')] }]), 400],
    [
      'a trial',
      batch([{ ...topic, associations: [op('CREATE', weak)] }], { dryRun: true }),
      ['orders id-1:'],
    ],
    ['', subjects(), []],
    [
      'each on its own',
      batch([
        { ...topic, associations: [op('CREATE', weak), op('CREATE', { ...weak, associationType: 'key' })] },
        { ...second, associations: [op('CREATE', { schema: { schema: 'p' } })] },
        { ...topic, associations: [] },
        { ...topic, resourceId: 'id-4', associations: [op('UPSERT', { ...weak, subject: 'nothing' })] },
      ]),
      ['orders id-1: key shop, value shop', 'pay id-2: value :.lkc:pay-value p', 42212, 40907],
    ],
    [
      'all of a request, or nothing',
      batch([
        {
          ...topic,
          associations: [op('DELETE', { associationType: 'key' }), op('UPSERT', { subject: 'z' })],
        },
      ]),
      [42212],
    ],
    [
      'no right to delete',
      batch([{ ...topic, associations: [op('DELETE')] }], { isDeletable: () => false }),
      [40301],
    ],
    [
      '',
      batch([{ ...topic, associations: [op('DELETE', { associationType: 'key' })] }]),
      ['orders id-1: value shop'],
    ],
    ['what is frozen', batch([{ ...second, associations: [op('DELETE')] }]), [40908]],
    [
      'by id and by name',
      get([
        { resourceId: 'id-1' },
        { resourceName: 'pay', resourceNamespace: 'lkc' },
        { resourceId: 'id-9' },
        { resourceName: 'pay' },
      ]),
      ['orders id-1: value shop', 'pay id-2: value :.lkc:pay-value', ' id-9:', 42212],
    ],
    ['with schemas', get([{ resourceId: 'id-1' }], { includeSchemas: true }), ['orders id-1: value shop x']],
    ['without the right', get([{ resourceId: 'id-1' }], { isAllowed: () => false }), [' id-1:']],
    ['too many', get(Array.from({ length: 101 }, () => ({ resourceId: 'id-1' }))), 42212],
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
