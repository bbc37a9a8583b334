import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fieldListService, requestTable as table } from '../../testing/index.ts';

const config = { 'schema.registry.url': 'http://other:8081', 'basic.auth.user.info': 'me:secret' };
const shown = { 'schema.registry.url': 'http://other:8081', 'basic.auth.user.info': '[hidden]' };

describe('exporters', () => {
  table('are stored and controlled', [
    ['none', (service) => service.exporters.list(), []],
    ['an unknown one', (service) => service.exporters.get('e'), 40450],
    ['', (service) => service.exporters.create({ name: 'e', config }), { name: 'e' }],
    ['again', (service) => service.exporters.create({ name: 'e', config }), 40950],
    ['', (service) => service.exporters.list(), ['e']],
    [
      'without its secrets',
      (service) => service.exporters.get('e'),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text that clients replace.
      { name: 'e', contextType: 'AUTO', subjects: ['*'], subjectRenameFormat: '${subject}', config: shown },
    ],
    [
      'its status',
      (service) => service.exporters.status('e'),
      { name: 'e', state: 'STARTING', offset: 0, ts: 1000 },
    ],
    ['', (service) => service.exporters.control('e', 'pause'), { name: 'e' }],
    ['', (service) => service.exporters.status('e'), { name: 'e', state: 'PAUSED', offset: 0, ts: 1000 }],
    ['', (service) => service.exporters.control('e', 'resume'), { name: 'e' }],
    [
      'an update',
      (service) => service.exporters.update('e', { contextType: 'custom', context: '.c', subjects: ['a*'] }),
      { name: 'e' },
    ],
    [
      'what was shown comes back',
      (service) => service.exporters.putConfig('e', { ...shown, x: 'y' }),
      { name: 'e' },
    ],
    ['', (service) => service.exporters.config('e'), { ...shown, x: 'y' }],
    [
      'the secret is still there',
      (service) => service.exporters.definitions()[0]!.config['basic.auth.user.info'],
      'me:secret',
    ],
    [
      'the secret does not follow to another address',
      (service) => service.exporters.putConfig('e', { ...shown, 'schema.registry.url': 'http://mine:1' }),
      42250,
    ],
    [
      'nor by a proxy',
      (service) => service.exporters.putConfig('e', { ...shown, 'proxy.host': 'mine' }),
      42250,
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
      async (service) => {
        await service.exporters.putConfig('e', await service.exporters.config('e'));
        return service.exporters.definitions()[0]!.config;
      },
      { 'schema.registry.url': 'http://me:secret@other:8081' },
    ],
    [
      'a custom context without a name',
      (service) => service.exporters.create({ name: 'f', contextType: 'CUSTOM', config }),
      42250,
    ],
    [
      'an unknown type',
      (service) => service.exporters.create({ name: 'f', contextType: 'X', config }),
      42250,
    ],
    ['no address', (service) => service.exporters.create({ name: 'f' }), 42250],
    ['a bad name', (service) => service.exporters.create({ name: 'a/b', config }), 42250],
    ['', (service) => service.exporters.delete('e'), null],
    ['again', (service) => service.exporters.delete('e'), 40450],
  ]);

  it('drops the report of a loop that was told something else meanwhile', async () => {
    let nowMs = 1;
    const { exporters } = fieldListService({
      clock: { nowMs: () => nowMs++, monotonicMs: () => 0, after: () => () => {} },
    });
    await exporters.create({ name: 'e', config });
    const seen = await exporters.status('e');
    assert.equal(await exporters.report('e', seen, { state: 'RUNNING', offset: 5 }), true);
    const running = await exporters.status('e');
    await exporters.control('e', 'pause');
    assert.equal(await exporters.report('e', running, { state: 'RUNNING', offset: 9 }), false);
    assert.deepEqual(await exporters.status('e'), { name: 'e', state: 'PAUSED', offset: 5, ts: 3 });
    await exporters.delete('e');
    assert.equal(await exporters.report('e', running, { state: 'RUNNING', offset: 9 }), false);
  });
});
