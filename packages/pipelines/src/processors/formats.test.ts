import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openProcessor, processed, shown } from '../../testing/open-processor.ts';
import { Message } from '../component/message.ts';

// biome-ignore format: a table
const cases: readonly [config: object, content: string, result: string][] = [
  [{ xml: { operator: 'to_json' } },             '<a x="1"><b>2</b></a>', '{"a":{"-x":"1","b":"2"}}'],
  [{ xml: { operator: 'to_json', cast: true } }, '<a x="1"><b>2</b></a>', '{"a":{"-x":1,"b":2}}'],
  [{ xml: { operator: 'to_json' } },             'no xml',                '! there is no XML element'],
  [{ msgpack: { operator: 'to_json' } },         '\x81\x61',              '! a key of MessagePack is no text'],
  [{ msgpack: { operator: 'to_json' } },         '\x82\x01',              '! a key of MessagePack is no text'],
  [{ msgpack: { operator: 'from_json' } },       '{"a":[1,"x"]}',         '\x81\xa1a\x92\x01\xa1x'],
  [{ msgpack: { operator: 'from_json' } },       'no json',               '! failed to parse message as JSON'],
];

test('messages are converted between formats', async () => {
  for (const [config, content, result] of cases) {
    const [made] = await processed(await openProcessor(config), [Message.of(Buffer.from(content, 'latin1'))]);
    const found = made!.error === undefined ? made!.content.toString('latin1') : shown(made!);
    assert.ok(found === result || (result.startsWith('!') && found.startsWith('!')), `${content}: ${found}`);
  }
});
