import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandNames, commandRow } from '../commands/catalogue.ts';
import { type CommandValues, defaultOf, type FlagValues, flagRows, rowsOf } from './catalogue.ts';
import { environmentName, toolStyle } from './names.ts';
import { flagSpellings, readArguments, variableSpellings, withoutStyle } from './settings.ts';

test('no two rows of a command can be set by the same name', () => {
  for (const command of commandNames) {
    const spellings = rowsOf(command).flatMap((row) => [...flagSpellings(row), ...variableSpellings(row)]);
    const twice = spellings.filter((name, index) => spellings.indexOf(name) !== index);
    assert.deepEqual(twice, [], command);
  }
});

test('a name means one thing, except for a former name', () => {
  const spellings = flagRows.flatMap((row) => [...flagSpellings(row), ...variableSpellings(row)]);
  const twice = spellings.filter((name, index) => spellings.indexOf(name) !== index);
  // Formerly the agent's key; today the key of the API, which agents do not take.
  assert.deepEqual(twice, ['-apiKey']);
});

test('a flag is the same flag in the style of servers and of tools', () => {
  for (const command of commandNames) {
    const flags = rowsOf(command).flatMap((row) => [
      ...new Set([toolStyle(row.name), ...flagSpellings(row)].map(withoutStyle)),
    ]);
    const twice = flags.filter((name, index) => flags.indexOf(name) !== index);
    assert.deepEqual(twice, [], command);
  }
  const spellings = ['-maxRecordsPerSecond', '-max-records-per-second', '--max-records-per-second'];
  for (const spelling of spellings) {
    const read = readArguments('cli benchmark-producer', [spelling, '5']);
    assert.ok('value' in read);
    assert.equal(read.value.settings[0]?.row.name, 'max-records-per-second');
  }
});

test('only a list can be given in several flags', () => {
  for (const { name, isRepeatable, type } of flagRows) {
    if (isRepeatable === true) assert.notEqual(type.item, undefined, name);
  }
});

test('every row has a help text of one sentence', () => {
  for (const { name, help, rule } of flagRows) {
    assert.match(help, /^[A-Z][^\n]*\.$/, name);
    assert.ok(help.length <= 110, `the help of ${name} is too long for a line`);
    if (rule !== undefined) assert.match(rule, /^\S[^\n]*\.$/, name);
  }
});

test('every row is taken by commands that exist, each listed once', () => {
  for (const { name, commands } of flagRows) {
    assert.ok(commands.length > 0, name);
    assert.equal(new Set(commands).size, commands.length, name);
    for (const command of commands) assert.ok(commandNames.includes(command), `${name}: ${command}`);
  }
});

test('every default is a value that the row would accept', () => {
  for (const row of flagRows) {
    for (const command of row.commands) {
      const fallback = defaultOf(row, command);
      if (fallback === undefined) continue;
      const text = row.type.print(fallback);
      assert.deepEqual(
        text === '' ? { value: row.type.empty } : row.type.parse(text),
        { value: fallback },
        row.name,
      );
    }
  }
});

test('only the variables whose spelling the contract fixes deviate from the naming rule', () => {
  const deviating = flagRows.filter((row) => row.hasFlag && row.env !== environmentName(row.name));
  assert.deepEqual(
    deviating.map(({ name, env }) => [name, env]),
    [
      ['workloadIdentityTokenSource', 'SERVICE_AGENT_WORKLOAD_IDENTITY_TOKEN_SOURCE'],
      ['roles', 'SERVICE_AGENT_ROLES'],
      ['kafkaTLS', 'SERVICE_TLS_ENABLED'],
      ['disableConsumerGroupsMetricsTags', 'SERVICE_DISABLE_CONSUMER_GROUP_METRICS_TAGS'],
    ],
  );
});

test('the secrets are marked', () => {
  const secrets = flagRows.filter(({ secret }) => secret).map(({ name }) => name);
  assert.deepEqual(secrets, [
    'agentKey',
    'apiKey',
    'AZURE_STORAGE_KEY',
    'AZURE_STORAGE_SAS_TOKEN',
    'AZURE_STORAGE_CONNECTION_STRING',
    'externalSchemaRegistryPassword',
    'otlpMetricsHeaders',
    'password',
    'oauthToken',
    'schemaRegistryPassword',
  ]);
  const suspicious = flagRows.filter(
    // The key of a record is no secret, and neither is the name of one, or of a file that holds one.
    ({ name, type }) =>
      name !== 'key' &&
      /key$|password(?!File)|secret(?!Name|File)|token$/i.test(name) &&
      type.item === undefined,
  );
  for (const { name, secret } of suspicious) assert.equal(secret, true, `${name} looks like a secret`);
});

test('an available row is used by a command that exists', () => {
  const existing = commandNames.filter((name) => commandRow(name).status === 'available');
  for (const { name, status, commands } of flagRows) {
    if (status === 'available')
      assert.ok(
        commands.some((command) => existing.includes(command)),
        name,
      );
  }
});

test('the types of the values follow from the rows', () => {
  // The compiler checks this test: it rejects a wrong type, and an expected error that does not occur.
  const size: FlagValues['batchMaxSizeBytes'] = undefined;
  const port: FlagValues['kafkaPort'] = 9092;
  const roles: FlagValues['roles'] = ['proxy', 'jobs'];
  // @ts-expect-error A row with a default always has a value.
  const noPort: FlagValues['kafkaPort'] = undefined;
  // @ts-expect-error An enum knows its words.
  const noRole: FlagValues['roles'] = ['leader'];
  // @ts-expect-error A command has only the flags that it takes.
  const notTaken: CommandValues<'agent'>['num-records'] = 1;
  assert.ok([size, port, roles, noPort, noRole, notTaken].length > 0);
});
