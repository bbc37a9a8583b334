import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTest, type SourceFile, typescriptFiles } from './repository.ts';
import { blankComments, lineOf } from './source-text.ts';

/** Flags that occur only in command lines that start a server. */
const startingFlag =
  /['"`]-(?:metadataURL|dataDir|databaseURL|consolePort|httpPort|gracefulShutdownDuration)\b/;
const command = /'(agent|control-plane|metrics)',(?! 'restore')/g;

/** Files whose command lines are exempt, and why. */
const exempt: Readonly<Record<string, string>> = {
  'packages/cli/src/bin.test.ts': 'its command lines are refused before anything starts',
  'bench/agent-kills/run.ts': 'it runs earlier builds too, which do not know the flag',
};

/**
 * Returns the flags that a command line lacks: servers in tests listen on loopback, and agents must not query a cloud
 * for their zone.
 */
function missingFlags({ path, text }: SourceFile): string[] {
  const source = blankComments(text);
  return [...source.matchAll(command)].flatMap((match) => {
    const end = source.indexOf(';\n', match.index);
    const line = source.slice(match.index, end < 0 ? undefined : end);
    if (!startingFlag.test(line)) return [];
    const at = `${path}:${lineOf(source, match.index)}`;
    const missing: string[] = [];
    if (!/-bindAddress|loopback/i.test(line)) missing.push(`${at}: -bindAddress 127.0.0.1 is missing`);
    if (match[1] === 'agent' && !/-availabilityZone/.test(line)) {
      missing.push(`${at}: -availabilityZone is missing, so that the agent asks metadata services of clouds`);
    }
    return missing;
  });
}

test('servers that tests start listen on loopback, and agents are told their zone', () => {
  const files = typescriptFiles().filter(
    ({ path }) => (isTest(path) || /^(?:tests|bench)\//.test(path)) && !path.startsWith('tests/house/'),
  );
  assert.deepEqual(files.filter(({ path }) => exempt[path] === undefined).flatMap(missingFlags), []);
});

test('the rule finds what is missing', () => {
  const cases: [text: string, problems: number][] = [
    ["start(['agent', '-metadataURL', url]);\n", 2],
    ["start(['agent', '-metadataURL', url, '-bindAddress', '127.0.0.1']);\n", 1],
    ["start(['agent', '-metadataURL', url, ...atLoopback, '-availabilityZone', 'a']);\n", 0],
    ["start(['control-plane', `-dataDir=x`]);\n", 1],
    ["run(['control-plane', 'restore', '-dataDir', x]);\n", 0],
    ["start(['metrics', '-httpPort', '0']);\n", 1],
    ["const names = ['agent', 'group'];\n", 0],
  ];
  for (const [text, problems] of cases) {
    assert.equal(missingFlags({ path: 'a.test.ts', text }).length, problems, text);
  }
});
