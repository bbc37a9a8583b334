import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryRegistryStore } from '../../testing/index.ts';
import { RegistryError } from '../registry-error.ts';
import { writeFresh } from './store-access.ts';

const change = { key: 'mode/a', value: Buffer.from('{"mode":"READONLY"}') };

test('a write whose answer is lost is not decided again: it may have been made', async () => {
  const store = new MemoryRegistryStore();
  let decisions = 0;
  const decide = () => {
    if (++decisions > 1) throw new RegistryError('versionSoftDeleted', 'it is deleted already');
    return { changes: [change], reply: 'deleted' };
  };
  const lost = {
    state: store.state,
    refresh: () => store.refresh(),
    async write<Reply>(make: Parameters<typeof store.write<Reply>>[0]): Promise<Reply> {
      await store.write(make);
      throw new RegistryError('timeout', 'the control plane did not respond in time; retry later');
    },
  };
  await assert.rejects(writeFresh(lost, decide), { error: 'timeout' });
  assert.equal(decisions, 1);
});

test('a refusal is decided again on the newest state', async () => {
  const store = new MemoryRegistryStore();
  const other = new MemoryRegistryStore(store.registry);
  await other.write(() => ({ changes: [change], reply: undefined }));
  const found = await writeFresh(store, (state) => {
    const reply = state.mode('a');
    if (reply === undefined) throw new RegistryError('subjectHasNoMode', 'there is none');
    return { changes: [], reply };
  });
  assert.equal(found, 'READONLY');
});
