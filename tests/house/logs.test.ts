import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logForwarders, logProblems } from './log-rule.ts';
import { isTest, typescriptFiles } from './repository.ts';

const files = typescriptFiles().filter(({ path }) => /^packages\/[^/]+\/src\//.test(path) && !isTest(path));

test('log messages are constant and begin with a verb, and errors are in the field error', () => {
  assert.ok(files.length > 500, 'the files were found');
  assert.deepEqual(files.flatMap(logProblems), []);
});

test('every file that passes messages on exists', () => {
  const paths = new Set(files.map(({ path }) => path));
  for (const path of Object.keys(logForwarders)) assert.ok(paths.has(path), `${path} is gone`);
});

test('the log rule finds what it should', () => {
  const cases: [text: string, problem: string | undefined][] = [
    ["log.info('started agent', { port });", undefined],
    ["this.#log.error('failed to list clusters');", undefined],
    ["options.log?.warn(\n  'failed to list clusters',\n  { error },\n);", undefined],
    ["log.warn('failed to list clusters', { problem });", 'name an error "error"'],
    ["log.warn('failed to list clusters', { clusterId, cause: error.message });", 'name an error "error"'],
    ["log.warn('failed to list clusters', {\n  reason: String(error),\n});", 'name an error "error"'],
    ["log.warn('failed to read pages', { reason: 'busy', error });", undefined],
    ["log.info('stopped leading', { reason });", undefined],
    ["log.info('failed to read', { error: { problem } }); const problem = 1;", undefined],
    ["log.info('failed to read', { error: list(a, problem) }); f({ problem });", undefined],
    ["log[level]('a diagnostic changed', {});", 'begins with "a"'],
    ["log.info('the agent is ready');", 'begins with "the"'],
    ["log.info('Started agent');", 'begins with "Started"'],
    ["ownLog.debug('clusters listed');", 'begins with "clusters"'],
    ["log.warn('failed to renew lease; trying again');", 'more than one sentence'],
    ["log.warn('failed to renew lease.');", 'more than one sentence'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
    ['log.warn(`failed to open ${path}`);', 'not constant'],
    ["log.warn('failed to open ' + path);", 'not constant'],
    ['log.warn(message, fields);', 'not constant'],
    [`log.warn('failed to ${'x'.repeat(80)}');`, 'longer than'],
    ["refusals.log(reason, 'turned away a client', {});", 'begins with "turned"'],
    ["this.#failures.log('a client could not log in', {});", 'begins with "a"'],
    ["warnings.warn('the zone is unknown', {});", 'begins with "the"'],
    ["void tryTo(make, 'the secrets could not be made');", 'begins with "the"'],
    ["// log.info('the agent is ready')", undefined],
    ['const growth = Math.log(1.1);', undefined],
  ];
  for (const [text, problem] of cases) {
    const [found] = logProblems({ path: 'packages/agent/src/a.ts', text });
    if (problem === undefined) assert.equal(found, undefined, text);
    else assert.ok(found?.includes(problem), `${text}: ${found}`);
  }
  const forwarder = Object.keys(logForwarders)[0]!;
  assert.deepEqual(logProblems({ path: forwarder, text: 'log.warn(message, fields);' }), []);
});
