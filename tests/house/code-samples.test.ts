import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { configurationProblems, likelyTypeOf } from '@weir/controlplane/pipeline-configuration';
import { parseDocument } from 'yaml';
import { guidePages } from '../interop/readme/guide-pages.ts';
import { httpPages } from '../interop/readme/http-page-names.ts';
import { repositoryFiles, root } from './repository.ts';

// Pages whose samples are run have tests of their own, which the tables below name. Here every block is at least what
// it says it is.

interface Sample {
  readonly place: string;
  readonly language: string;
  readonly text: string;
}

/** Blocks of code, without the indentation of a list that they may be in. */
function samplesOf(path: string, page: string): Sample[] {
  return [...page.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)].map(
    ({ index, 1: indent, 2: language, 3: text }) => ({
      place: `${path}:${page.slice(0, index).split('\n').length}`,
      language: language!,
      text: text!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}

/** Blocks without a language are drawings, and what programs print. */
const checks: Readonly<Record<string, (text: string) => string | undefined>> = {
  '': () => undefined,
  text: () => undefined,
  console: () => undefined,
  // Prometheus reads them in tests/interop/monitoring.
  promql: () => undefined,
  // Applied by tests/interop/release/longer/terraform.ts; the other is of Vector, which tests/interop/logs names.
  hcl: () => undefined,
  // Run by tests/interop/embedded, tests/interop/readme/client-samples.test.ts and, of tables, tests/interop/tables.
  go: () => undefined,
  java: () => undefined,
  python: () => undefined,
  sh: shellProblem,
  json: problemOf(JSON.parse),
  yaml: yamlProblem,
  js: scriptProblem,
  properties(text) {
    const wrong = text
      .split('\n')
      .find((line) => !/^(?:|[#!].*|[\w.>-]+ *= *\S.*|\s+\S.*|\S.*\\)$/.test(line.trimEnd()));
    return wrong === undefined ? undefined : `is no property: ${wrong}`;
  },
};

function problemOf(parse: (text: string) => unknown): (text: string) => string | undefined {
  return (text) => {
    try {
      parse(text);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
}

/** `<name>` is what a reader fills in, and no redirection. */
function shellProblem(text: string): string | undefined {
  const filledIn = text.replaceAll(/<[\w -]+>/g, 'NAME');
  const { status, stderr } = spawnSync('bash', ['-n'], { input: filledIn, encoding: 'utf8' });
  return status === 0 ? undefined : stderr.trim();
}

function scriptProblem(text: string): string | undefined {
  const { status, stderr } = spawnSync(process.execPath, ['--check', '--input-type=module', '-'], {
    input: text,
    encoding: 'utf8',
  });
  return status === 0
    ? undefined
    : stderr
        .trim()
        .split('\n')
        .find((line) => /Error/.test(line));
}

/** A configuration of a pipeline is checked as the control plane does it; anything else has to be YAML. */
function yamlProblem(text: string): string | undefined {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) return error.message;
  const value: unknown = document.toJS();
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const isConfiguration =
    keys.includes('source_bootstrap_brokers') ||
    keys.includes('source_clusters') ||
    (keys.includes('input') && keys.includes('output'));
  if (!isConfiguration) return undefined;
  // A sample may be for `weir cli run-pipeline`, which has more inputs than agents have.
  const [problem] = configurationProblems(likelyTypeOf(text), text).filter(
    ({ message }) => !message.endsWith('run it with weir cli run-pipeline'),
  );
  return problem === undefined ? undefined : `${problem.place.line}: ${problem.message}`;
}

function problems(samples: readonly Sample[]): string[] {
  return samples.flatMap(({ place, language, text }) => {
    const check = checks[language];
    const problem = check === undefined ? 'a language without a check' : check(text);
    return problem === undefined ? [] : [`${place}: ${language}: ${problem}`];
  });
}

/** Generated references have their examples from the code that is tested. */
const pages = repositoryFiles().filter((path) =>
  /^(?:README\.md|SECURITY\.md|docs\/(?:start|guides|operate|reference)\/(?!api\.|bloblang\.).*\.md)$/.test(
    path,
  ),
);

test('each block of code is of its language, and each configuration of a pipeline is valid', () => {
  const samples = pages.flatMap((path) => samplesOf(path, readFileSync(join(root, path), 'utf8')));
  assert.ok(samples.length > 150, `${samples.length} blocks`);
  assert.deepEqual(problems(samples), []);
});

/** Lines after a paragraph that are code only by their indentation. */
function indentedCode(page: string): string[] {
  const text = page.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '');
  return [...text.matchAll(/\n(?![ *-]|\d+\.)[^\n]+\n\n( {4}[^\n]+)/g)].map(([, line]) => line!);
}

test('code stands between fences, because what is only indented is neither checked nor fits a phone', () => {
  const all = repositoryFiles().filter((path) => /^(?:[A-Z]+\.md|docs\/.*\.md)$/.test(path));
  const indented = all.flatMap((path) =>
    indentedCode(readFileSync(join(root, path), 'utf8')).map((line) => `${path}: ${line}`),
  );
  assert.deepEqual(indented, []);
  assert.deepEqual(indentedCode('\nRun this:\n\n    npm start\n\n- a list\n\n    goes on\n'), [
    '    npm start',
  ]);
});

/** Tests that take the commands from these pages, and run those that need no cluster or cloud of their own. */
const followedBy: Readonly<Record<string, string>> = {
  'README.md': 'tests/interop/readme/readme.test.ts',
  'docs/guides/log-intake.md': 'tests/interop/logs/shippers.test.ts',
  'docs/operate/kubernetes.md': 'tests/interop/release/longer/helm.ts',
  'docs/start/install.md': 'tests/interop/release/longer/installation-pages.ts',
};

/**
 * Pages whose commands of a shell are only checked, for their names, flags and variables (tests/house/docs.test.ts).
 * What they do is tested with other values: these tests do not notice that a step is missing on the page.
 */
const checkedOnly: Readonly<Record<string, string>> = {
  'docs/guides/migration.md': 'tests/interop/migration/weir.test.ts',
  'docs/guides/tables.md': 'tests/interop/tables/asked-tables.test.ts',
  'docs/guides/terraform.md': 'tests/interop/release/longer/terraform.ts',
  'docs/guides/testing.md': 'tests/interop/release/longer/artefacts.ts',
  'docs/operate/regions.md': 'tests/interop/postgres/regions.test.ts',
  'docs/operate/ripcord.md': 'tests/interop/agent/ripcord.test.ts',
};

test('commands of every page are run by a test, or the page is one of those that are only checked', () => {
  const files = new Set(repositoryFiles());
  const typed = new Set([...Object.keys(guidePages), ...httpPages.map(([page]) => page)]);
  const named = [...Object.keys(followedBy), ...Object.keys(checkedOnly)];
  const withCommands = pages.filter((path) => /^ *```sh$/m.test(readFileSync(join(root, path), 'utf8')));
  const unknown = withCommands.filter(
    (path) => !typed.has(path.replace(/^docs\//, '')) && !named.includes(path),
  );
  assert.deepEqual(unknown, []);
  const gone = named.filter((path) => !withCommands.includes(path));
  assert.deepEqual(gone, []);
  const missing = Object.values(checkedOnly).filter((path) => !files.has(path));
  assert.deepEqual(missing, []);
  const unread = Object.entries(followedBy).filter(
    ([page, path]) => !files.has(path) || !readFileSync(join(root, path), 'utf8').includes(page),
  );
  assert.deepEqual(unread, [], 'a test that follows a page reads it');
});

const typed = /^ *(?:\$ |curl |kubectl |helm |npm |docker |(?:bin\/)?weir (?!.*: ))/m;

test('blocks without a language show what programs print, and commands are of a shell', () => {
  const commands = pages.flatMap((path) =>
    samplesOf(path, readFileSync(join(root, path), 'utf8'))
      .filter(({ language, text }) => language === '' && typed.test(text))
      .map(({ place }) => place),
  );
  assert.deepEqual(commands, []);
  assert.match('weir cli list-topics\n', typed);
  assert.doesNotMatch('weir agent: -bucketURL: bucket not found\n', typed);
});

test('mistakes in blocks are found', () => {
  const cases: [language: string, text: string][] = [
    ['sh', "echo 'one\n"],
    ['json', '{ "a": 1, }'],
    ['yaml', 'a: [1\n'],
    ['yaml', 'input: { generate: { mapping: "root = (" } }\noutput: { drop: {} }\n'],
    ['yaml', 'source_bootstrap_brokers: []\ntopic_mapping: []\n'],
    ['js', 'const = 1;'],
    ['properties', 'bootstrap.servers localhost'],
    ['cobol', 'x'],
  ];
  for (const [language, text] of cases)
    assert.equal(problems([{ place: 'here:1', language, text }]).length, 1, `${language}: ${text}`);
  assert.deepEqual(problems(samplesOf('a.md', '- list\n  ```sh\n  echo <your name>\n  ```\n')), []);
});
