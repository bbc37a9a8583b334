import { testedClients, untestedClients } from './clients.ts';
import { departures } from './departures.ts';
import { fatalErrors } from './fatal-errors.ts';
import { type ClientResult, readResults } from './results.ts';

/** Renders docs/reference/compatibility.md: results of the client tests, and differences from Apache Kafka. */
export function compatibilityPage(): string {
  const results = readResults();
  const sections = [
    '# Compatibility',
    'Clients that are tried against Weir by `npm run test:interop`, with the versions and scenarios of the last run that was recorded. This page is ' +
      'generated: `npm run docs:compatibility` runs the clients and writes it anew, `npm run docs` renders it from the recorded results.',
    summary(results),
    ...results.map(section),
    '## Not tried',
    Object.entries(untestedClients)
      .map(([name, reason]) => `- ${name}: ${reason}.`)
      .join('\n'),
    '## Departures from Apache Kafka',
    'Where a client is answered otherwise than by Apache Kafka 4.3. `npm run test:differential` sends the same requests to ' +
      'both, compares the answers field by field, and prints differences that are not listed here.',
    table(
      ['area', 'what', 'Apache Kafka', 'Weir', 'why'],
      departures.map(({ area, subject, apache, weir, reason }) => [area, subject, apache, weir, reason]),
    ),
    '## Retriable errors that older clients take as fatal',
    'In calls about groups and transactions, by the sources of these versions. In librdkafka 1.9.2 none was found in ' +
      'SyncGroup, Heartbeat, InitProducerId and the calls of transactions, and none in JoinGroup, SyncGroup and Heartbeat ' +
      'of kafka-python 2.0.2, which has no transactions: they retry, or join again.',
    table(
      ['client', 'call', 'error', 'what the client does', 'Weir'],
      fatalErrors.map(({ client, call, error, effect, weir }) => [client, call, error, effect, weir]),
    ),
  ];
  return `${sections.join('\n\n')}\n`;
}

function summary(results: readonly ClientResult[]): string {
  const rows = results.map(({ name, version, scenarios }) => {
    const passed = scenarios.filter(({ outcome }) => outcome === 'passed').length;
    const language = testedClients.find((client) => client.name === name)?.language ?? '';
    return [name, version, language, `${passed} of ${scenarios.length}`];
  });
  return table(['client', 'version', 'language', 'scenarios that pass'], rows);
}

function section({ name, version, scenarios }: ClientResult): string {
  const lines = scenarios.map(
    (scenario) => `- ${scenario.name}${scenario.outcome === 'passed' ? '' : ` (**${scenario.outcome}**)`}`,
  );
  return `## ${name} ${version}\n\n${lines.join('\n')}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
