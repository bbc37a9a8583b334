import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemLine } from '../problem.ts';
import { findCommand } from './find.ts';

test('the first words name the command', () => {
  const cases: readonly [argv: readonly string[], command: string, rest: readonly string[]][] = [
    [['version'], 'version', []],
    [['agent', '-kafkaPort', '1'], 'agent', ['-kafkaPort', '1']],
    [['cli'], 'cli', []],
    [['cli', '--help'], 'cli', ['--help']],
    [['cli', 'create-acls', '-tls'], 'cli create-acls', ['-tls']],
    [['kcmd', 'create-acls'], 'kcmd', ['create-acls']],
    [['cli', 'events', '-h'], 'cli events', ['-h']],
    [['cli', 'events', 'search', '-last', '15m'], 'cli events search', ['-last', '15m']],
  ];
  for (const [argv, command, rest] of cases) {
    assert.deepEqual(findCommand(argv), { value: { command, rest, warnings: [], isFormer: false } });
  }
});

test('a former name works and warns', () => {
  assert.deepEqual(findCommand(['cli-beta', 'create-acls']), {
    value: {
      command: 'cli create-acls',
      rest: [],
      warnings: ['weir cli-beta is the former name of weir cli'],
      isFormer: false,
    },
  });
});

test('cli-old finds the tools of cli, also behind -type', () => {
  const rest = ['-bootstrapHost', 'a'];
  for (const words of [['list-topics'], ['-type', 'list-topics'], ['--type=list-topics']]) {
    const found = { command: 'cli list-topics', rest, warnings: [], isFormer: true };
    assert.deepEqual(findCommand(['cli-old', ...words, ...rest]), { value: found });
  }
  for (const alone of [[], ['-h'], ['-type'], ['-type=']]) {
    const found = { command: 'cli-old', rest: alone, warnings: [], isFormer: false };
    assert.deepEqual(findCommand(['cli-old', ...alone]), { value: found });
  }
  const unknown = findCommand(['cli-old', 'list-topic']);
  assert.equal(
    'problem' in unknown ? problemLine(unknown.problem) : '',
    'cli list-topic: unknown command; did you mean weir cli list-topics?',
  );
});

test('an unknown command is refused with the nearest one', () => {
  const cases: readonly [argv: readonly string[], line: string][] = [
    [['agnet'], 'agnet: unknown command; did you mean weir agent?'],
    [['cli', 'create-acl'], 'cli create-acl: unknown command; did you mean weir cli create-acls?'],
    [['cli', 'events', 'serach'], 'cli events serach: unknown command; did you mean weir cli events search?'],
    [['-v'], '-v: unknown command; weir help lists the commands'],
    [['frobnicate'], 'frobnicate: unknown command; weir help lists the commands'],
  ];
  for (const [argv, line] of cases) {
    const found = findCommand(argv);
    assert.equal('problem' in found ? problemLine(found.problem) : '', line);
  }
});
