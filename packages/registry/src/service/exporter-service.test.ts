import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fieldListService, requestTable as table } from '../../testing/index.ts';
import type { RegistryService } from './registry-service.ts';

const config = {
  'schema.registry.url': 'http://other:8081',
  'basic.auth.credentials.source': 'USER_INFO',
  'basic.auth.user.info': 'me:secret',
};
const shown = { ...config, 'basic.auth.user.info': '[hidden]' };
// biome-ignore lint/suspicious/noTemplateCurlyInString: the text that clients replace.
const subjectRenameFormat = '${subject}';
const context = '.lsrc-';

const secretOf = (service: RegistryService, name = 'e') =>
  service.exporters.run(name, 1001)?.definition.config['basic.auth.user.info'];

describe('exporters', () => {
  table('are stored and controlled', [
    ['none', (service) => service.exporters.list(), []],
    ['an unknown one', (service) => service.exporters.get('e'), 40450],
    ['', (service) => service.exporters.create({ name: 'e', config }), { name: 'e' }],
    ['again', (service) => service.exporters.create({ name: 'e', config }), 40960],
    ['', (service) => service.exporters.list(), ['e']],
    [
      'without its secrets, and with the context that AUTO means',
      async (service) => {
        const answer = await service.exporters.get('e');
        return { ...answer, context: answer.context!.slice(0, 6), contextChars: answer.context!.length };
      },
      {
        name: 'e',
        contextType: 'AUTO',
        context,
        contextChars: 12,
        subjects: ['*'],
        subjectRenameFormat,
        config: shown,
      },
    ],
    [
      'its status',
      (service) => service.exporters.status('e'),
      { name: 'e', state: 'STARTING', offset: 0, ts: 1000, trace: '' },
    ],
    ['a change while it runs', (service) => service.exporters.update('e', {}), 40963],
    ['other settings', (service) => service.exporters.putConfig('e', config), 40963],
    ['a reset', (service) => service.exporters.control('e', 'reset'), 40963],
    ['a removal', (service) => service.exporters.delete('e'), 40963],
    ['', (service) => service.exporters.control('e', 'pause'), { name: 'e' }],
    ['paused again', (service) => service.exporters.control('e', 'pause'), { name: 'e' }],
    [
      '',
      (service) => service.exporters.status('e'),
      { name: 'e', state: 'PAUSED', offset: 0, ts: 1000, trace: '' },
    ],
    [
      'an update',
      (service) => service.exporters.update('e', { contextType: 'custom', context: 'c', subjects: ['a*'] }),
      { name: 'e' },
    ],
    [
      '',
      (service) => service.exporters.get('e'),
      {
        name: 'e',
        contextType: 'CUSTOM',
        context: '.c',
        subjects: ['a*'],
        subjectRenameFormat,
        config: shown,
      },
    ],
    ['no subjects are all', (service) => service.exporters.update('e', { subjects: [] }), { name: 'e' }],
    ['', async (service) => (await service.exporters.get('e')).subjects, ['*']],
    [
      'what was shown comes back',
      (service) => service.exporters.putConfig('e', { ...shown, x: 'y' }),
      { name: 'e' },
    ],
    ['', (service) => service.exporters.config('e'), { ...shown, x: 'y' }],
    [
      'the secret does not follow to another address',
      (service) => service.exporters.putConfig('e', { ...shown, 'schema.registry.url': 'http://mine:1' }),
      40951,
    ],
    [
      'an address with a password',
      (service) => service.exporters.putConfig('e', { 'schema.registry.url': 'http://me:secret@other:8081' }),
      { name: 'e' },
    ],
    [
      'which is not shown',
      (service) => service.exporters.config('e'),
      { 'schema.registry.url': 'http://[hidden]@other:8081' },
    ],
    [
      'and comes back',
      async (service) => service.exporters.putConfig('e', await service.exporters.config('e')),
      { name: 'e' },
    ],
    ['a reset', (service) => service.exporters.control('e', 'reset'), { name: 'e' }],
    ['', (service) => service.exporters.control('e', 'resume'), { name: 'e' }],
    [
      '',
      (service) => service.exporters.status('e'),
      { name: 'e', state: 'STARTING', offset: 0, ts: 1000, trace: '' },
    ],
    ['', (service) => service.exporters.control('e', 'pause'), { name: 'e' }],
    ['', (service) => service.exporters.delete('e'), null],
    ['again', (service) => service.exporters.delete('e'), 40450],
  ]);

  // field, value, code
  const refused: readonly (readonly [string, unknown, number])[] = [
    ['name', undefined, 40950],
    ['name', 'a/b', 40950],
    ['name', 'a'.repeat(257), 40950],
    ['contextType', 'X', 40951],
    ['contextType', 'CUSTOM', 40951],
    ['subjectRenameFormat', 'all', 40951],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text that clients replace.
    ['subjectRenameFormat', ':.other:${subject}', 40951],
    ['subjects', 'orders', 40952],
    ['subjects', [''], 40952],
    ['subjects', ['a*b'], 40952],
    ['subjects', [':.a*:b'], 40952],
    ['subjects', ['a'.repeat(1025)], 40952],
    ['subjects', Array.from({ length: 1001 }, () => 'a'), 40952],
    ['config', undefined, 40951],
    ['config', {}, 40951],
    ['config', { 'schema.registry.url': 'ftp://other' }, 40951],
    ['config', { ...config, 'ssl.truststore.location': '/etc/passwd' }, 40951],
    ['config', { ...config, x: 'y'.repeat(70_000) }, 40951],
  ];
  table(
    'are refused',
    refused.map(([field, value, code]) => [
      `${field} ${JSON.stringify(value)?.slice(0, 50)}`,
      (service) => service.exporters.create({ name: 'e', config, [field]: value }),
      code,
    ]),
  );

  it('refer to named secrets that they may use, and show the references', async () => {
    const asked: (readonly string[])[] = [];
    const service = fieldListService({
      unusableSecrets: async (names) => {
        asked.push(names);
        return names.filter((name) => name !== 'known');
      },
    });
    const { exporters } = service;
    const url = 'http://other:8081';
    const configOf = (settings: Record<string, string>) => ({ 'schema.registry.url': url, ...settings });
    // settings, message of the refusal
    const rows: readonly (readonly [Record<string, string>, RegExp])[] = [
      [
        { 'bearer.auth.token': `\${secret:other}` },
        /^The config refers to the secret other, which does not exist/,
      ],
      [
        { 'bearer.auth.token': `\${ secret:known}` },
        /^The setting bearer\.auth\.token has a reference .* not of the form/,
      ],
      [{ 'schema.registry.url': `http://\${secret:known}:1` }, /^The setting schema\.registry\.url /],
      [{ x: `\${secret:known}`.repeat(65) }, /has more than 64 references to secrets/],
    ];
    for (const [settings, message] of rows)
      await assert.rejects(exporters.create({ name: 'e', config: configOf(settings) }), (error: Error) => {
        assert.match(error.message, message);
        return true;
      });
    const token = { 'bearer.auth.token': `\${secret:known}` };
    await exporters.create({ name: 'e', config: configOf(token) });
    assert.deepEqual(await exporters.config('e'), configOf(token));
    assert.deepEqual(exporters.usersOfSecret('known'), ['e']);
    assert.deepEqual(exporters.usersOfSecret('know'), []);
    await exporters.control('e', 'pause');
    await assert.rejects(exporters.putConfig('e', configOf({ 'bearer.auth.token': `\${secret:other}` })));
    const user = { 'basic.auth.user.info': `me:\${secret:known}` };
    await exporters.putConfig('e', configOf(user));
    assert.deepEqual(await exporters.config('e'), configOf({ 'basic.auth.user.info': '[hidden]' }));
    asked.length = 0;
    await exporters.putConfig('e', configOf({ 'basic.auth.user.info': '[hidden]' }));
    assert.deepEqual(asked, [], 'what is there already is not asked about');
    assert.deepEqual(exporters.usersOfSecret('known'), ['e']);
    await service.end();
  });

  it('store secrets sealed, and show them no more than before', async () => {
    const sealed: string[] = [];
    let hasKeys = true;
    const service = fieldListService({
      clock: { nowMs: () => 1000, monotonicMs: () => 0, after: () => () => {} },
      sealSettings: async (exporter, settings) => {
        sealed.push(...settings.map(({ setting, value }) => `${exporter} ${setting} ${value}`));
        return hasKeys ? settings.map((_, at) => `v1.${sealed.length}.${at}`) : null;
      },
    });
    const { exporters } = service;
    const stored = () => exporters.run('e', generation)!.definition.config;
    const url = 'http://me:pw@other:8081';
    await exporters.create({
      name: 'e',
      config: { 'schema.registry.url': url, 'bearer.auth.token': 'tok', x: 'y' },
    });
    let generation = 1000;
    assert.deepEqual(sealed, ['e schema.registry.url me:pw', 'e bearer.auth.token tok']);
    const first = {
      'schema.registry.url': `http://\${sealed:v1.2.0}@other:8081`,
      'bearer.auth.token': `\${sealed:v1.2.1}`,
      x: 'y',
    };
    assert.deepEqual(stored(), first);
    const shown = {
      'schema.registry.url': 'http://[hidden]@other:8081',
      'bearer.auth.token': '[hidden]',
      x: 'y',
    };
    assert.deepEqual(await exporters.config('e'), shown);
    await exporters.control('e', 'pause');
    // What a client sends back is what is stored.
    await exporters.putConfig('e', { ...shown, x: 'z' });
    await assert.rejects(
      exporters.putConfig('e', { ...shown, x: first['bearer.auth.token'] }),
      /x has \$\{sealed:/,
    );
    hasKeys = false;
    await exporters.control('e', 'resume');
    generation += 2;
    assert.deepEqual(stored(), { ...first, x: 'z' });
    assert.equal(sealed.length, 2);
    await exporters.control('e', 'pause');
    await exporters.putConfig('e', { 'schema.registry.url': 'http://other', 'bearer.auth.token': 'new' });
    await exporters.control('e', 'resume');
    generation += 2;
    assert.equal(stored()['bearer.auth.token'], 'new', 'without sealing keys');
    await service.end();
  });

  it('are limited in number', async () => {
    const { exporters } = fieldListService();
    for (let at = 0; at < 100; at++) await exporters.create({ name: `e${at}`, config });
    await assert.rejects(exporters.create({ name: 'one-more', config }), { error: 'tooManyExporters' });
  });

  it('copy only what their makers may read', async () => {
    const service = fieldListService();
    const { exporters } = service;
    await service.register('orders-a', { schema: 'x' });
    await service.register('orders-secret', { schema: 'y' });
    // subjects, what may be read, whether it is allowed
    const rows: readonly (readonly [string[], RegExp, boolean])[] = [
      [['orders-a'], /^orders-a$/, true],
      [['orders-b'], /^orders-a$/, false],
      [['orders-*'], /^orders-/, true],
      [['orders-*'], /^orders-(?!secret)/, false],
      [['orders-*'], /^orders-a$/, false],
      [['*'], /./, true],
      [[':*:'], /^[a-z]/, false],
    ];
    for (const [at, [subjects, readable, isAllowed]] of rows.entries()) {
      const created = exporters.create({ name: `e${at}`, config, subjects }, (subject) =>
        readable.test(subject),
      );
      if (isAllowed) await created;
      else await assert.rejects(created, { error: 'denied' }, `${subjects} ${readable}`);
    }
    const name = 'e0';
    const none = () => false;
    await exporters.control(name, 'pause', none);
    await assert.rejects(exporters.control(name, 'resume', none), { error: 'denied' });
    await assert.rejects(exporters.putConfig(name, config, none), { error: 'denied' });
    await assert.rejects(exporters.update(name, {}, none), { error: 'denied' });
    await exporters.control(name, 'resume', () => true);
  });

  it('end the jobs that users know better than', async () => {
    let nowMs = 1000;
    const service = fieldListService({
      clock: { nowMs: () => nowMs, monotonicMs: () => 0, after: () => () => {} },
    });
    const { exporters } = service;
    await exporters.create({ name: 'e', config });
    assert.equal(exporters.run('e', 1000)?.offset, 0);
    assert.equal(secretOf(service), undefined, 'of another generation');
    assert.equal(await exporters.report('e', 1000, { state: 'RUNNING', offset: 5 }), true);
    nowMs++;
    assert.equal(await exporters.report('e', 1000, { state: 'RUNNING', offset: 5 }), true);
    assert.equal((await exporters.status('e')).ts, 1000, 'nothing new, and nothing written');
    assert.equal(await exporters.report('e', 1000, { state: 'ERROR', trace: 'no route' }), true);
    const failed = { name: 'e', state: 'ERROR', offset: 5, ts: 1001, trace: 'no route' };
    assert.deepEqual(await exporters.status('e'), failed);
    await exporters.control('e', 'pause');
    assert.equal(await exporters.report('e', 1000, { state: 'RUNNING', offset: 9 }), false);
    assert.equal(exporters.run('e', 1001), undefined, 'paused');
    await exporters.control('e', 'resume');
    assert.equal(exporters.run('e', 1000), undefined);
    assert.equal(exporters.run('e', 1002)?.offset, 5);
    assert.equal(exporters.run('e', 1002)?.definition.config['basic.auth.user.info'], 'me:secret');
    await exporters.control('e', 'pause');
    await exporters.delete('e');
    assert.equal(await exporters.report('e', 1002, { state: 'RUNNING', offset: 9 }), false);
    assert.equal(exporters.run('e', 1002), undefined);
  });
});
