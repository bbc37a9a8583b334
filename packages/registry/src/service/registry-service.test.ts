import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answerOrCode, fieldListService, requestTable as table } from '../../testing/index.ts';
import type { RegistryService } from './registry-service.ts';

/** Only some fields of an answer. */
async function pick(reply: Promise<object>, ...fields: string[]): Promise<unknown> {
  const answer = (await reply) as Record<string, unknown>;
  return Object.fromEntries(
    fields.filter((field) => answer[field] !== undefined).map((field) => [field, answer[field]]),
  );
}

const text = (schema: string, more: object = {}) => ({ schema, ...more });
const add =
  (subject: string, schema: string, more: object = {}) =>
  (service: RegistryService) =>
    pick(service.register(subject, text(schema, more)), 'id', 'version');

describe('registrations', () => {
  table('ids are of the context, versions of the subject', [
    ['the first schema', add('a', 'x'), { id: 1, version: 1 }],
    ['another one', add('a', 'x y?'), { id: 2, version: 2 }],
    ['the same again', add('a', 'x'), { id: 1, version: 1 }],
    ['the same in other letters', add('a', ' x   y? '), { id: 2, version: 2 }],
    ['the same of another subject', add('b', 'x'), { id: 1, version: 1 }],
    ['a new one of another subject', add('b', 'x z?'), { id: 3, version: 2 }],
    ['the same in another context', add(':.ctx:a', 'x'), { id: 1, version: 1 }],
    ['another one there', add(':.ctx:a', 'x y?'), { id: 2, version: 2 }],
    ['another type is another schema', add('j', 'x', { schemaType: 'JSON' }), { id: 4, version: 1 }],
    [
      'metadata makes another schema',
      add('m', 'x', { metadata: { properties: { owner: 'me' } } }),
      { id: 5, version: 1 },
    ],
    ['no metadata: that of the latest version', add('m', 'x'), { id: 5, version: 1 }],
    [
      'no text: that of the latest version',
      add('m', '', { metadata: { properties: {} } }),
      { id: 6, version: 2 },
    ],
    ['no text of a new subject', add('new', ''), 42201],
  ]);

  table('bodies that are refused', [
    ['an invalid schema', add('a', 'x !'), 42201],
    ['an unknown type', add('a', 'x', { schemaType: 'XML' }), 42201],
    ['a type in small letters', add('a', 'x', { schemaType: 'avro' }), 42201],
    ['an empty type', add('a', 'x', { schemaType: '' }), 42201],
    ['no body', (service) => service.register('a', undefined), 422],
    ['null', (service) => service.register('a', null), 422],
    ['no object', (service) => service.register('a', 'x'), 400],
    ['a list', (service) => service.register('a', []), 400],
    ['a text of another type', (service) => service.register('a', { schema: {} }), 400],
    ['a version of another type', add('a', 'x', { version: 'next' }), 400],
    ['references of another type', add('a', 'x', { references: {} }), 400],
    ['metadata of another type', add('a', 'x', { metadata: { properties: { p: {} } } }), 400],
    [
      'numbers in metadata are texts',
      (service) =>
        pick(
          service.register('m', text('x', { metadata: { properties: { p: 1, q: true }, tags: { a: [2] } } })),
          'metadata',
        ),
      { metadata: { properties: { p: '1', q: 'true' }, tags: { a: ['2'] } } },
    ],
    ['', (service) => service.deleteSubject('m'), [1]],
    ['', (service) => service.deleteSubject('m', { permanent: true }), [1]],
    ['an empty subject', add('', 'x'), 42208],
    ['a control character', add('a\n', 'x'), 42208],
    ['a reserved subject', add('__GLOBAL', 'x'), 42208],
    ['the global context', add(':.__GLOBAL:a', 'x'), 42208],
    ['a version out of order', add('a', 'x', { version: 3 }), 42201],
    ['the next version', add('a', 'x', { version: 1 }), { id: 2, version: 1 }],
    ['an id', add('b', 'x', { id: 7 }), 42205],
    [
      'a rule without a type',
      add('b', 'x', { ruleSet: { domainRules: [{ name: 'r', mode: 'READ' }] } }),
      42210,
    ],
    [
      'two rules of one name',
      add('b', 'x', {
        ruleSet: {
          domainRules: [
            { name: 'r', mode: 'READ', type: 'CEL' },
            { name: 'r', mode: 'WRITE', type: 'CEL' },
          ],
        },
      }),
      42210,
    ],
    [
      'a prototype',
      (service) =>
        service.register('b', JSON.parse('{"schema":"x","metadata":{"properties":{"__proto__":"y"}}}')),
      42201,
    ],
  ]);

  table('the whole answer', [
    [
      'of a registration',
      (service) =>
        service.register('a', { schema: 'x', schemaType: 'JSON', metadata: { tags: { f: ['PII'] } } }),
      {
        id: 1,
        version: 1,
        guid: '0a2822d9-696b-3001-9360-42aaa9d9828f',
        schemaType: 'JSON',
        metadata: { tags: { f: ['PII'] } },
        schema: 'x',
      },
    ],
    [
      'of a version',
      (service) => service.version('a', 'latest'),
      {
        subject: 'a',
        version: 1,
        id: 1,
        guid: '0a2822d9-696b-3001-9360-42aaa9d9828f',
        schemaType: 'JSON',
        metadata: { tags: { f: ['PII'] } },
        schema: 'x',
        ts: 1000,
        deleted: false,
      },
    ],
    [
      'by id',
      (service) => service.schemaById(1, { findTags: ['PII'], fetchMaxId: true }),
      {
        guid: '0a2822d9-696b-3001-9360-42aaa9d9828f',
        schemaType: 'JSON',
        metadata: { tags: { f: ['PII'] } },
        schema: 'x',
        ts: 1000,
        deleted: false,
        maxId: 1,
      },
    ],
    [
      'by id, with a subject',
      (service) => pick(service.schemaById(1, { subject: 'a' }), 'subject', 'version', 'ts'),
      { subject: 'a', version: 1, ts: 1000 },
    ],
    [
      'by id, with an empty subject',
      (service) => pick(service.schemaById(1, { subject: '' }), 'subject', 'version'),
      { subject: 'a', version: 1 },
    ],
    [
      'by GUID',
      (service) =>
        pick(
          service.schemaByGuid('0a2822d9-696b-3001-9360-42aaa9d9828f'),
          'subject',
          'schema',
          'ts',
          'deleted',
        ),
      { schema: 'x', ts: 1000, deleted: false },
    ],
    [
      'of Avro',
      (service) => pick(service.register('b', text('x')), 'schemaType', 'deleted'),
      { schemaType: 'AVRO' },
    ],
    ['', (service) => service.deleteVersion('b', '1'), 1],
    [
      'of a version that is marked',
      (service) => pick(service.schemaById(2), 'schemaType', 'deleted'),
      { schemaType: 'AVRO', deleted: true },
    ],
    [
      'the ids of a GUID',
      (service) => service.idsOfGuid('0a2822d9-696b-3001-9360-42aaa9d9828f'),
      [{ context: '.', id: 1 }],
    ],
    ['an unknown GUID', (service) => service.schemaByGuid('03b08fd3'), 40403],
    ['the ids of an unknown GUID', (service) => service.idsOfGuid('03b08fd3'), []],
    ['the text by id', (service) => service.schemaTextById(1), 'x'],
    ['the text of a version', (service) => service.versionText('a', '1'), 'x'],
    ['an unknown id', (service) => service.schemaById(3), 40403],
  ]);

  table('normalisation by a query or a config', [
    ['as it is', add('a', 'y? x?'), { id: 1, version: 1 }],
    [
      'by the query',
      (service) => pick(service.register('a', text('y? x?'), { normalize: true }), 'id', 'version', 'schema'),
      { id: 2, version: 2, schema: 'x? y?' },
    ],
    ['by the config', (service) => service.putConfig('b', { normalize: true }), { normalize: true }],
    ['', add('b', 'y? x?'), { id: 2, version: 1 }],
    ['a lookup does so too', (service) => pick(service.lookUpSchema('b', text('y? x?')), 'id'), { id: 2 }],
  ]);

  table('tags, rules and metadata of configs', [
    [
      'a default and an override',
      (service) =>
        service.putConfig('a', {
          defaultMetadata: { properties: { p: '1', q: '1' } },
          overrideMetadata: { properties: { q: '3' } },
        }),
      { defaultMetadata: { properties: { p: '1', q: '1' } }, overrideMetadata: { properties: { q: '3' } } },
    ],
    [
      '',
      (service) =>
        pick(
          service.register('a', text('x', { metadata: { properties: { p: '2', r: '2' } } })),
          'id',
          'metadata',
        ),
      { id: 1, metadata: { properties: { p: '2', q: '3', r: '2' } } },
    ],
    [
      'a tag',
      (service) =>
        pick(
          service.modifyTags('a', 'latest', {
            newVersion: 2,
            tagsToAdd: [{ schemaEntity: { entityPath: 'x', entityType: 'sr_field' }, tags: ['PII'] }],
          }),
          'id',
          'version',
          'metadata',
          'schema',
        ),
      {
        id: 2,
        version: 2,
        metadata: { properties: { p: '2', q: '3', r: '2', 'confluent:version': '2' } },
        schema: 'x__PII',
      },
    ],
    [
      'it is found',
      async (service) => (await service.version('a', '2', { findTags: ['PII'] })).schemaTags,
      [{ schemaEntity: { entityPath: 'x', entityType: 'sr_field' }, tags: ['PII'] }],
    ],
    [
      'by another tag',
      async (service) => (await service.version('a', '2', { findTags: ['X'] })).schemaTags,
      null,
    ],
    [
      'a rule',
      (service) =>
        pick(
          service.modifyTags('a', '2', {
            newVersion: 3,
            rulesToMerge: { domainRules: [{ name: 'r', mode: 'READ', type: 'CEL' }] },
          }),
          'version',
          'ruleSet',
        ),
      { version: 3, ruleSet: { domainRules: [{ name: 'r', mode: 'READ', type: 'CEL' }] } },
    ],
    [
      'listed by the type of a rule',
      async (service) => [...(await service.listSchemas({ ruleType: 'CEL' }))].map(({ version }) => version),
      [3],
    ],
    [
      'without the rule',
      (service) =>
        pick(service.modifyTags('a', '3', { newVersion: 4, rulesToRemove: ['r'] }), 'version', 'ruleSet'),
      { version: 4, ruleSet: { domainRules: [] } },
    ],
    [
      'both',
      (service) => service.modifyTags('a', '3', { newVersion: 5, ruleSet: {}, rulesToRemove: ['r'] }),
      42210,
    ],
    ['an unknown version', (service) => service.modifyTags('a', '9', {}), 40402],
    [
      'by metadata',
      (service) =>
        pick(service.latestWithMetadata('a', { keys: ['confluent:version'], values: ['2'] }), 'version'),
      { version: 2 },
    ],
    [
      'by unknown metadata',
      (service) => service.latestWithMetadata('a', { keys: ['p'], values: ['9'] }),
      40403,
    ],
    ['of an unknown subject', (service) => service.latestWithMetadata('b', { keys: [], values: [] }), 40401],
  ]);
});

describe('tags', () => {
  const at = (entityPath: string, ...tags: string[]) => [
    { schemaEntity: { entityPath, entityType: 'sr_field' }, tags },
  ];
  const register = (schema: string, more: object) => (service: RegistryService) =>
    pick(service.register('s', text(schema, more)), 'version', 'schema', 'metadata');
  const version = (number: number) => ({ properties: { 'confluent:version': String(number) } });

  table('are written into the text', [
    ['', (service) => service.putConfig('s', { compatibility: 'NONE' }), { compatibility: 'NONE' }],
    ['', register('x y?', {}), { version: 1, schema: 'x y?' }],
    [
      'by a registration, which is a new version',
      register('x y', { schemaTagsToAdd: at('x', 'PII') }),
      { version: 2, schema: 'x__PII y', metadata: version(2) },
    ],
    [
      'and taken over',
      register('x y z', { propagateSchemaTags: true }),
      { version: 3, schema: 'x__PII y z', metadata: version(3) },
    ],
    [
      'and removed',
      register('x__PII y', { schemaTagsToRemove: at('x', 'PII') }),
      { version: 4, schema: 'x y', metadata: version(4) },
    ],
    ['an unknown path', register('x', { schemaTagsToAdd: at('q', 'PII') }), 42201],
    [
      'an unknown path of a version',
      (service) => service.modifyTags('s', 'latest', { newVersion: 5, tagsToAdd: at('q', 'PII') }),
      42201,
    ],
  ]);
});

describe('lookups', () => {
  table('by schema', [
    ['an unknown subject', (service) => service.lookUpSchema('a', text('x')), 40401],
    ['', add('a', 'x'), { id: 1, version: 1 }],
    [
      'a known schema',
      (service) => pick(service.lookUpSchema('a', text('x')), 'subject', 'id', 'version', 'schema'),
      { subject: 'a', version: 1, id: 1, schema: 'x' },
    ],
    ['an unknown one', (service) => service.lookUpSchema('a', text('y')), 40403],
    ['an invalid one', (service) => service.lookUpSchema('a', text('!')), 42201],
    ['', add('a', 'x y?', { version: -1 }), { id: 2, version: 2 }],
    [
      'without the version in its metadata',
      (service) => pick(service.lookUpSchema('a', text('x y?')), 'version'),
      { version: 2 },
    ],
    ['', (service) => service.deleteVersion('a', '1'), 1],
    ['one that is deleted', (service) => service.lookUpSchema('a', text('x')), 40403],
    [
      '',
      (service) => pick(service.lookUpSchema('a', text('x'), { deleted: true }), 'version', 'deleted'),
      { version: 1, deleted: true },
    ],
  ]);

  table('versions', [
    ['', add('a', 'x'), { id: 1, version: 1 }],
    ['', add('a', 'x y?'), { id: 2, version: 2 }],
    ['a number', (service) => pick(service.version('a', '1'), 'schema'), { schema: 'x' }],
    ['latest', (service) => pick(service.version('a', ' LATEST '), 'version'), { version: 2 }],
    ['-1', (service) => pick(service.version('a', '-1'), 'version'), { version: 2 }],
    ['0', (service) => service.version('a', '0'), 42202],
    ['a word', (service) => service.version('a', 'one'), 42202],
    ['too large', (service) => service.version('a', '2147483648'), 42202],
    ['the largest', (service) => service.version('a', '2147483647'), 40402],
    ['of an unknown subject', (service) => service.version('b', '1'), 40401],
    ['', (service) => service.version('b', 'latest'), 40401],
  ]);

  table('uses of an id', [
    ['', add('b', 'x'), { id: 1, version: 1 }],
    ['', add('a', 'x'), { id: 1, version: 1 }],
    ['subjects', (service) => service.subjectsOfId(1), ['a', 'b']],
    [
      'versions',
      (service) => service.versionsOfId(1),
      [
        { subject: 'a', version: 1 },
        { subject: 'b', version: 1 },
      ],
    ],
    ['', (service) => service.deleteSubject('a'), [1]],
    ['without deleted ones', (service) => service.subjectsOfId(1), ['b']],
    ['with them', (service) => service.subjectsOfId(1, { deleted: true }), ['a', 'b']],
    ['a page', (service) => service.subjectsOfId(1, { deleted: true, offset: 1, limit: 1 }), ['b']],
    ['an unknown id', (service) => service.versionsOfId(2), 40403],
    ['', (service) => service.deleteSubject('b'), [1]],
    ['a schema that is only marked', (service) => pick(service.schemaById(1), 'schema'), { schema: 'x' }],
    ['no live version', (service) => service.versionsOfId(1), []],
  ]);

  table('lists', [
    ['', add('a-key', 'x'), { id: 1, version: 1 }],
    ['', add('a-value', 'x y?'), { id: 2, version: 1 }],
    ['', add('a-value', 'x z?'), { id: 3, version: 2 }],
    ['', add(':.ctx:a-key', 'x'), { id: 1, version: 1 }],
    ['', add('b', 'x'), { id: 1, version: 1 }],
    ['', (service) => service.deleteSubject('b'), [1]],
    ['subjects of all contexts', (service) => service.listSubjects(), [':.ctx:a-key', 'a-key', 'a-value']],
    ['of the default one', (service) => service.listSubjects({ subjectPrefix: '' }), ['a-key', 'a-value']],
    ['of a context', (service) => service.listSubjects({ subjectPrefix: ':.ctx:' }), [':.ctx:a-key']],
    ['with a prefix', (service) => service.listSubjects({ subjectPrefix: 'a-v' }), ['a-value']],
    [
      'with a prefix in all contexts',
      (service) => service.listSubjects({ subjectPrefix: ':*:a-k' }),
      [':.ctx:a-key', 'a-key'],
    ],
    [
      'with deleted ones',
      (service) => service.listSubjects({ subjectPrefix: '', deleted: true }),
      ['a-key', 'a-value', 'b'],
    ],
    ['only deleted ones', (service) => service.listSubjects({ deletedOnly: true, deleted: true }), ['b']],
    ['a page', (service) => service.listSubjects({ offset: 1, limit: 1 }), ['a-key']],
    ['a page beyond', (service) => service.listSubjects({ offset: 9 }), []],
    [
      'schemas',
      async (service) =>
        [...(await service.listSchemas())].map(({ subject, version }) => `${subject} ${version}`),
      ['a-key 1', 'a-value 1', 'a-value 2'],
    ],
    [
      'the latest ones',
      async (service) => [...(await service.listSchemas({ latestOnly: true }))].map(({ id }) => id),
      [1, 3],
    ],
    [
      'with deleted ones',
      async (service) =>
        [...(await service.listSchemas({ deleted: true, offset: 3 }))].map(({ deleted }) => deleted),
      [true],
    ],
    ['contexts', (service) => service.listContexts(), ['.', '.ctx']],
    ['contexts with a prefix', (service) => service.listContexts({ contextPrefix: '.c' }), ['.ctx']],
  ]);

  table('aliases', [
    ['', add('real', 'x'), { id: 1, version: 1 }],
    ['', (service) => service.putConfig('alias', { alias: 'real' }), { alias: 'real' }],
    ['a version', (service) => pick(service.version('alias', 'latest'), 'subject'), { subject: 'real' }],
    ['a registration', add('alias', 'x y?'), { id: 2, version: 2 }],
    [
      'a list',
      async (service) =>
        [...(await service.listSchemas({ subjectPrefix: 'alias', aliases: true }))].map(
          ({ subject, aliases }) => [subject, aliases],
        ),
      [
        ['real', ['alias']],
        ['real', ['alias']],
      ],
    ],
    [
      'its own config',
      (service) => service.config('alias'),
      { alias: 'real', compatibilityLevel: 'BACKWARD' },
    ],
  ]);
});

describe('deletions', () => {
  table('of a subject', [
    ['an unknown one', (service) => service.deleteSubject('a'), 40401],
    ['an unknown one, permanently', (service) => service.deleteSubject('a', { permanent: true }), 40401],
    ['', add('a', 'x'), { id: 1, version: 1 }],
    ['', add('a', 'x y?'), { id: 2, version: 2 }],
    ['', (service) => service.putConfig('a', { compatibility: 'none' }), { compatibility: 'NONE' }],
    ['permanently at once', (service) => service.deleteSubject('a', { permanent: true }), 40405],
    ['', (service) => service.deleteSubject('a'), [1, 2]],
    ['again', (service) => service.deleteSubject('a'), 40404],
    ['its versions', (service) => service.listVersions('a'), 40401],
    ['its deleted versions', (service) => service.listVersions('a', { deleted: true }), [1, 2]],
    ['a registration counts on', add('a', 'z'), { id: 3, version: 3 }],
    ['versions', (service) => service.listVersions('a'), [3]],
    ['only deleted ones', (service) => service.listVersions('a', { deletedOnly: true }), [1, 2]],
    ['as negative numbers', (service) => service.listVersions('a', { deletedAsNegative: true }), [-1, -2, 3]],
    ['permanently with a live version', (service) => service.deleteSubject('a', { permanent: true }), 40405],
    ['the live version', (service) => service.deleteSubject('a'), [3]],
    ['permanently', (service) => service.deleteSubject('a', { permanent: true }), [1, 2, 3]],
    ['its config is gone', (service) => service.config('a'), 40408],
    ['its schemas are gone', (service) => service.schemaById(1), 40403],
    ['versions start anew, ids do not', add('a', 'x'), { id: 4, version: 1 }],
  ]);

  table('of a version', [
    ['of an unknown subject', (service) => service.deleteVersion('a', '1'), 40401],
    ['', add('a', 'x'), { id: 1, version: 1 }],
    ['', add('a', 'x y?'), { id: 2, version: 2 }],
    ['an unknown one', (service) => service.deleteVersion('a', '3'), 40402],
    ['an invalid one', (service) => service.deleteVersion('a', 'x'), 42202],
    ['permanently at once', (service) => service.deleteVersion('a', '1', { permanent: true }), 40407],
    ['the latest', (service) => service.deleteVersion('a', 'latest'), 2],
    ['again', (service) => service.deleteVersion('a', '2'), 40406],
    [
      'it is not the latest any more',
      (service) => pick(service.version('a', 'latest'), 'version'),
      { version: 1 },
    ],
    ['it is hidden', (service) => service.version('a', '2'), 40402],
    [
      'it is shown',
      (service) => pick(service.version('a', '2', { deleted: true }), 'id', 'deleted'),
      { id: 2, deleted: true },
    ],
    ['registered again: a new version of the same id', add('a', 'x y?'), { id: 2, version: 3 }],
    ['in the place of the old one', (service) => service.listVersions('a', { deleted: true }), [1, 3]],
    ['', (service) => service.deleteVersion('a', '3'), 3],
    ['permanently', (service) => service.deleteVersion('a', '3', { permanent: true }), 3],
    ['it is gone', (service) => service.version('a', '3', { deleted: true }), 40402],
    ['its id is gone', (service) => service.schemaById(2), 40403],
    ['a new id', add('a', 'x y?'), { id: 3, version: 2 }],
  ]);

  table('of what is referred to', [
    ['', add('common', 'c'), { id: 1, version: 1 }],
    [
      '',
      add('user', '@c x', { references: [{ name: 'c', subject: 'common', version: 1 }] }),
      { id: 2, version: 1 },
    ],
    ['the version', (service) => service.deleteVersion('common', '1'), 42206],
    ['the subject', (service) => service.deleteSubject('common'), 42206],
    ['who refers to it', (service) => service.referencedBy('common', 'latest'), [2]],
    ['who refers to the other', (service) => service.referencedBy('user', '1'), []],
    ['', (service) => service.deleteSubject('user'), [1]],
    ['a mark does not count for a mark', (service) => service.deleteSubject('common'), [1]],
    ['only deleted ones refer to it', (service) => service.referencedBy('common', '1'), []],
    ['the marked ones', (service) => service.referencedBy('common', '1', { deleted: true }), [2]],
    ['but for a removal', (service) => service.deleteSubject('common', { permanent: true }), 42206],
    ['a version too', (service) => service.deleteVersion('common', '1', { permanent: true }), 42206],
    ['', (service) => service.deleteSubject('user', { permanent: true }), [1]],
    ['', (service) => service.deleteSubject('common', { permanent: true }), [1]],
  ]);
});

describe('references', () => {
  const c = (version: number, subject = 'common') => ({ references: [{ name: 'c', subject, version }] });

  table('are resolved', [
    ['an unknown one', add('user', '@c', c(1)), 42201],
    ['', add('common', 'a'), { id: 1, version: 1 }],
    ['', add('common', 'a b?'), { id: 2, version: 2 }],
    ['a known one', add('user', '@c', c(1)), { id: 3, version: 1 }],
    ['another version is another schema', add('user', '@c', c(2)), { id: 4, version: 2 }],
    ['the latest version', add('user', '@c', c(-1)), { id: 4, version: 2 }],
    [
      'a text without references',
      (service) => pick(service.lookUpSchema('user', text('a b?')), 'id'),
      { id: 4 },
    ],
    ['a registration of it', add('user', 'a b?'), { id: 4, version: 2 }],
    ['in the format', (service) => service.versionText('user', '2', { format: 'resolved' }), 'a b?'],
    [
      'an unknown format is the text',
      (service) => service.versionText('user', '2', { format: 'other' }),
      '@c',
    ],
    ['a missing field', add('user', '@c', { references: [{ name: 'c', subject: 'common' }] }), 42201],
  ]);

  table('are of the same context', [
    ['', add('common', 'a'), { id: 1, version: 1 }],
    ['unknown there', add(':.ctx:user', '@c', c(1)), 42201],
    ['', add(':.ctx:common', 'b'), { id: 1, version: 1 }],
    ['', add(':.ctx:user', '@c', c(1)), { id: 2, version: 1 }],
    ['its text', (service) => service.versionText(':.ctx:user', '1', { format: 'resolved' }), 'b'],
    [
      'as they were given',
      async (service) => (await service.version(':.ctx:user', '1')).references,
      [{ name: 'c', subject: 'common', version: 1 }],
    ],
    [
      'qualified',
      async (service) =>
        (await service.version(':.ctx:user', '1', { referenceFormat: 'qualified' })).references,
      [{ name: 'c', subject: ':.ctx:common', version: 1 }],
    ],
    ['of another context', add('user', '@c', c(1, ':.ctx:common')), { id: 2, version: 1 }],
    ['who refers to it', (service) => service.referencedBy(':.ctx:common', '1'), [2, 2]],
    ['the default context cannot be named there', add(':.ctx:user', '@c', c(1, ':.:common')), 42201],
    ['and can be named in itself', add('own', '@c', c(1, ':.:common')), { id: 3, version: 1 }],
    ['who refers to it', (service) => service.referencedBy('common', '1'), [3]],
  ]);

  table('of new schemas are not marked as deleted', [
    ['', add('common', 'a'), { id: 1, version: 1 }],
    ['', add('middle', '@c b', c(1)), { id: 2, version: 1 }],
    ['', (service) => service.deleteSubject('middle'), [1]],
    ['', (service) => service.deleteVersion('common', '1'), 1],
    ['a new reference', add('user', '@c', c(1)), 42201],
    ['the latest version', add('user', '@c', c(-1)), 42201],
    ['a check', (service) => service.checkCompatibility('user', undefined, text('@c', c(1))), 42201],
    ['', add('common', 'a q?'), { id: 3, version: 2 }],
    ['one that is live', add('user', '@c', c(2)), { id: 4, version: 1 }],
    [
      'without validation',
      (service) => service.putConfig('lax', { validateNewSchemas: false }),
      { validateNewSchemas: false },
    ],
    ['', add('lax', '@c', c(1)), { id: 5, version: 1 }],
    [
      'one that leads to another',
      add('user', '@c w?', { references: [{ name: 'c', subject: 'middle', version: 1 }] }),
      42201,
    ],
    ['', (service) => service.putMode('copy', { mode: 'IMPORT' }), { mode: 'IMPORT' }],
    ['imported', add('copy', '@c', { id: 9, ...c(1) }), { id: 9, version: 1 }],
    ['what is there is found', add('lax', '@c', c(1)), { id: 5, version: 1 }],
    ['', (service) => pick(service.lookUpSchema('lax', text('@c', c(1))), 'id'), { id: 5 }],
  ]);
});

describe('contexts', () => {
  table('are searched', [
    ['', add(':.one:a', 'x'), { id: 1, version: 1 }],
    ['', add(':.two:b', 'y'), { id: 1, version: 1 }],
    ['', add(':.two:b', 'y z?'), { id: 2, version: 2 }],
    [
      'a subject of another context',
      (service) => pick(service.version('b', 'latest'), 'subject', 'version'),
      { subject: ':.two:b', version: 2 },
    ],
    ['a lookup', (service) => pick(service.lookUpSchema('a', text('x')), 'subject'), { subject: ':.one:a' }],
    ['an id without a subject is one of the default context', (service) => service.schemaTextById(1), 40403],
    ['of a subject', (service) => service.schemaTextById(1, { subject: 'b' }), 'y'],
    ['of a context', (service) => service.schemaTextById(1, { subject: ':.two:' }), 'y'],
    [
      'of a subject that does not use it',
      (service) => service.schemaTextById(1, { subject: ':.two:a' }),
      40403,
    ],
    ['a GUID of two contexts', add(':.two:a', 'x'), { id: 3, version: 1 }],
    [
      '',
      async (service) => service.idsOfGuid((await service.schemaById(3, { subject: ':.two:' })).guid),
      [
        { context: '.one', id: 1 },
        { context: '.two', id: 3 },
      ],
    ],
    ['one that is not empty', (service) => service.deleteContext('.one'), 42211],
    ['', (service) => service.deleteSubject(':.one:a'), [1]],
    ['one with a subject that is marked', (service) => service.deleteContext('one'), 42211],
    ['', (service) => service.deleteSubject(':.one:a', { permanent: true }), [1]],
    ['an empty one', (service) => service.deleteContext(':.one:'), null],
    ['', (service) => service.listContexts(), ['.', '.two']],
    ['its ids are not given out again', add(':.one:a', 'x'), { id: 2, version: 1 }],
    ['the default one is written without its name', add(':.:d', 'x'), { id: 1, version: 1 }],
    ['', (service) => service.listSubjects({ subjectPrefix: '' }), ['d']],
  ]);
});

describe('configs', () => {
  table('are inherited', [
    ['the default', (service) => service.config(undefined), { compatibilityLevel: 'BACKWARD' }],
    ['of a subject', (service) => service.config('a'), 40408],
    [
      'inherited',
      (service) => service.config('a', { defaultToGlobal: true }),
      { compatibilityLevel: 'BACKWARD' },
    ],
    ['', (service) => service.putConfig(undefined, { compatibility: 'full' }), { compatibility: 'FULL' }],
    ['', (service) => service.config('a', { defaultToGlobal: true }), { compatibilityLevel: 'FULL' }],
    [
      'not by other contexts',
      (service) => service.config(':.ctx:a', { defaultToGlobal: true }),
      { compatibilityLevel: 'BACKWARD' },
    ],
    [
      'empty names are none',
      (service) => service.putConfig('e', { alias: '', compatibilityGroup: '', aliasForDeks: '' }),
      {},
    ],
    [
      'the global one',
      (service) => service.putConfig(':.__GLOBAL:', { compatibility: 'NONE', normalize: true }),
      { compatibility: 'NONE', normalize: true },
    ],
    [
      '',
      (service) => service.config(':.ctx:a', { defaultToGlobal: true }),
      { compatibilityLevel: 'NONE', normalize: true },
    ],
    [
      'of a context',
      (service) => service.putConfig(':.ctx:', { compatibility: 'FORWARD' }),
      { compatibility: 'FORWARD' },
    ],
    [
      '',
      (service) => service.config(':.ctx:a', { defaultToGlobal: true }),
      { compatibilityLevel: 'FORWARD', normalize: true },
    ],
    ['', (service) => service.config(':.ctx:'), { compatibilityLevel: 'FORWARD' }],
    [
      'a subject with some fields inherits the others, each on its own',
      (service) => service.putConfig(':.ctx:b', { compatibilityGroup: 'major', normalize: false }),
      { compatibilityGroup: 'major', normalize: false },
    ],
    [
      '',
      (service) => service.config(':.ctx:b', { defaultToGlobal: true }),
      { compatibilityLevel: 'FORWARD', compatibilityGroup: 'major', normalize: false },
    ],
    [
      'which its own answer says of the level',
      (service) => service.config(':.ctx:b'),
      { compatibilityLevel: 'FORWARD', compatibilityGroup: 'major', normalize: false },
    ],
    [
      'a field alone',
      (service) => service.putConfig('a', { compatibilityGroup: 'major' }),
      { compatibilityGroup: 'major' },
    ],
    [
      'the other fields stay',
      (service) => service.putConfig('a', { compatibility: 'BACKWARD' }),
      { compatibility: 'BACKWARD', compatibilityGroup: 'major' },
    ],
    [
      'null unsets',
      (service) => service.putConfig('a', { compatibilityGroup: null }),
      { compatibility: 'BACKWARD' },
    ],
    ['', (service) => service.deleteConfig('a'), { compatibilityLevel: 'BACKWARD' }],
    ['again', (service) => service.deleteConfig('a'), 40401],
    ['', (service) => service.deleteConfig(undefined), { compatibilityLevel: 'FULL' }],
    ['not the global one', (service) => service.config(undefined), { compatibilityLevel: 'BACKWARD' }],
    [
      'unless it is asked for',
      (service) => service.config(undefined, { defaultToGlobal: true }),
      { compatibilityLevel: 'NONE', normalize: true },
    ],
    ['a bad level', (service) => service.putConfig('a', { compatibility: 'SOME' }), 42203],
    ['a bad policy', (service) => service.putConfig('a', { compatibilityPolicy: 'SOME' }), 42203],
    ['a bad body', (service) => service.putConfig('a', []), 400],
    ['bad rules', (service) => service.putConfig('a', { defaultRuleSet: { domainRules: [{}] } }), 42210],
  ]);
});

describe('modes', () => {
  table('are inherited', [
    ['the default', (service) => service.mode(undefined), { mode: 'READWRITE' }],
    ['of a subject', (service) => service.mode('a'), 40409],
    ['', (service) => service.putMode('a', { mode: 'readonly' }), { mode: 'READONLY' }],
    ['', (service) => service.mode('a'), { mode: 'READONLY' }],
    ['a registration', add('a', 'x'), 42205],
    ['a config', (service) => service.putConfig('a', { compatibility: 'NONE' }), 42205],
    ['another subject', add('b', 'x'), { id: 1, version: 1 }],
    [
      'a subject wins over its context',
      (service) => service.putMode('b', { mode: 'READWRITE' }),
      { mode: 'READWRITE' },
    ],
    ['', (service) => service.putMode(undefined, { mode: 'READONLY' }), { mode: 'READONLY' }],
    ['', add('b', 'x y?'), { id: 2, version: 2 }],
    ['', (service) => service.deleteSubject('c'), 40401],
    [
      'but not over an override',
      (service) => service.putMode(undefined, { mode: 'READONLY_OVERRIDE' }),
      { mode: 'READONLY_OVERRIDE' },
    ],
    ['', add('b', 'x z?'), 42205],
    ['a deletion', (service) => service.deleteSubject('b'), 42205],
    [
      'modes of a context and its subjects',
      (service) => service.deleteMode(undefined, { recursive: true }),
      { mode: 'READONLY_OVERRIDE' },
    ],
    ['', (service) => service.mode('a'), 40409],
    ['', (service) => service.deleteMode('a'), 40401],
    ['a bad mode', (service) => service.putMode('a', { mode: 'SOME' }), 42204],
    ['', (service) => service.putMode('a', { mode: 'FORWARD' }), 42204],
    [
      'of all contexts',
      (service) => service.putMode(':.__GLOBAL:', { mode: 'READONLY' }),
      { mode: 'READONLY' },
    ],
    ['', add(':.ctx:a', 'x'), 42205],
    ['', (service) => service.mode(':.ctx:a', { defaultToGlobal: true }), { mode: 'READONLY' }],
  ]);

  table('imports keep ids and versions', [
    ['', add('a', 'x'), { id: 1, version: 1 }],
    ['with live subjects', (service) => service.putMode(undefined, { mode: 'IMPORT' }), 42205],
    ['', (service) => service.deleteSubject('a'), [1]],
    ['with marked ones', (service) => service.putMode(undefined, { mode: 'IMPORT' }), { mode: 'IMPORT' }],
    ['they are gone', (service) => service.listSubjects({ deleted: true }), []],
    ['without an id', add('a', 'x'), 42205],
    ['', add('a', 'x', { id: 100, version: 5 }), { id: 100, version: 5 }],
    ['again', add('a', 'x', { id: 100, version: 5 }), { id: 100, version: 5 }],
    ['without a version', add('a', 'x', { id: 100 }), { id: 100, version: 5 }],
    ['another schema of the id', add('b', 'y', { id: 100 }), 42205],
    ['the same schema of another id', add('b', 'x', { id: 101 }), { id: 101, version: 1 }],
    ['an older version', add('a', 'y', { id: 50, version: 2 }), { id: 50, version: 2 }],
    ['not compatible', add('a', 'z', { id: 51 }), { id: 51, version: 6 }],
    ['an id of 0', add('a', 'q', { id: 0 }), 42207],
    ['versions', (service) => service.listVersions('a'), [2, 5, 6]],
    [
      'by force',
      (service) => service.putMode('forced', { mode: 'IMPORT' }, { force: true }),
      { mode: 'IMPORT' },
    ],
    ['', (service) => service.putMode(undefined, { mode: 'READWRITE' }), { mode: 'READWRITE' }],
    ['ids go on above the highest', add('c', 'c'), { id: 102, version: 1 }],
    ['a known schema has the lowest of its ids', add('c', 'x c'), 40901],
    ['', add('d', 'x'), { id: 100, version: 1 }],
  ]);

  table('a mode refuses no schema that is there already', [
    ['', add('a', 'x'), { id: 1, version: 1 }],
    ['', add('a', 'x y?'), { id: 2, version: 2 }],
    ['', (service) => service.putMode('a', { mode: 'READONLY' }), { mode: 'READONLY' }],
    ['a producer that registers on its own', add('a', ' x  y?'), { id: 2, version: 2 }],
    ['an older version', add('a', 'x'), { id: 1, version: 1 }],
    ['as the latest version', add('a', 'x y?', { version: -1 }), { id: 2, version: 2 }],
    ['an older one as the latest version', add('a', 'x', { version: -1 }), 42205],
    ['with its id', add('a', 'x', { id: 1 }), { id: 1, version: 1 }],
    ['with another id', add('a', 'x', { id: 2 }), 42205],
    ['a new schema', add('a', 'x z?'), 42205],
    ['an invalid schema', add('a', '!'), 42201],
    ['with tags', add('a', 'x', { propagateSchemaTags: true }), 42205],
    ['', (service) => service.putMode('a', { mode: 'IMPORT' }, { force: true }), { mode: 'IMPORT' }],
    ['without an id in IMPORT', add('a', 'x'), { id: 1, version: 1 }],
    ['with its id and version', add('a', 'x', { id: 1, version: 1 }), { id: 1, version: 1 }],
    ['under a second version', add('a', 'x', { id: 1, version: 5 }), { id: 1, version: 5 }],
    ['of which the first is still there', add('a', 'x', { id: 1, version: 1 }), { id: 1, version: 1 }],
    ['versions', (service) => service.listVersions('a'), [1, 2, 5]],
    ['another schema without an id', add('a', 'w'), 42205],
  ]);

  table('a schema whose config adds something is registered, not looked up', [
    ['', add('a', 'x'), { id: 1, version: 1 }],
    [
      '',
      (service) => service.putConfig('a', { defaultMetadata: { properties: { p: '1' } } }),
      { defaultMetadata: { properties: { p: '1' } } },
    ],
    ['', (service) => service.putMode('a', { mode: 'READONLY' }), { mode: 'READONLY' }],
    ['', add('a', 'x'), 42205],
  ]);

  table('a version in metadata adds no versions', [
    ['', add('a', 'x', { version: 1 }), { id: 1, version: 1 }],
    ['as it was sent, without the version', add('a', 'x'), { id: 1, version: 1 }],
    ['with metadata that is empty', add('a', 'x', { metadata: { properties: {} } }), { id: 1, version: 1 }],
    [
      'metadata beside the version',
      add('b', 'x', { version: 1, metadata: { properties: { owner: 'me' } } }),
      { id: 2, version: 1 },
    ],
    ['with it', add('b', 'x', { metadata: { properties: { owner: 'me' } } }), { id: 2, version: 1 }],
    ['without it', add('b', 'x'), { id: 2, version: 1 }],
    [
      'versions',
      async (service) => [...(await service.listVersions('a')), ...(await service.listVersions('b'))],
      [1, 1],
    ],
  ]);

  table('an import of the largest id or version leaves others to the rest of the context', [
    ['', add('a', 'x'), { id: 1, version: 1 }],
    ['', (service) => service.putMode('m', { mode: 'IMPORT' }), { mode: 'IMPORT' }],
    [
      'the largest',
      add('m', 'y', { id: 2 ** 31 - 1, version: 2 ** 31 - 1 }),
      { id: 2 ** 31 - 1, version: 2 ** 31 - 1 },
    ],
    ['the next', add('m', 'z', { id: 2, version: 1 }), { id: 2, version: 1 }],
    ['', add('a', 'x a?'), { id: 3, version: 2 }],
    ['', (service) => service.putMode('m', { mode: 'READWRITE' }), { mode: 'READWRITE' }],
    ['no version is left', add('m', 'y m?'), 42205],
  ]);

  it('cannot be changed if the server says so', async () => {
    const service = fieldListService({ modesChangeable: false });
    assert.equal(await answerOrCode(service.putMode('a', { mode: 'READONLY' })), 42205);
    assert.equal(await answerOrCode(service.deleteMode('a')), 42205);
  });
});

describe('compatibility', () => {
  const check = (schema: string, version?: string) => async (service: RegistryService) =>
    (await service.checkCompatibility('a', version, text(schema))).is_compatible;
  const level = (compatibility: string) => (service: RegistryService) =>
    service.putConfig('a', { compatibility });

  table('levels', [
    ['no subject', check('x', 'latest'), true],
    ['no subject, all versions', check('x'), true],
    ['an explicit version', check('x', '1'), 40402],
    ['', add('a', 'x y'), { id: 1, version: 1 }],
    ['', level('NONE'), { compatibility: 'NONE' }],
    ['', add('a', 'x'), { id: 2, version: 2 }],
    ['', level('BACKWARD'), { compatibility: 'BACKWARD' }],
    ['less is readable', check('x', 'latest'), true],
    ['more is not', check('x y', 'latest'), false],
    ['but with the first version', check('x y', '1'), true],
    ['all versions: the last one', check('x y'), false],
    ['', level('BACKWARD_TRANSITIVE'), { compatibility: 'BACKWARD_TRANSITIVE' }],
    ['both versions have it', check('x'), true],
    ['', level('FORWARD'), { compatibility: 'FORWARD' }],
    ['more can be read by the last one', check('x z', 'latest'), true],
    ['less cannot', check('z', 'latest'), false],
    ['', level('FORWARD_TRANSITIVE'), { compatibility: 'FORWARD_TRANSITIVE' }],
    ['the first one needs y', check('x z'), false],
    ['', check('x y z'), true],
    ['', level('FULL'), { compatibility: 'FULL' }],
    ['', check('x z?', 'latest'), true],
    ['', check('x z', 'latest'), false],
    ['', level('FULL_TRANSITIVE'), { compatibility: 'FULL_TRANSITIVE' }],
    ['', check('x z?'), false],
    ['', check('x y? z?'), true],
    ['an invalid schema', check('!', 'latest'), 42201],
    ['an invalid version', check('x', 'zero'), 42202],
    ['no text', check('', 'latest'), 42201],
    ['', (service) => service.deleteVersion('a', '1'), 1],
    ['a version that is marked is not compared', check('x z?'), true],
    ['nor by its number', check('x', '1'), 40402],
  ]);

  table('messages', [
    ['', add('a', 'x'), { id: 1, version: 1 }],
    [
      'of a check',
      (service) => service.checkCompatibility('a', 'latest', text('y z'), { verbose: true }),
      {
        is_compatible: false,
        messages: [
          "{errorType:'MISSING_FIELD', description:'y of the new schema'}",
          "{errorType:'MISSING_FIELD', description:'z of the new schema'}",
          '{oldSchemaVersion: 1}',
          "{oldSchema: 'x'}",
          "{validateFields: 'false', compatibility: 'BACKWARD'}",
        ],
      },
    ],
    [
      'without a problem',
      (service) => service.checkCompatibility('a', 'latest', text('x'), { verbose: true }),
      { is_compatible: true, messages: [] },
    ],
    [
      'of an invalid schema',
      (service) => service.checkCompatibility('a', 'latest', text('!'), { verbose: true }),
      { is_compatible: false, messages: ['Invalid schema of type AVRO, details: "!" is not a field'] },
    ],
    [
      'of another type',
      (service) =>
        service.checkCompatibility('a', 'latest', text('x', { schemaType: 'JSON' }), { verbose: true }),
      {
        is_compatible: false,
        messages: [
          'Incompatible because of different schema type',
          "{validateFields: 'false', compatibility: 'BACKWARD'}",
        ],
      },
    ],
    ['another type is refused', add('a', 'x', { schemaType: 'JSON' }), 40901],
    ['', (service) => service.putConfig('a', { compatibility: 'NONE' }), { compatibility: 'NONE' }],
    ['unless the level is NONE', add('a', 'x y', { schemaType: 'JSON' }), { id: 2, version: 2 }],
    ['', (service) => service.putConfig('a', { compatibility: 'FULL' }), { compatibility: 'FULL' }],
    [
      'force',
      (service) => pick(service.register('a', text('q'), { force: true }), 'version'),
      { version: 3 },
    ],
  ]);

  it('a refused registration lists the differences', async () => {
    const service = fieldListService();
    await service.register('a', text('x'));
    await assert.rejects(service.register('a', text('y')), {
      message:
        `Schema being registered is incompatible with an earlier schema for subject "a", details: ` +
        `[{errorType:'MISSING_FIELD', description:'y of the new schema'}, {oldSchemaVersion: 1}, {oldSchema: 'x'}, ` +
        `{validateFields: 'false', compatibility: 'BACKWARD'}]`,
    });
  });

  table('groups', [
    [
      '',
      (service) => service.putConfig('a', { compatibilityGroup: 'major' }),
      { compatibilityGroup: 'major' },
    ],
    ['', add('a', 'x', { metadata: { properties: { major: '1' } } }), { id: 1, version: 1 }],
    ['another group', add('a', 'y', { metadata: { properties: { major: '2' } } }), { id: 2, version: 2 }],
    ['the first group again', add('a', 'x z', { metadata: { properties: { major: '1' } } }), 40901],
    ['', add('a', 'x z?', { metadata: { properties: { major: '1' } } }), { id: 3, version: 3 }],
    ['no group', add('a', 'q', { metadata: { properties: {} } }), { id: 4, version: 4 }],
  ]);
});
