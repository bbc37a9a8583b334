import { demoGroups } from './cast.ts';
import { demoTopicNames } from './topics.ts';

interface AnnouncementOptions {
  readonly cluster: {
    readonly host: string;
    readonly kafkaPort: number;
    readonly registryUrl: string;
  };
  /** Set if tools cannot find the API by themselves, because another cluster runs on this machine. */
  readonly api?: { readonly url: string; readonly applicationKey: string; readonly accountKey: string };
  /** How the user calls weir: `bin/weir`. */
  readonly program: string;
}

const usualKafkaPort = 9092;
const usualRegistryUrl = 'http://localhost:9094';

/** What runs in the demo, and commands to try. They work as they are, in another terminal. */
export function demoAnnouncement({ cluster, api, program }: AnnouncementOptions): readonly string[] {
  const { host, kafkaPort, registryUrl } = cluster;
  const kafka = [
    ...(host === 'localhost' ? [] : [`-bootstrap-host ${host}`]),
    ...(kafkaPort === usualKafkaPort ? [] : [`-bootstrap-port ${kafkaPort}`]),
  ];
  const registry = registryUrl === usualRegistryUrl ? [] : [`-schema-registry-url ${registryUrl}`];
  const apiFlags = (key: 'applicationKey' | 'accountKey') =>
    api === undefined ? [] : [`-api-url ${api.url}`, `-api-key ${api[key]}`];
  const command = (...words: readonly string[]) => `  ${program} cli ${words.join(' ')}`;
  return [
    '',
    'A web shop is running:',
    `  topics         ${demoTopicNames.join(', ')}`,
    `  groups         ${demoGroups.healthy} and ${demoGroups.committed} keep up, ${demoGroups.slow} falls behind,`,
    `                 ${demoGroups.stuck} is stuck, ${demoGroups.abandoned} has no members`,
    '  pipelines      large-orders filters orders, product-views enriches page views',
    '  tables         shop__orders has every order as a row, in Apache Iceberg',
    '  denied         marketing may not read payments, partner may not write customers',
    '',
    'Things to try in another terminal:',
    command('fetch -topic orders -decode auto', ...kafka, ...registry),
    command('consumer-group-lag', `-group ${demoGroups.slow}`, ...kafka),
    command('events search -types acl_logs -last 1h', ...apiFlags('applicationKey')),
    command('mcp-config', ...apiFlags('accountKey')),
    '',
  ];
}
