import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cliTools, commandNames } from '../commands/catalogue.ts';
import { flagRows, rowsOf } from '../flags/catalogue.ts';
import { shownFlag, withShownFlags } from '../flags/shown-flag.ts';
import { rulebook } from '../rules/rulebook.ts';
import { commandsInWords } from './facts.ts';
import { flagsPage } from './flags-page.ts';
import { commandHelp, fullHelp, overview } from './help.ts';
import { wrap } from './wrap.ts';

test('docs/reference/flags.md matches the catalogue', () => {
  const onDisk = readFileSync(join(import.meta.dirname, '../../../../docs/reference/flags.md'), 'utf8');
  assert.equal(onDisk, flagsPage(), 'run npm run docs');
});

test('the page has one line per row, with every fact', () => {
  const lines = flagsPage().split('\n');
  for (const row of flagRows) {
    const first = row.hasFlag ? `| \`-${row.name}\`<br>\`${row.env}\` |` : `| \`${row.env}\` |`;
    const own = lines.filter((line) => line.startsWith(first));
    assert.equal(own.length, 1, row.name);
    for (const fact of [
      row.type.label,
      row.status,
      ...(row.deprecatedNames ?? []),
      ...(row.secret ? ['secret'] : []),
    ]) {
      assert.ok(own[0]!.includes(fact), `${row.name}: ${fact}`);
    }
  }
});

test('the help of a command has its rows and rules and no others', () => {
  for (const command of commandNames) {
    const help = fullHelp(command).replaceAll(/\s+/g, ' ');
    const taken = rowsOf(command);
    for (const row of flagRows) {
      const title = row.hasFlag
        ? `${shownFlag(row.name, command)} <${row.type.label}> ${row.env} `
        : `<${row.type.label}> ${row.env} `;
      assert.equal(help.includes(title), taken.includes(row), `${command}: ${title}`);
      if (taken.includes(row)) assert.ok(help.includes(withShownFlags(row.help, command)), row.name);
    }
    for (const { statement, commands } of rulebook)
      assert.equal(help.includes(withShownFlags(statement, command)), commands.includes(command));
  }
});

test('entries of the help, in full', () => {
  const [entry] = /^ {2}-processes[\s\S]*?\n\n/m.exec(fullHelp('agent')) ?? [];
  assert.equal(
    entry,
    [
      '  -processes <auto or int>                          SERVICE_PROCESSES',
      '      The number of agent processes on this machine.',
      '      Default: 1. Allowed: auto, or 1 to 1024. auto starts one per core. Each is a broker with the',
      '      next Kafka and HTTP port, and is restarted if it dies. local and playground run one process.',
      '      Commands: agent.',
      '\n',
    ].join('\n'),
  );
  const [planned] = /^ {2}-enableControlPlanePrometheusEndpoint[\s\S]*?\n\n/m.exec(fullHelp('metrics')) ?? [];
  assert.equal(
    planned,
    [
      '  -enableControlPlanePrometheusEndpoint <bool>      SERVICE_ENABLE_CONTROL_PLANE_PROMETHEUS_ENDPOINT',
      '      Scrape the metrics of a control plane that you run yourself.',
      '      Default: false. Commands: agent, metrics.',
      '      (not available in this release)',
      '\n',
    ].join('\n'),
  );
});

test('the help of a tool fits on a screen, and names its flags in one style', () => {
  for (const command of cliTools.filter((name) => name !== 'cli events')) {
    const lines = commandHelp(command).split('\n');
    assert.ok(lines.length <= 40, `${command}: ${lines.length} lines`);
    for (const row of rowsOf(command).filter(({ status, hasFlag }) => status === 'available' && hasFlag)) {
      const flag = new RegExp(`(?<![\\w-])${shownFlag(row.name, command)}(?![\\w-])`);
      assert.ok(
        lines.some((line) => flag.test(line)),
        `${command}: ${row.name}`,
      );
      assert.match(shownFlag(row.name, command), /^-[a-z\d-]+$/);
    }
  }
});

test('the short help of a tool, in full', () => {
  assert.equal(
    commandHelp('cli create-topic'),
    [
      'weir cli create-topic: Create a topic.',
      '',
      'Usage: weir cli create-topic -topic <topic> [flags]',
      '',
      'Flags',
      '  -topic <topic>                  The topic to work on.',
      '  -partitions <int>               The number of partitions.',
      '  -replication-factor <int>       The replication factor, for clusters whose brokers store the data.',
      '  -config <configs>               The configs to set; others keep their value.',
      '  -output <table|json>            The output format: table or JSON. Default: table.',
      '',
      'Connection',
      '  -bootstrap-host, -bootstrap-port, -client-id, -request-timeout, -tls, -username, -password,',
      '  -sasl-mechanism, -oauth-token, -oauth-token-file, -tls-server-ca-cert-file, -tls-client-cert-file,',
      '  -tls-client-private-key-file, -tls-skip-verify',
      '',
      'weir help cli create-topic -all explains all flags, their variables and rules.',
      '',
    ].join('\n'),
  );
});

test('a secret is marked in the help', () => {
  assert.match(fullHelp('agent'), /-agentKey <key>.*\n.*\n.*\n *\(secret, never printed\)\n/);
});

test('no line of any help is wider than a terminal', () => {
  for (const text of [overview(), ...commandNames.map(commandHelp), ...commandNames.map(fullHelp)]) {
    for (const line of text.split('\n')) assert.ok(line.length <= 100, line);
  }
});

test('lists of commands are short', () => {
  assert.equal(commandsInWords(['agent', 'metrics']), 'agent, metrics');
  assert.equal(commandsInWords(['cli create-acls', 'cli delete-acls']), 'cli create-acls, cli delete-acls');
  const connection = flagRows.find(({ name }) => name === 'bootstrap-host')!;
  assert.equal(
    commandsInWords(connection.commands),
    'kcmd, every cli tool but diagnose-record, file-reader, file-scrubber, validate-pipeline-config, run-pipeline, blobl, events, tables, migrate, clone-cluster, clone-topic, storage-costs, plan-capacity, list-subjects, describe-schema, register-schema, check-schema, delete-schema, schema-config, create-key, rotate-credential, end-rotation, mcp-config',
  );
});

test('text is wrapped between words', () => {
  assert.deepEqual(wrap('one two three', { indent: 2, width: 9 }), ['  one two', '  three']);
  assert.deepEqual(wrap('indivisible word', { indent: 0, width: 5 }), ['indivisible', 'word']);
});
