import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectCommands } from './connect-commands.ts';

test('a password with a quote stays one word of a command and one text of a program', () => {
  const password = `it's "so" $HOME`;
  const commands = new Map(connectCommands({ bootstrap: 'h:9092', username: 'ccun_1', password }));
  assert.match(commands.get('kcat')!, /sasl\.password='it'\\''s "so" \$HOME' -L$/);
  assert.match(commands.get('kcat')!, /sasl\.username=ccun_1 /);
  const sasl = /sasl: (\{.*\}) \}\)/.exec(commands.get('JavaScript (kafkajs)')!)![1]!;
  assert.deepEqual(JSON.parse(sasl), { mechanism: 'plain', username: 'ccun_1', password });
});
